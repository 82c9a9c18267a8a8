import type { Charter } from '../../domain/staff/charter.ts';
import { agentsWithDuty, modelsOf, person, staffInWords } from '../../domain/staff/staff.ts';
import type { Brief } from '../../domain/words/brief.ts';
import { type Experiment, isKept, singleStage, tallyOf } from '../../domain/words/experiment.ts';
import { parseGain } from '../../domain/words/score.ts';
import type { NightSpent } from '../../domain/words/spent.ts';
import { isOnBest } from '../../domain/words/taken.ts';
import { standsIn } from '../../git/refs/remote-stand-in.ts';
import { pinnedNow } from '../../org/force/in-force.ts';
import { readBrief } from '../../org/force/pin-brief.ts';
import { newestCheckpointId } from '../../records/checkpoint-id.ts';
import { type BestEntry, lastKeepOn, readBest, takenOn, takenWins } from '../../records/notebook/best-line.ts';
import {
  experimentsAbove,
  experimentsBack,
  liveNotebooks,
  recentNotebooks,
  runEvents,
  wholeTally,
} from '../../records/notebook/history.ts';
import type { Notebook } from '../../records/notebook/notebook.ts';
import type { Org } from '../../records/org.ts';
import { whoPaused } from '../../records/queue/agent-book.ts';
import { type Queue, readQueue } from '../../records/queue/queue.ts';
import { awaitedBy } from '../../records/requests/requests.ts';
import { currentRunner } from '../../records/run-lock.ts';
import { readCapReached, readSpent } from '../../spend/books/spent-so-far.ts';
import { isProblem, orProblem } from '../../text/problem.ts';
import { briefOfTrunk, readHealth, readRecommendations } from './condition.ts';
import { type Agents, withStanding } from './facts-of-work.ts';
import { countReady } from './land-history.ts';
import { holdoutName, type NightStory, type Status } from './overview.ts';
import { needsYou } from './read-needs-you.ts';

/** How the org stands, from the tips of its branches and the last notebooks: as fast after 100,000 experiments as after a thousand. */
export async function readStatus(org: Org, now: number, charter?: Charter): Promise<Status> {
  const [queue, best] = await Promise.all([readQueue(org), readBest(org)]);
  const live = queue === undefined ? [] : await liveNotebooks(org, queue);
  const brief = await briefInForce(org, best);
  const health = queue && brief && readHealth(org, queue, brief, charter, now);
  health?.catch(() => {}); // It is read beside the rest; the reader that waits for it gets its error.
  const counted = queue === undefined ? { tally: tallyOf([]), waiting: 0 } : wholeTally(queue, live);
  const runner = currentRunner(org);
  const spent = await readSpent(org, queue?.ledger.run ?? '');
  const claimed = live.filter((notebook) => !notebook.done);
  const pinned = await pinnedNow(org);
  // What cannot be read is reported elsewhere.
  const chiefs = pinned === undefined ? ['chief'] : agentsWithDuty(pinned.brief, 'chief');
  const last = live
    .flatMap((notebook) => notebook.experiments)
    .reduce((most, one) => Math.max(most, one.n), queue?.ledger.experiments ?? 0);
  const keep = best && (await lastKeepOn(org, best));
  const awaited = queue?.ledger.acts ? await awaitedBy(org, now) : new Map<string, string>();
  const recent = {
    notebooks: queue === undefined ? [] : await recentNotebooks(org, queue),
    above: Math.max(0, last - experimentsBack),
  };
  return {
    ...measureFacts(org, best, brief),
    remote: standsIn(org.repo),
    ...(await stateOf(org, queue, runner, now)),
    ...counted,
    // Known as long as the notebooks that are read anyway are all there are.
    again:
      recent.above > 0 ? undefined : recent.notebooks.flatMap(({ experiments }) => experiments).filter(isAgain).length,
    // Best has at most as many changes as there were wins; more than so many are not counted each time that somebody asks.
    taken:
      best && counted.tally.keep <= experimentsBack
        ? (await takenOn(org, best.commit)).filter(isOnBest).length
        : undefined,
    ...(await withStanding(org, queue, agentsNow(claimed, spent, runner !== undefined, chiefs, awaited), now, recent)),
    agentsOfLast: recent.above > 0 ? experimentsBack : undefined,
    queue: { open: (queue?.specs.length ?? 0) - claimed.length, claimed: claimed.length },
    needsYou: await needsYou(org, queue, live),
    spent,
    lastKeepAgo: keep === undefined ? undefined : Math.max(0, last - keep),
    inVain: Math.max(0, last - Math.max(keep ?? 0, queue?.ledger.runFrom ?? 0)),
    patience: brief?.budget.patience,
    health: await health,
    isCharted: charter !== undefined,
    checkpoint: await newestCheckpointId(org),
    paused: queue?.ledger.state === 'paused',
    pausedBy: queue && (await whoPaused(org, queue.ledger)),
  };
}

/** The metric of these experiments; where there are none, the one that counts now. */
export const metricOf = async (org: Org, [first]: readonly Experiment[]): Promise<string> =>
  first?.metric ?? (await readStatus(org, 0)).metric;

/** The last run as the report tells it; undefined when there never was one. */
export async function readNight(org: Org, now: number, charter?: Charter): Promise<NightStory | undefined> {
  const [queue, best] = await Promise.all([readQueue(org), readBest(org)]);
  if (queue === undefined || queue.ledger.run === '') return undefined;
  const brief = await briefInForce(org, best);
  const { started, ended, stopped } = await runEvents(org, queue.ledger.run, 'run');
  const measure = measureFacts(org, best, brief);
  const hidden = holdoutName(measure.metric);
  const runner = currentRunner(org);
  const why = isKilled(org, queue, runner) ? killed : isCrashed(org, queue, runner) ? gone : undefined;
  return {
    ...measure,
    run: queue.ledger.run,
    startedAt: started?.commit.committer.at ?? 0,
    endedAt: (why === killed ? stopped : ended)?.commit.committer.at,
    crashed: why === gone,
    stopped: why ?? ended?.get('Reason') ?? 'it still runs',
    target: brief?.target,
    agent: brief === undefined ? 'search' : staffInWords(brief.staff),
    holdout:
      best?.numbers[hidden] === undefined
        ? undefined
        : { from: best.baseline.numbers[hidden], to: best.numbers[hidden] },
    gain: ended && parseGain((key) => ended.get(key)),
    experiments: await experimentsAbove(org, queue, queue.ledger.runFrom),
    taken: best === undefined ? [] : await takenWins(org, best.commit, queue.ledger.runFrom),
    needsYou: await needsYou(org, queue, await liveNotebooks(org, queue)),
    models: brief !== undefined && modelsOf(brief.staff).length > 0,
    spent: await readSpent(org, queue.ledger.run),
    capped: await readCapReached(org, queue, ended),
    ready: await countReady(org),
    health: brief && (await readHealth(org, queue, brief, charter, now)),
    isCharted: charter !== undefined,
    checkpoint: await newestCheckpointId(org),
    recommendations: brief && (await readRecommendations(org, queue, brief, charter, now)),
  };
}

const measureFacts = ({ name }: Org, best: BestEntry | undefined, brief: Brief | undefined) => ({
  name,
  metric: best?.metric ?? brief?.metric ?? '',
  direction: brief?.direction ?? ('minimize' as const),
  stages: brief && singleStage(brief),
  baseline: best?.baseline.score,
  best: best && {
    ...{ score: best.score, n: best.n, commit: best.commit },
    ...(best.remeasured ? { remeasured: true as const } : {}),
  },
  usdCap: brief?.budget.usd,
});

const isAgain = (one: Experiment): boolean => isKept(one) && one.merged;

async function stateOf(org: Org, queue: Queue | undefined, runner: ReturnType<typeof currentRunner>, now: number) {
  if (runner !== undefined) {
    const state = runner.silentFor > 60 ? ('silent' as const) : ('running' as const);
    return { state, pid: runner.pid, since: now - runner.startedAt, heartbeatAgo: runner.silentFor };
  }
  if (queue === undefined || queue.ledger.run === '') return { state: 'never' as const };
  if (isKilled(org, queue, runner)) return { state: 'stopped' as const, why: killed };
  if (isCrashed(org, queue, runner)) return { state: 'crashed' as const, why: gone };
  if (queue.ledger.state !== 'ended')
    return { state: 'silent' as const, why: 'it had not ended, and may run elsewhere' };
  const { ended } = await runEvents(org, queue.ledger.run, 'end');
  return {
    state: 'stopped' as const,
    why: ended?.get('Reason'),
    since: ended === undefined ? undefined : now - ended.commit.committer.at,
  };
}

/** What a remote had when it was fetched may well run on where it came from. */
const isCrashed = ({ repo }: Org, queue: Queue, runner: ReturnType<typeof currentRunner>): boolean =>
  runner === undefined && queue.ledger.state !== 'ended' && standsIn(repo) === undefined;

/** A person asked it to stop, and did not wait until it had. */
const isKilled = (org: Org, queue: Queue, runner: ReturnType<typeof currentRunner>): boolean =>
  isCrashed(org, queue, runner) && queue.ledger.state === 'stopping';

const gone = 'the process is gone and the run never ended';
const killed = 'a person killed it; the next run goes on with what it had saved';

/** The agents that have a claim, and chiefs that are models: they have none, and spend. */
function agentsNow(
  claimed: readonly Notebook[],
  spent: NightSpent | undefined,
  running: boolean,
  chiefs: readonly string[],
  awaited: ReadonlyMap<string, string>,
): Agents {
  const costs = new Map(spent?.agents.map((one) => [one.id, one.spent]));
  const doing = running ? 'writes specs' : 'waiting for a run';
  return [
    ...chiefs.flatMap((id) => (costs.has(id) ? [{ id, doing, spent: costs.get(id) }] : [])),
    ...claimed.map(({ agent, spec, priority }) => ({
      ...{ id: agent, spec, spent: costs.get(agent), request: awaited.get(`${agent} ${spec}`), priority },
      doing: agent === person ? 'a person' : running ? 'working' : 'waiting for a run',
    })),
  ];
}

/** The brief that best was measured by, else the trunk's; undefined where it cannot be read. */
export async function briefInForce(org: Org, best: BestEntry | undefined): Promise<Brief | undefined> {
  const brief = await orProblem(best === undefined ? briefOfTrunk(org) : readBrief(org, best.brief, best.tree));
  return isProblem(brief) ? undefined : brief;
}
