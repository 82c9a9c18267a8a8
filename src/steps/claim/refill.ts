import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { agentFor } from '../../agents/choose-agent.ts';
import { choiceOf } from '../../domain/staff/staff.ts';
import { byUrgency, type Spec } from '../../domain/words/spec.ts';
import { removeTree } from '../../process/run-process.ts';
import { takenWins } from '../../records/notebook/best-line.ts';
import { readQueue } from '../../records/queue/queue.ts';
import { despiteRemoval } from '../../score/arena/arena-directory.ts';
import { zonesOf } from '../../score/judge/boundary.ts';
import { keepChiefTrace, sideBenchOf, taskAt, unlessRemoved } from '../attempt/agent-task.ts';
import { layBench } from '../attempt/bench.ts';
import type { AttemptParts, KnownParts, Night, NightInForce } from '../night/night.ts';
import { chiefOf, isClosing, isPerson, showDoing, untilClosing, warn } from '../night/night-basics.ts';
import { spawning } from '../night/spawn.ts';
import { haltByRules, noteChief, reachCap, stopAgent } from '../standing/halt.ts';
import { inItsTurn, noteReportRead } from '../standing/night-standing.ts';
import { awaitYes, checkChiefWaiting } from '../standing/refusals.ts';
import { checkAway, isAgentIn, isRefusedToAll, priorityIn } from '../standing/standing-now.ts';
import { unclaimedOf } from './claim.ts';
import { putOnQueue } from './claim-commits.ts';
import { type DraftBench, letThrough, readDrafts } from './drafts.ts';

/** The open specs that nobody has claimed: people's before the chief's, and of each the most urgent first, then in the order of their numbers. */
export async function openSpecs(night: Pick<Night, 'run' | 'inForce' | 'claims'>): Promise<readonly Spec[]> {
  const specs = (await readQueue(night.run.org))?.specs ?? [];
  const free = await unclaimedOf(
    night,
    specs.filter((spec) => spec.role !== 'human'),
  );
  const isPeoples = (spec: Spec): boolean => isOfPeople(night.inForce, spec);
  const urgent = [...free].sort((a, b) => byUrgency(priorityIn(night.inForce, a), priorityIn(night.inForce, b)));
  return [...urgent.filter(isPeoples), ...urgent.filter((spec) => !isPeoples(spec))];
}

const isOfPeople = (inForce: NightInForce, { by }: Spec): boolean => by === 'merge' || !isAgentIn(inForce, by);

/**
 * Tells whether there are too few open specs for the agents at work. A person's spec that policies keep from all agents does
 * not count; a chief's does, because more of them would be refused too.
 */
export function isLow(night: KnownParts, free: readonly Spec[]): boolean {
  const open = free.filter((spec) => !(isOfPeople(night.inForce, spec) && isRefusedToAll(night, spec.id)));
  return open.length < night.inForce.pinned.brief.juniors || night.standing.result.isNew;
}

/** The open specs that nobody has claimed; the agent that writes those of this one is woken when they run low. */
export async function refillQueue(night: Night, junior: string): Promise<readonly Spec[]> {
  const free = await openSpecs(night);
  if (!isLow(night, free)) return free;
  const chief = chiefOf(night.inForce, junior);
  if (chief === undefined || isPerson(night.inForce, chief)) return free; // People write them when they like.
  if (night.standing.spentUp.has(chief) || (await haltByRules(night, chief)) || (await checkAway(night, chief)))
    return free;
  if (await checkChiefWaiting(night, chief)) return free;
  // One that reviews or answers too does one thing at a time: it has one bench.
  const wake = () => inItsTurn(night.standing, chief, () => wakeChief(night, chief, free.length));
  // A paid agent has had its turn, also if somebody removed its bench meanwhile.
  await (isEmbedded(night.inForce, chief) ? despiteRemoval(wake) : wake());
  return openSpecs(night);
}

const isEmbedded = ({ pinned }: NightInForce, chief: string): boolean =>
  choiceOf(pinned.brief.staff, chief).kind === 'search';

/** Has a chief write specs. Its word is a file like any agent's: read as hostile, numbered by us. */
async function wakeChief(night: AttemptParts, chief: string, open: number): Promise<void> {
  const { brief } = night.inForce.pinned;
  const laid = await despiteRemoval(() => layDraftBench(night, chief));
  const { worktree, files } = laid;
  showDoing(night.run, chief, 'thinking', `${open} specs on the queue`);
  const task = await taskAt(night, { worktree, files, zones: zonesOf(brief) }, night.inForce.pinned, {
    ...{ role: 'chief', agent: chief, specs: night.tally.memory.specs, open },
    ...(isEmbedded(night.inForce, chief)
      ? { wanted: brief.juniors + 7 }
      : { wanted: specsWanted(brief.juniors, open), olderWins: await winsBefore(night) }),
    attempt: night.tally.memory.specs.length + 1,
    refused: night.tally.memory.refused,
    report: night.standing.result.report,
    ...spawning(night, chief),
  });
  // A spec that cannot be worked on tonight need not be paid for.
  const isOver = (): boolean => night.standing.ending !== undefined || isClosing(night);
  const asked = untilClosing(isOver, night.run.signal, (open) =>
    agentFor('chief', chief, brief, night.inForce.models)(task, open),
  );
  // The embedded chief is asked again when its bench is removed; of anybody else it is a turn in vain.
  const isAskedAgain = isEmbedded(night.inForce, chief);
  const done = await (isAskedAgain ? asked : unlessRemoved(asked));
  showDoing(night.run, chief, 'idle');
  if (done.kind === 'waits') return awaitYes(night.standing, { agent: chief, spec: undefined, request: done.request });
  if (done.kind === 'busy') return; // It has not begun, and is asked again.
  noteReportRead(night.standing);
  keepChiefTrace(night.run, chief, done);
  if (done.kind === 'capped') reachCap(night, chief, done);
  if (done.kind === 'unable') await stopAgent(night, chief, done.reason);
  const read = readDrafts(night.run.org.repo, laid, chief);
  const left = await (isAskedAgain ? read : unlessRemoved(read));
  const turn = 'kind' in left ? { ...left, spent: done.spent } : done;
  if (turn.kind === 'failed' && !isOver()) warn(night.run, `the ${chief} failed: ${turn.reason}`);
  const passed = await letThrough(night, chief, 'kind' in left ? [] : left);
  await noteChief(night, chief, turn, (await putOnQueue(night, passed, chief, done.spent)).length);
}

/** Two for each junior, with those that wait: what a chief learns from their results makes the next ones better. */
const specsWanted = (juniors: number, open: number): number => Math.max(1, Math.min(8, 2 * juniors - open));

/** Changes that best was moved to before all that the run remembers. */
async function winsBefore({ run, tally }: AttemptParts): Promise<readonly string[]> {
  const first = tally.memory.experiments[0]?.n ?? 1;
  if (first <= 1) return [];
  const wins = await takenWins(run.org, tally.best.commit);
  return wins.filter(({ n }) => n < first).map(({ n, won, score }) => `#${n} keep ${score}: ${won.title}`);
}

/** A bench with an empty specs/ in it, whatever an earlier turn has left there. */
async function layDraftBench(night: Pick<Night, 'run' | 'inForce' | 'tally'>, chief: string): Promise<DraftBench> {
  const at = { ...night.tally.best, tip: night.tally.best.commit };
  const laid = await layBench(
    night.run.org,
    sideBenchOf(night.inForce, chief),
    at,
    zonesOf(night.inForce.pinned.brief),
  );
  const specs = path.join(laid.worktree.dir, 'specs');
  removeTree(specs);
  mkdirSync(specs);
  return laid;
}
