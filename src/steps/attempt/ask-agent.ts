import { randomInt } from 'node:crypto';
import type { AgentWork } from '../../agents/agent-contract.ts';
import { agentFor } from '../../agents/choose-agent.ts';
import { choiceOf } from '../../domain/staff/staff.ts';
import { type Experiment, sameTreeAs } from '../../domain/words/experiment.ts';
import { type NewObject, storeObject } from '../../git/objects/tree.ts';
import { emptyDirectory, isGone, readDirectory, restoreDirectory } from '../../score/arena/arena-directory.ts';
import { measure, runFirstStage } from '../../score/measure/trial.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import type { AttemptParts, ResultParts, RunConstants, StandingParts } from '../night/night.ts';
import { isClosing } from '../night/night-basics.ts';
import { raiseStuck } from '../people/ask-people.ts';
import { reachCap, stopAgent } from '../standing/halt.ts';
import { countBegun, leaveClaim } from '../standing/night-standing.ts';
import { awaitYes } from '../standing/refusals.ts';
import { presentAsKnown } from '../standing/standing-now.ts';
import { taskAt } from './agent-task.ts';
import { type Bench, buildTree, differencesIn, overstepIn, unfitChange } from './bench.ts';
import { takeTree } from './night-tally.ts';

/** What an agent leaves in its bench when it is done, as orgrepo reads it; and how it left the bench. */
export type Offer = Offered & {
  readonly found: Bench['state'];
  /** The commit with which a person offers it; undefined for everybody else. */
  readonly from?: string | undefined;
} & Traces;

/** What an agent also reports: what its work cost, and what was said and done. */
type Traces = Pick<AgentWork, 'spent' | 'trace'>;

type Offered =
  | {
      readonly kind: 'candidate';
      readonly tree: string;
      readonly objects: readonly NewObject[];
      readonly title: string;
      readonly notes: string;
      /** The inconclusive verdict on the very same tree that its measurement goes on with. */
      readonly earlier: Experiment | undefined;
    }
  | {
      readonly kind: 'refused';
      readonly event: 'tampered' | 'unchanged' | 'failed' | 'discard';
      readonly title: string;
      readonly reason: string;
    }
  /** The agent has no idea left for this spec. */
  | { readonly kind: 'nothing'; readonly reason: string };

/** A search may hit upon a tree that was measured before; asking again is cheaper than measuring again. */
const mostAsks = 30;

/** Lets the agent work at its bench, then reads what it left there: as hostile, and without git. */
export async function work(night: AttemptParts, bench: Bench): Promise<Offer> {
  try {
    return await askUntilNew(night, bench);
  } catch (error) {
    if (!isGone(error)) throw error;
    const reason = 'its bench was removed';
    return { kind: 'refused', event: 'failed', title: 'no candidate', reason, found: emptyDirectory };
  }
}

async function askUntilNew(night: AttemptParts, bench: Bench): Promise<Offer> {
  const isSearch = choiceOf(bench.claim.pinned.brief.staff, bench.claim.agent).kind === 'search';
  const asks = isSearch ? mostAsks : 1;
  const { repo } = night.run.org;
  const { dir } = bench.worktree;
  let state = bench.state;
  let repeated: Offered & Traces = { kind: 'nothing', reason: 'never asked' };
  for (let ask = 1; ask <= asks; ask++) {
    if (ask > 1) state = await restoreDirectory(repo, dir, state, bench.files);
    const { agent, spec } = bench.claim;
    let done = await askAgent(night, bench, ask);
    while (done.kind === 'busy' && waitsOn(night, agent)) done = await askAgent(night, bench, ask);
    if (done.kind === 'capped') reachCap(night, agent, done, spec.id);
    if (done.kind === 'waits') awaitYes(night.standing, { agent, spec: spec.id, request: done.request });
    else if (isNotBegun(done) && !isClosing(night)) leaveClaim(night.standing, spec.id);
    if (done.kind === 'waits' || isNotBegun(done)) {
      countBegun(night.standing, -1);
      return { kind: 'nothing', reason: '', found: state };
    }
    if (done.kind === 'unable') await stopAgent(night, agent, done.reason);
    if (done.kind === 'nothing') return { ...done, found: state };
    const { spent, trace } = done;
    state = readDirectory(repo, dir, state, bench.zones.sandbox.names, '.git');
    if (isSearch) refuseLosses(bench, state);
    const offer = await readOffer(night, bench, state, done);
    if (done.escalate !== undefined) {
      const { reason, words } = done.escalate;
      await raiseStuck(night, { spec: spec.id, by: agent, reason, text: words });
      const stuck = `it escalated: ${reason}${words === '' ? '' : `, ${words}`}`;
      // Without a chart it has no manager, and has just changed nothing.
      if (night.inForce.pinned.charter !== undefined && isUnchanged(offer))
        return { kind: 'nothing', reason: stuck, found: state, spent, trace };
    }
    if (!isUnchanged(offer)) return { ...offer, found: state, spent, trace };
    repeated = { ...offer, spent, trace };
  }
  return { ...repeated, found: state };
}

/** Waits for a busy provider as long as the night goes on: the agent has not failed. */
const waitsOn = (night: StandingParts, agent: string): boolean =>
  !isClosing(night) && presentAsKnown(night, agent).kind !== 'stop';

/**
 * Not even its first call was made, because its provider was busy all the time or by the org's limit of a period: that is not an
 * attempt, and others may be able to.
 */
const isNotBegun = (done: AgentWork): boolean =>
  done.kind === 'busy' ||
  (done.kind === 'capped' && done.ofPeriod === true && done.scope !== 'call' && tokensOf(done) === 0);

const tokensOf = ({ spent }: AgentWork): number => (spent === undefined ? 0 : spent.tokensIn + spent.tokensOut);

const isUnchanged = (offer: Offered): boolean => offer.kind === 'refused' && offer.event === 'unchanged';

/** The embedded agent removes no file: if one is gone, a person is removing the bench, and that is not the agent's offer. */
function refuseLosses({ files, worktree }: Bench, state: Bench['state']): void {
  for (const file of files.keys())
    if (!state.files.has(file)) throw Object.assign(new Error(`${worktree.dir} was removed`), { code: 'ENOENT' });
}

async function askAgent(night: AttemptParts, bench: Bench, ask: number): Promise<AgentWork> {
  const { claim, attempt } = bench;
  const { brief } = claim.pinned;
  const agent = agentFor('junior', claim.agent, brief, night.inForce.models);
  const task = await taskAt(night, bench, claim.pinned, {
    role: 'junior',
    agent: claim.agent,
    spec: claim.spec,
    ...{ attempt, ask, attempts: claim.spec.attempts ?? brief.budget.attempts },
    ...bench.claim.advice,
    rehearse: (signal) => rehearse(night.run, bench, signal),
  });
  return agent(task, night.run.signal);
}

async function readOffer(
  night: ResultParts,
  bench: Bench,
  state: Bench['state'],
  done: Exclude<AgentWork, { kind: 'nothing' }>,
): Promise<Offered> {
  const title = done.kind === 'edited' ? done.title : 'no candidate';
  const differences = [...differencesIn(bench, state)];
  const overstep = overstepIn({ ...bench, brief: bench.claim.pinned.brief }, state, differences);
  if (overstep !== undefined) return { kind: 'refused', event: 'tampered', title, reason: overstep };
  if (done.kind === 'said') return { kind: 'refused', event: 'failed', title, reason: 'it only talked' };
  if (done.kind !== 'edited') return { kind: 'refused', event: 'failed', title, reason: done.reason };
  if (differences.length === 0) return { kind: 'refused', event: 'unchanged', title, reason: 'nothing was changed' };
  const unfit = await unfitChange(night.run.org.repo, differences);
  if (unfit !== undefined) return { kind: 'refused', title, ...unfit };
  const built = await buildTree(night.run.org.repo, bench, state, differences);
  const { before, earlier } = await takeTree(night, built.oid, bench);
  if (before !== undefined) return { kind: 'refused', event: 'unchanged', title, reason: `${sameTreeAs}${before}` };
  return { kind: 'candidate', tree: built.oid, objects: built.objects, title, notes: done.notes, earlier };
}

/** What an agent hears of one try: enough of the end to see what went wrong. */
const mostOutput = 8_000;

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
  const ran = await run.slots.add(() => runFirstStage({ org: run.org, pinned, signal }, built.oid, randomInt(2 ** 31)));
  if (ran === undefined) return 'it was not run';
  const how = ran.timedOut
    ? `not done after ${(ran.ms / 1000).toFixed(1)} s, and killed`
    : ran.notStarted !== undefined
      ? `it could not be started: ${ran.notStarted}`
      : `it ended with ${ran.code ?? ran.signal} after ${(ran.ms / 1000).toFixed(1)} s`;
  const metric = pinned.brief.metric;
  const said = (['stdout', 'stderr'] as const).flatMap((stream) => {
    const lines = hideSecrets(ran[stream].text).split('\n'); // Before anything is cut from it.
    const kept = lines.filter((line) => !line.trimStart().startsWith(`${metric}:`));
    const text = kept.join('\n').trim();
    return text === '' ? [] : [`${stream}:`, text.length > mostOutput ? `[…]\n${text.slice(-mostOutput)}` : text];
  });
  const score = pinned.brief.rehearsal === 'score' ? [await scoreOf(run, bench, built.oid, signal)] : [];
  return [...score, how, ...said].join('\n');
}

/** One measurement of it, where the brief lets agents know; which of the judge's words it may read it still may not. */
async function scoreOf(run: RunConstants, { claim }: Bench, tree: string, signal: AbortSignal): Promise<string> {
  const { brief } = claim.pinned;
  const trial = await run.slots.add(() =>
    measure({ org: run.org, pinned: claim.pinned, signal }, tree, randomInt(2 ** 31)),
  );
  return trial?.outcome.kind === 'scored'
    ? `${brief.metric} ${trial.outcome.score} in one measurement, which is no verdict`
    : 'it got no score';
}
