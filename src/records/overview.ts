import { type Brief, singleStage } from '../domain/brief.ts';
import { tallyOf } from '../domain/experiment.ts';
import type { RunState } from '../domain/ledger.ts';
import { holdoutName, type NeedsYou, type NightStory, type Status } from '../domain/overview.ts';
import { isProblem } from '../domain/problem.ts';
import { staffInWords } from '../domain/staff.ts';
import { mostStrikes } from '../domain/strikes.ts';
import { parseGain } from '../text/evidence.ts';
import { readBest, type Standing } from './best.ts';
import { pinBrief, readBrief } from './brief.ts';
import type { Entry } from './entry.ts';
import { experimentsAbove, liveNotebooks, wholeTally } from './history.ts';
import type { Notebook } from './notebook.ts';
import { type Org, trunkTip } from './org.ts';
import { type Queue, queueHistory, readQueue } from './queue.ts';
import { currentRunner } from './run-lock.ts';

/** How the org stands, from the tips of its branches alone: as fast after 100,000 experiments as after ten. */
export async function readStatus(org: Org, now: number): Promise<Status> {
  const [queue, best] = await Promise.all([readQueue(org), readBest(org)]);
  const live = queue === undefined ? [] : await liveNotebooks(org, queue);
  const brief = await briefInForce(org, best);
  const tally = queue === undefined ? tallyOf([]) : wholeTally(queue, live);
  const runner = currentRunner(org);
  const claimed = live.filter((notebook) => !notebook.done);
  const last = live
    .flatMap((notebook) => notebook.experiments)
    .reduce((most, one) => Math.max(most, one.n), queue?.ledger.experiments ?? 0);
  return {
    name: org.name,
    ...(await stateOf(org, queue, runner, now)),
    metric: best?.metric ?? brief?.metric ?? '',
    direction: brief?.direction ?? 'minimize',
    stages: brief && singleStage(brief),
    baseline: best?.baseline.score,
    best: best === undefined ? undefined : { score: best.score, n: best.n, commit: best.commit },
    tally,
    agents: claimed.map((notebook) => agentNow(notebook, runner !== undefined)),
    queue: { open: (queue?.specs.length ?? 0) - claimed.length, claimed: claimed.length },
    needsYou: await needsYou(org, queue),
    spent: {},
    lastKeepAgo: best === undefined ? undefined : Math.max(0, last - best.n),
    patience: brief?.budget.patience,
    paused: queue?.ledger.state === 'paused',
  };
}

/** The last run as the report tells it; undefined when there never was one. */
export async function readNight(
  org: Org,
  live: { readonly needsYou: readonly NeedsYou[] },
): Promise<NightStory | undefined> {
  const [queue, best] = await Promise.all([readQueue(org), readBest(org)]);
  if (queue === undefined || queue.ledger.run === '') return undefined;
  const brief = await briefInForce(org, best);
  const { started, ended } = await runEvents(org, queue.ledger.run, 'run');
  const metric = best?.metric ?? brief?.metric ?? '';
  const hidden = holdoutName(metric);
  const crashed = isCrashed(queue, currentRunner(org));
  return {
    name: org.name,
    run: queue.ledger.run,
    startedAt: started?.commit.committer.at ?? 0,
    endedAt: ended?.commit.committer.at,
    crashed,
    stopped: crashed ? gone : (ended?.get('Reason') ?? 'it still runs'),
    metric,
    direction: brief?.direction ?? 'minimize',
    target: brief?.target,
    stages: brief && singleStage(brief),
    agent: brief === undefined ? 'search' : staffInWords(brief.staff),
    baseline: best?.baseline.score,
    best: best === undefined ? undefined : { score: best.score, n: best.n, commit: best.commit },
    holdout:
      best?.numbers[hidden] === undefined
        ? undefined
        : { from: best.baseline.numbers[hidden], to: best.numbers[hidden] },
    gain: ended && parseGain((key) => ended.get(key)),
    experiments: await experimentsAbove(org, queue, queue.ledger.runFrom),
    needsYou: [...live.needsYou, ...(await needsYou(org, queue))],
  };
}

async function stateOf(
  org: Org,
  queue: Queue | undefined,
  runner: ReturnType<typeof currentRunner>,
  now: number,
): Promise<Pick<Status, 'state' | 'pid' | 'since' | 'heartbeatAgo' | 'why'>> {
  if (runner !== undefined) {
    const state = runner.silentFor > 60 ? 'silent' : 'running';
    return { state, pid: runner.pid, since: now - runner.startedAt, heartbeatAgo: runner.silentFor };
  }
  if (queue === undefined || queue.ledger.run === '') return { state: 'never' };
  if (isCrashed(queue, runner)) return { state: 'crashed', why: gone };
  const { ended } = await runEvents(org, queue.ledger.run, 'end');
  return {
    state: 'stopped',
    why: ended?.get('Reason'),
    since: ended === undefined ? undefined : now - ended.commit.committer.at,
  };
}

const isCrashed = (queue: Queue, runner: ReturnType<typeof currentRunner>): boolean =>
  runner === undefined && queue.ledger.state !== 'ended';

const gone = 'the process is gone and the run never ended';

/** The commits on the queue that open and close the last run, read back as far as the one that is asked for. */
async function runEvents(
  org: Org,
  run: string,
  upTo: 'run' | 'end',
): Promise<{ started: Entry | undefined; ended: Entry | undefined }> {
  let started: Entry | undefined;
  let ended: Entry | undefined;
  for await (const entry of queueHistory(org)) {
    if (entry.get('Run') !== run) {
      if (entry.event === 'run' || entry.event === 'end') break;
      continue;
    }
    if (entry.event === 'run') started = entry;
    if (entry.event === 'end') ended ??= entry;
    if (upTo === 'end' && ended !== undefined) break;
  }
  return { started, ended };
}

function agentNow(notebook: Notebook, running: boolean): Status['agents'][number] {
  return {
    id: notebook.agent,
    doing: running ? 'working' : 'waiting for a run',
    spec: notebook.spec,
    tried: notebook.experiments.length,
    kept: notebook.experiments.filter((one) => one.event === 'keep').length,
  };
}

async function needsYou(org: Org, queue: Queue | undefined): Promise<NeedsYou[]> {
  const unreadable = [
    ...(queue === undefined ? [] : await spentIdeas(org, queue)),
    ...(queue === undefined ? [] : queue.ledger.halted.map((agent) => haltedAgent(agent, queue.ledger.state))),
    ...(queue?.unreadable ?? []).map((problem) => ({ what: problem.message, command: problem.hint })),
  ];
  if (org.repo.head === undefined) return unreadable;
  try {
    await pinBrief(org, await trunkTip(org));
    return unreadable;
  } catch (error) {
    if (!isProblem(error)) throw error;
    return [...unreadable, { what: error.message, command: error.hint }];
  }
}

/** A night that ended because nobody knew what to try will do so again, until a person says what. */
async function spentIdeas(org: Org, { ledger, specs }: Queue): Promise<NeedsYou[]> {
  if (ledger.state !== 'ended' || specs.length > 0) return [];
  const { ended } = await runEvents(org, ledger.run, 'end');
  if (ended?.get('Ending') !== 'no-ideas') return [];
  return [{ what: 'nobody has an idea left: write a spec', command: 'npx orgrepo submit "what to try"' }];
}

/** What it did comes before whether it may go on, and both must fit on one line. */
function haltedAgent(agent: string, state: RunState): NeedsYou {
  const onwards = state === 'ended' ? 'npx orgrepo run' : `npx orgrepo resume ${agent}`;
  return {
    what: `${agent} is stopped: ${mostStrikes} of its attempts changed what they may not`,
    command: `npx orgrepo log --event tampered, then: ${onwards}`,
  };
}

async function briefInForce(org: Org, best: Standing | undefined): Promise<Brief | undefined> {
  try {
    return best === undefined
      ? (await pinBrief(org, await trunkTip(org))).brief
      : await readBrief(org, best.brief, best.tree);
  } catch (error) {
    if (isProblem(error)) return undefined;
    throw error;
  }
}
