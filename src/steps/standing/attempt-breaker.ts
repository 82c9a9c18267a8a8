import type { AgentWork } from '../../agents/agent-contract.ts';
import { mostFailures, whyCut, whyStopped, wroteNothing } from '../../domain/rules/breaker.ts';
import { choiceOf } from '../../domain/staff/staff.ts';
import type { Experiment } from '../../domain/words/experiment.ts';
import { recordChiefInVain } from '../../records/queue/agent-book.ts';
import type { Bench } from '../attempt/prepare-bench.ts';
import type { Night } from '../night/night.ts';
import type { NightInForce } from '../night/night-in-force.ts';

/**
 * Why an agent must stop, by what it has done this night; undefined while it may go on. No model is asked. The embedded
 * agents are let be: they cost nothing, and come back without an idea by design; a person is nobody's to stop.
 */
export function whyStop(
  night: Pick<Night, 'run' | 'inForce' | 'standing' | 'tally'>,
  agent: string,
): string | undefined {
  if (!isWatched(night.inForce, agent)) return undefined;
  const vain = night.standing.inVain.get(agent) ?? 0;
  if (vain >= mostFailures) return chiefInWords(vain);
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

/** Writes down a chief's turn that put nothing on the queue: so often in a row, and it is stopped. */
export async function noteChief(
  night: Pick<Night, 'run' | 'inForce' | 'standing'>,
  chief: string,
  done: AgentWork,
  added: number,
): Promise<void> {
  if (added > 0) night.standing.inVain.delete(chief);
  // A chief that may not be asked again is told of already, and whoever was killed has failed nobody.
  if (added > 0 || !mayAsk(night, chief) || night.standing.ending !== undefined || night.run.signal.aborted) return;
  night.standing.inVain.set(chief, (night.standing.inVain.get(chief) ?? 0) + 1);
  const why = done.kind === 'edited' || done.kind === 'said' ? wroteNothing : done.reason;
  await recordChiefInVain(night.run.org, chief, why, done.spent);
}

/** A critic or a checker was asked; what came of it is in the notebook. Who gives no answer so often in a row is stopped. */
export function noteOpinion(night: Pick<Night, 'run' | 'standing'>, agent: string, answered: boolean): void {
  if (!night.run.signal.aborted)
    night.standing.silent.set(agent, answered ? 0 : (night.standing.silent.get(agent) ?? 0) + 1);
}

/** Whether a chief that has just written nothing may yet: it is asked until the rules stop it. */
export const mayAsk = (night: Pick<Night, 'inForce' | 'standing'>, chief: string | undefined): boolean =>
  chief !== undefined &&
  isWatched(night.inForce, chief) &&
  !night.standing.halted.has(chief) &&
  !night.standing.spentUp.has(chief);

/** What a person has forgiven counts no more. */
export function forgive(night: Pick<Night, 'standing' | 'tally'>, agent: string): void {
  night.standing.strikes.delete(agent);
  night.standing.forgiven.set(agent, night.tally.experiments);
  night.standing.silent.delete(agent);
  night.standing.inVain.delete(agent);
}

function isWatched({ pinned }: NightInForce, agent: string): boolean {
  const { kind } = choiceOf(pinned.brief.staff, agent);
  return kind !== 'search' && kind !== 'human';
}

/** No more of the night than a restart would read again, or it would come to another result. */
const remembered = 1_000;

function tonight({
  tally: { memory, experiments },
  run: { runFrom },
}: Pick<Night, 'run' | 'tally'>): readonly Experiment[] {
  const from = Math.max(runFrom, experiments - remembered);
  return memory.experiments.filter((one) => one.n > from);
}

const chiefInWords = (times: number): string => `${times} times in a row ${wroteNothing}`;
