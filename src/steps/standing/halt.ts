import type { AgentWork } from '../../agents/agent-contract.ts';
import {
  mostFailures,
  mostStrikes,
  strikesInWords,
  whyCut,
  whyStopped,
  wroteNothing,
} from '../../domain/rules/stopping-rules.ts';
import { choiceOf, isProgramChoice } from '../../domain/staff/staff.ts';
import type { Experiment } from '../../domain/words/experiment.ts';
import { nowInSeconds } from '../../process/pace.ts';
import type { Org } from '../../records/org.ts';
import { haltAgent, recordChiefInVain } from '../../records/queue/agent-book.ts';
import { readEscalations } from '../../records/requests/requests.ts';
import type { Bench } from '../attempt/bench.ts';
import type { AttemptParts, KnownParts, Night, NightInForce, ResultParts, StandingParts } from '../night/night.ts';
import { areAll, isChief, showDoing, warn } from '../night/night-basics.ts';
import { raiseOverBudget } from '../people/ask-people.ts';
import type { NightStanding, Reached } from './night-standing.ts';
import { isOut, readOrders } from './standing-now.ts';

/**
 * Stops an agent that tampered or came to nothing too often, until a person resumes it. True if it is stopped. The run ends
 * when all of them are.
 */
export async function haltByRules(night: AttemptParts, agent: string): Promise<boolean> {
  const { halted } = await readOrders(night);
  if (night.standing.halted.has(agent) && !halted.includes(agent)) {
    night.standing.halted.delete(agent); // A person said: orgrepo resume <agent>.
    forgive(night, agent);
  }
  if (!night.standing.halted.has(agent)) {
    const why = whyStop(night, agent);
    if (why !== undefined) await stopAgent(night, agent, ...why);
  }
  // A needed person matters more than a reached --max, and a stopped agent more than one that is over its budget.
  const nobodyLeft = areAll(night.inForce, (junior) => isOut(night.standing, junior));
  if (nobodyLeft && (night.standing.ending === undefined || night.standing.ending === 'max'))
    night.standing.ending = areAll(night.inForce, (junior) => night.standing.spentUp.has(junior)) ? 'capped' : 'halted';
  return night.standing.halted.has(agent);
}

/** Why the holder of a claim ends its work on the spec; empty if another agent or the next run goes on with it. */
export const whyHalted = ({ spentSpecs, halted }: NightStanding, agent: string, spec: string): string =>
  spentSpecs.get(spec) ?? (halted.has(agent) ? `${agent} was stopped: ${halted.get(agent)}` : '');

/** An agent gets no more work until a person has looked. */
export async function stopAgent(
  night: Pick<Night, 'run' | 'standing'>,
  agent: string,
  why: string,
  look = 'orgrepo log',
): Promise<void> {
  const { ledger } = await haltAgent(night.run.org, agent, why);
  night.standing.halted.set(agent, why);
  night.standing.lastOrders = { at: performance.now(), ledger }; // A read that began before this knows less.
  warn(night.run, `${agent} is stopped: ${why}. Look: ${look}. Let it go on: orgrepo resume ${agent}`);
  showDoing(night.run, agent, 'idle', `stopped: orgrepo resume ${agent}`);
}

/**
 * Notes that a limit of the org is used up, in this run or before: then the agent claims nothing and makes no attempt, and
 * others get what it holds. An agent that asks no model spends nothing that counts.
 */
export async function noteUsedUp(night: StandingParts, agent: string, spec?: string): Promise<boolean> {
  if (night.standing.spentUp.has(agent)) return true;
  const choice = choiceOf(night.inForce.pinned.brief.staff, agent);
  const refused =
    choice.kind === 'api' || isProgramChoice(choice) ? await night.inForce.models.usedUp(agent) : undefined;
  if (refused === undefined) return false;
  const reason = refused.reason ?? '';
  if (night.standing.spentUp.has(agent)) return true; // Another lane asked for it meanwhile.
  night.standing.spentUp.add(agent);
  if (spec !== undefined || !(await findOverBudgetSaid(night.run.org, agent)))
    raiseOverBudget(night, agent, refused.scope, reason, spec);
  noteCap(night, agent, { ...refused, reason }, spec);
  return true;
}

/** Whether it was said today: once a day is enough for an agent that holds no spec. */
async function findOverBudgetSaid(org: Org, agent: string): Promise<boolean> {
  const now = nowInSeconds();
  return (await readEscalations(org, now)).some(
    ({ raised }) => raised.by === agent && raised.reason === 'OVER_BUDGET' && now - raised.at < 86_400,
  );
}

/**
 * Notes a cap that an agent reached. A cap on the night or the day ends the run; one on an agent ends that agent's work in this
 * run, and one on a spec the work on it, also when a reviewer met it. A call or an attempt ends alone, except for a chief: the
 * next call would cost it as much.
 */
export function reachCap(night: StandingParts, agent: string, cap: CapMet, spec?: string): void {
  raiseOverBudget(night, agent, cap.scope, cap.reason, spec);
  noteCap(night, agent, cap, spec);
}

type CapMet = Pick<Reached, 'reason' | 'scope'> & Partial<Pick<Reached, 'what'>>;

function noteCap(night: StandingParts, agent: string, { reason, scope, what }: CapMet, spec: string | undefined): void {
  warn(night.run, `${agent}: ${reason}`);
  if (scope === 'spec' && spec !== undefined) night.standing.spentSpecs.set(spec, reason);
  if (scope === 'agent' || spec === undefined) night.standing.spentUp.add(agent);
  const nobodyLeft = areAll(night.inForce, (junior) => night.standing.spentUp.has(junior));
  const ends = night.standing.ending === undefined && (scope === 'night' || scope === 'day' || nobodyLeft);
  if (ends) night.standing.ending = 'capped';
  // A chief that may ask no more ends the run too, once there is nothing left to work on.
  if (ends || (spec === undefined && night.standing.cap === undefined))
    night.standing.cap = { agent, scope, what, reason };
}

/** Why an agent must stop by the rules and where to look; undefined while it may go on. */
function whyStop(night: AttemptParts, agent: string): readonly [why: string, look: string] | undefined {
  if ((night.standing.strikes.get(agent) ?? 0) >= mostStrikes) return [strikesInWords, 'orgrepo log --event tampered'];
  const why = whyInVain(night, agent);
  if (why === undefined) return undefined;
  // A chief has no notebook: its turns are on the queue.
  return [why, isChief(night.inForce, agent) ? 'git log --grep=^failed: orgrepo/queue' : 'orgrepo log'];
}

/**
 * Why an agent must stop, by what it has done in this run; undefined while it may go on. Embedded agents go on: they cost
 * nothing, and often have no idea by design. People are not stopped.
 */
function whyInVain(night: AttemptParts, agent: string): string | undefined {
  if (!isWatched(night.inForce, agent)) return undefined;
  const vain = night.standing.inVain.get(agent);
  if (vain !== undefined && vain.times >= mostFailures)
    return `${vain.times} times in a row ${vain.why === wroteNothing ? wroteNothing : `it gave no spec: ${vain.why}`}`;
  const silent = night.standing.silent.get(agent) ?? 0;
  if (silent >= mostFailures) return `${silent} times in a row it gave no answer`;
  const { tokensIn, tokensOut, usd } = night.inForce.pinned.brief.budget;
  const n = Math.max(night.run.runFrom, night.standing.forgiven.get(agent) ?? 0);
  return whyStopped(tonight(night), agent, { n, cap: { tokensIn, tokensOut, usd } });
}

/** Why no further attempt is made at a spec; undefined when one is. */
export function whyEnough(night: Pick<Night, 'inForce' | 'tally'>, { claim, attempt }: Bench): string | undefined {
  const { spec, agent, pinned } = claim;
  const attempts = spec.attempts ?? pinned.brief.budget.attempts;
  if (attempt > attempts) return `${attempts} attempts`;
  return isWatched(night.inForce, agent) ? whyCut(night.tally.memory.experiments, spec.id) : undefined;
}

/** Writes down a chief's turn that put nothing on the queue: too many in a row stop it. */
export async function noteChief(night: StandingParts, chief: string, done: AgentWork, added: number): Promise<void> {
  if (added > 0) night.standing.inVain.delete(chief);
  // A stop was reported already, and a run that was killed is not a failure of the chief.
  if (added > 0 || !mayAsk(night, chief) || night.standing.ending !== undefined || night.run.signal.aborted) return;
  const why = done.kind === 'edited' || done.kind === 'said' ? wroteNothing : done.reason;
  night.standing.inVain.set(chief, { times: (night.standing.inVain.get(chief)?.times ?? 0) + 1, why });
  await recordChiefInVain(night.run.org, chief, why, done.spent);
}

/** Counts how often in a row a critic or a checker gave no answer: too many stop it. */
export function noteOpinion(night: Pick<Night, 'run' | 'standing'>, agent: string, answered: boolean): void {
  if (!night.run.signal.aborted)
    night.standing.silent.set(agent, answered ? 0 : (night.standing.silent.get(agent) ?? 0) + 1);
}

/** Tells whether a chief that has just written nothing is asked again, as it is until the rules stop it. */
export const mayAsk = (night: KnownParts, chief: string | undefined): boolean =>
  chief !== undefined && isWatched(night.inForce, chief) && !isOut(night.standing, chief);

/** Forgets what a person has forgiven. */
function forgive(night: Pick<Night, 'standing' | 'tally'>, agent: string): void {
  night.standing.strikes.delete(agent);
  night.standing.forgiven.set(agent, night.tally.experiments);
  night.standing.silent.delete(agent);
  night.standing.inVain.delete(agent);
}

function isWatched({ pinned }: NightInForce, agent: string): boolean {
  const { kind } = choiceOf(pinned.brief.staff, agent);
  return kind !== 'search' && kind !== 'human';
}

/** As much of the run as a restart reads again, so that it comes to the same result. */
const remembered = 1_000;

function tonight({ tally: { memory, experiments }, run: { runFrom } }: ResultParts): readonly Experiment[] {
  const from = Math.max(runFrom, experiments - remembered);
  return memory.experiments.filter((one) => one.n > from);
}
