import { actInWords, formatReasons, formatResult } from '../../../domain/rules/act.ts';
import { type Outcome, testsPassed } from '../../../domain/words/experiment.ts';
import { findDecision } from '../../../policy/decision-book.ts';
import { type DecidedAgain, decideAgain } from '../../../policy/policy-judge.ts';
import { allExperiments } from '../../../records/notebook/history.ts';
import type { Org } from '../../../records/org.ts';
import { plainNumber } from '../../../report/words/numbers.ts';
import { type Replayed, replay, wasMeasured } from '../../../score/measure/measure-again.ts';
import { formatJson, visible } from '../../../terminal/visible.ts';
import { Problem } from '../../../text/problem.ts';
import type { Command, VerbCall } from '../../kit/command.ts';
import { findExperiment } from '../../kit/find-experiment.ts';
import { flagOption, jailOption } from '../../kit/options.ts';
import { withOrg } from '../../kit/with-org.ts';

export const command: Command = {
  name: 'replay',
  summary: 'Measures an experiment again from its commit alone, or decides D12 again, and compares.',
  arguments: ['[n | D12]'],
  options: { ...jailOption, all: flagOption('every experiment there ever was; says which differ') },
  examples: ['orgrepo replay 7', 'orgrepo replay --all', 'orgrepo replay D12'],
  run: (call) => {
    const [word] = call.words;
    if ((word === undefined) !== call.flag('all'))
      throw new Problem(
        'usage/argument',
        `orgrepo replay ${word === undefined ? 'needs a number or --all' : 'takes a number or --all, not both'}`,
        'For example: orgrepo replay 7',
      );
    const work = (org: Org): Promise<number> => {
      if (word === undefined) return replayAll(org, call);
      return isDecision(word) ? replayDecision(org, call, word) : replayOne(org, call, word);
    };
    return withOrg(call, work);
  },
};

/** `D12`, or the id of a decision or its commit; numbers of experiments are shorter. */
const isDecision = (word: string): boolean => /^(D[0-9]+|[0-9a-f]{12,64})$/i.test(word);

async function replayDecision(org: Org, call: VerbCall, word: string): Promise<number> {
  const recorded = await findDecision(org, word);
  if (recorded === undefined)
    throw new Problem(
      'decision/missing',
      `there is no decision ${word}`,
      'See which there are: git log --oneline refs/orgrepo/decisions',
    );
  const replayed = await decideAgain(org, recorded);
  call.answer(decisionJson(replayed), formatDecision(replayed));
  return replayed.same ? 0 : 1;
}

async function replayOne(org: Org, call: VerbCall, word: string): Promise<number> {
  const { experiment } = await findExperiment(org, word, 'replay');
  if (!wasMeasured(experiment)) {
    throw new Problem(
      'experiment/differs',
      `#${experiment.n} was ${experiment.event} and never measured: ${experiment.reason}`,
      `See: orgrepo show ${experiment.n}`,
    );
  }
  call.say(
    `measuring ${experiment.tried.slice(0, 7)} again with harness ${experiment.harness.slice(0, 7)} in a fresh directory …\n`,
  );
  const replayed = await replay(org, experiment, new AbortController().signal);
  call.answer(replayJson(replayed), formatReplay(replayed));
  return replayed.reproduced ? 0 : 1;
}

/** A reader of a log file wants to see that the work goes on, not every step. */
const sayEveryMs = 30_000;

/** One at a time, as they were measured: neighbours on the same cores would change what takes time. */
async function replayAll(org: Org, call: VerbCall): Promise<number> {
  const all = await allExperiments(org);
  const measured = all.filter(wasMeasured);
  const { signal } = new AbortController();
  let reproduced = 0;
  let saidAt = Date.now();
  for (const [index, experiment] of measured.entries()) {
    const doing = `measuring #${experiment.n}, ${index + 1} of ${measured.length} … `;
    if (call.isTerminal) call.say(`\r${doing}`);
    else if (Date.now() - saidAt > sayEveryMs) {
      saidAt = Date.now();
      call.say(`${doing}\n`);
    }
    const replayed = await replay(org, experiment, signal);
    if (replayed.reproduced) reproduced += 1;
    if (call.json) call.out(`${formatJson(replayJson(replayed))}\n`);
    else if (!replayed.reproduced) call.out(`${call.isTerminal ? '\r\u001b[K' : ''}${formatReplay(replayed)}`);
  }
  if (call.isTerminal) call.say('\r\u001b[K');
  const refused = all.length - measured.length;
  const apart = refused === 0 ? '' : `, ${refused} ${refused === 1 ? 'was' : 'were'} never measured`;
  call.answer(
    { schema: 'orgrepo/replays@1', measured: measured.length, reproduced, refused },
    `${reproduced} of ${measured.length} reproduced${apart}\n`,
  );
  return reproduced === measured.length ? 0 : 1;
}

function formatReplay({ experiment, outcome, reproduced, within, tests }: Replayed): string {
  const { n, score, event } = experiment;
  const margin = within > 0 ? `   within ${plainNumber(within)}` : '';
  const tested =
    tests === undefined ? '' : `   tests ${testsWords(tests)}, recorded ${testsWords(experiment.tests ?? '')}`;
  return `#${n}  measured ${words(outcome)}   recorded ${score ?? event}${margin}${tested}   ${reproduced ? 'REPRODUCED' : 'DIFFERS'}\n`;
}

const testsWords = (tests: string): string => (tests === testsPassed ? tests : `failed (${visible(tests)})`);

const replayJson = ({ experiment, outcome, reproduced, within, tests }: Replayed): Record<string, unknown> => ({
  schema: 'orgrepo/replay@1',
  n: experiment.n,
  commit: experiment.tried,
  harness: experiment.harness,
  recorded: experiment.score ?? experiment.event,
  measured: outcome.kind === 'scored' ? outcome.score : outcome.kind,
  within,
  tests,
  reproduced,
});

function words(outcome: Outcome): string {
  if (outcome.kind === 'scored') return String(outcome.score);
  return outcome.kind === 'timed-out' ? 'timeout' : `${outcome.kind} (${visible(outcome.reason)})`;
}

function formatDecision({ recorded, again, same }: DecidedAgain): string {
  const { n, id, policies, act, result, reason } = recorded;
  const lines = [
    `D${n}  ${actInWords(act)}   decided ${formatResult(again.result)}   recorded ${result}   ${same ? 'REPRODUCED' : 'DIFFERS'}`,
    reason || 'no reason is recorded',
    ...(same ? [] : [`now: ${formatReasons(again.reasons) || 'no reason'}`]),
    `policies ${policies.slice(0, 7)}, decision ${id}`,
  ];
  return `${lines.map(visible).join('\n  ')}\n`;
}

const decisionJson = ({ recorded, again, same }: DecidedAgain): Record<string, unknown> => ({
  schema: 'orgrepo/decision@1',
  n: recorded.n,
  decision: recorded.id,
  commit: recorded.commit,
  policies: recorded.policies,
  act: recorded.act,
  recorded: recorded.result,
  reason: recorded.reason,
  decided: formatResult(again.result),
  reasons: again.reasons,
  reproduced: same,
});
