import type { Experiment, Outcome } from '../domain/experiment.ts';
import { Problem } from '../domain/problem.ts';
import { meanOf } from '../domain/score.ts';
import { judgeFailure } from '../domain/verdict.ts';
import { readBrief } from '../records/brief.ts';
import type { Org } from '../records/org.ts';
import { measure } from '../steps/trial.ts';
import { formatJson } from '../views/json.ts';
import type { Command } from './command.ts';
import { findExperiment } from './find-experiment.ts';
import { jailOption, readJail } from './jail-option.ts';
import { withOrg } from './with-org.ts';

export const command: Command = {
  name: 'replay',
  summary: 'Measures an experiment again from its commit alone, and compares.',
  arguments: ['<n>'],
  options: jailOption,
  examples: ['npx orgrepo replay 7'],
  run: (call) =>
    withOrg(
      call,
      async (org) => {
        const { experiment } = await findExperiment(org, call.words[0] ?? '');
        if (experiment.seconds === undefined) {
          throw new Problem(
            'experiment/differs',
            `#${experiment.n} was ${experiment.event} and never measured: ${experiment.reason}`,
            `See: npx orgrepo show ${experiment.n}`,
          );
        }
        call.say(
          `measuring ${experiment.tried.slice(0, 7)} again with harness ${experiment.harness.slice(0, 7)} in a fresh directory …\n`,
        );
        const outcome = await measureAgain(org, experiment);
        const now = outcome.kind === 'scored' ? outcome.score : undefined;
        const same =
          outcome.kind === 'scored'
            ? experiment.score === now
            : experiment.score === undefined && judgeFailure(outcome).event === experiment.event;
        if (call.json)
          call.out(
            `${formatJson({ schema: 'orgrepo/replay@1', n: experiment.n, commit: experiment.tried, harness: experiment.harness, recorded: experiment.score ?? experiment.event, measured: now ?? outcome.kind, reproduced: same })}\n`,
          );
        else
          call.out(
            `#${experiment.n}  measured ${words(outcome)}   recorded ${experiment.score ?? experiment.event}   ${same ? 'REPRODUCED' : 'DIFFERS'}\n`,
          );
        return same ? 0 : 1;
      },
      readJail(call),
    ),
};

/** Everything comes out of the commit's own trailers: the tree, the harness, the brief, the seeds. */
async function measureAgain(org: Org, experiment: Experiment): Promise<Outcome> {
  if (!(await org.repo.reader.has(experiment.harness))) {
    throw new Problem(
      'integrity/harness',
      `the harness ${experiment.harness} of #${experiment.n} is not in this repository`,
      'Fetch the whole history: git fetch --unshallow',
    );
  }
  const brief = await readBrief(org, experiment.brief, experiment.tree);
  const pinned = { brief, blob: experiment.brief, harness: experiment.harness };
  const scores: number[] = [];
  for (const seed of experiment.seeds.length === 0 ? [0] : experiment.seeds) {
    const { outcome } = await measure(org, experiment.tree, pinned, seed, new AbortController().signal);
    if (outcome.kind !== 'scored') return outcome;
    scores.push(outcome.score);
  }
  return { kind: 'scored', score: meanOf(scores), samples: scores, numbers: {} };
}

function words(outcome: Outcome): string {
  if (outcome.kind === 'scored') return String(outcome.score);
  return outcome.kind === 'timed-out' ? 'timeout' : `${outcome.kind} (${outcome.reason})`;
}
