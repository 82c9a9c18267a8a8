import { randomInt } from 'node:crypto';
import { storeObject } from '../../git/objects/tree.ts';
import { readDirectory } from '../../score/arena/arena-directory.ts';
import { measure, runFirstStage } from '../../score/measure/trial.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import type { RunConstants } from '../night/run-constants.ts';
import { buildTree, differencesIn } from './offered-tree.ts';
import type { Bench } from './prepare-bench.ts';

/** What an agent hears of one try: enough of the end to see what went wrong. */
const mostTold = 8_000;

/**
 * Runs the first stage on a bench as it stands, for an agent that wants to see what its change does. It takes a slot like
 * every measurement, and a seed that no measurement has. A line that names the metric is left out: no score before the
 * verdict, unless the brief allows it.
 */
export async function rehearse(run: RunConstants, bench: Bench, signal: AbortSignal): Promise<string> {
  const { repo } = run.org;
  const { pinned } = bench.claim;
  const state = readDirectory(repo, bench.worktree.dir, bench.state, bench.zones.sandbox.names, '.git');
  const built = await buildTree(repo, bench, state, [...differencesIn(bench, state)]);
  for (const object of built.objects) storeObject(repo, object);
  const ran = await run.slots.add(() => runFirstStage(run.org, built.oid, pinned, randomInt(2 ** 31), signal));
  if (ran === undefined) return 'it was not run';
  const how = ran.timedOut
    ? `not done after ${(ran.ms / 1000).toFixed(1)} s, and killed`
    : ran.notStarted !== undefined
      ? `it could not be started: ${ran.notStarted}`
      : `it ended with ${ran.code ?? ran.signal} after ${(ran.ms / 1000).toFixed(1)} s`;
  const metric = pinned.brief.metric;
  const said = [ran.stdout.text, ran.stderr.text]
    .map((text) =>
      hideSecrets(text) // Before anything is cut from it.
        .split('\n')
        .filter((line) => !line.trimStart().startsWith(`${metric}:`))
        .join('\n')
        .trim(),
    )
    .map((text) => (text.length > mostTold ? `[…]\n${text.slice(-mostTold)}` : text));
  const score = pinned.brief.rehearsal === 'score' ? [await scoreOf(run, bench, built.oid, signal)] : [];
  return [
    ...score,
    how,
    ...(said[0] === '' ? [] : ['stdout:', said[0]]),
    ...(said[1] === '' ? [] : ['stderr:', said[1]]),
  ].join('\n');
}

/** One measurement of it, where the brief lets agents know; which of the judge's words it may read it still may not. */
async function scoreOf(run: RunConstants, { claim }: Bench, tree: string, signal: AbortSignal): Promise<string> {
  const { brief } = claim.pinned;
  const trial = await run.slots.add(() => measure(run.org, tree, claim.pinned, randomInt(2 ** 31), signal));
  return trial?.outcome.kind === 'scored'
    ? `${brief.metric} ${trial.outcome.score} in one measurement, which is no verdict`
    : 'it got no score';
}
