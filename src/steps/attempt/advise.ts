import { choiceOf } from '../../domain/staff/staff.ts';
import { higherRisk, isAtLeast, riskOf } from '../../domain/words/spec.ts';
import { criticsFor, type Reviewer } from '../../org/rules/roster.ts';
import { nowInSeconds } from '../../process/pace.ts';
import { type NewTalk, readNotebook, sayInNotebook, type TalkEntry } from '../../records/notebook/notebook.ts';
import { acknowledge } from '../claim/claim.ts';
import type { AttemptParts, Night, RunConstants } from '../night/night.ts';
import { warn } from '../night/night-basics.ts';
import { consult, keepTrace, type Opinion } from './agent-task.ts';
import type { Bench } from './bench.ts';

/**
 * Before a spec is worked its holder acknowledges it, where the culture asks for that. One that may break things is talked
 * about: its holder says what it means to do, critics of another kind say what is wrong with that, and the holder answers
 * them with a second plan. All of it is in the notebook, so a run that goes on with a claim goes on with the talk as
 * well. Undefined when the claim was lost or the run cancelled.
 */
export async function advise(night: Night, handed: Bench): Promise<Bench | undefined> {
  const first = await acknowledge(night, handed);
  if (first === undefined) return undefined;
  const { spec, agent, pinned } = first.claim;
  const risk = higherRisk(first.claim.risk, riskOf(spec, pinned.brief));
  const critics = isAtLeast(risk, 'medium') ? criticsFor(pinned.brief.staff, agent) : [];
  if (critics.length === 0) return first;
  const said = [...((await readNotebook(night.run.org, spec.id))?.talk ?? [])];
  let bench = await plan(night, first, said, 1);
  for (const critic of critics) bench = bench && (await criticise(night, bench, critic, said));
  bench = bench && (await plan(night, bench, said, 2));
  return bench && { ...bench, claim: { ...bench.claim, advice: adviceIn(said) } };
}

const adviceIn = (said: readonly TalkEntry[]) => ({
  plan: said.findLast(({ event }) => event === 'plan')?.text ?? '',
  critiques: said.flatMap(({ event, text }) => (event === 'critique' && text !== '' ? [text] : [])),
});

/** The holder's plan: the first before the critics have spoken, the second after. A holder without a model has only the spec. */
async function plan(night: AttemptParts, bench: Bench, said: TalkEntry[], round: 1 | 2): Promise<Bench | undefined> {
  const { spec, agent, pinned } = bench.claim;
  const isPlanned = said.filter(({ event }) => event === 'plan').length >= round;
  const isModel = choiceOf(pinned.brief.staff, agent).kind === 'api';
  if (night.standing.ending !== undefined || isPlanned || !isModel) return bench;
  const opinion = await consult(night, pinned, bench.line, {
    ...{ role: 'planner', agent, spec, attempt: round },
    ...adviceIn(said),
  });
  const title = `${spec.id} ${round === 1 ? 'what is meant to be done' : 'the same after the critique'}`;
  return opinion && write(night.run, bench, said, { event: 'plan', agent, title, ...wordsOf(opinion) }, opinion);
}

async function criticise(
  night: AttemptParts,
  bench: Bench,
  { name }: Reviewer,
  said: TalkEntry[],
): Promise<Bench | undefined> {
  const hasSaid = said.some(({ event, agent }) => event === 'critique' && agent === name);
  if (night.standing.ending !== undefined || hasSaid) return bench;
  const { spec, pinned } = bench.claim;
  const { plan: text } = adviceIn(said);
  const wanted = { role: 'critic', agent: name, spec, plan: text } as const;
  const opinion = await consult(night, pinned, bench.line, wanted);
  if (opinion === undefined) return undefined;
  const isSaid = opinion.kind === 'said';
  // The work goes on without it; a change of high risk is reviewed anyway.
  if (!isSaid) warn(night.run, `${name} could not say anything of the plan: ${opinion.reason}`);
  const title = `${spec.id} by ${name}${isSaid ? '' : ', no answer'}`;
  return write(night.run, bench, said, { event: 'critique', agent: name, title, ...wordsOf(opinion) }, opinion);
}

/** A critic that failed to say anything is written down as well: what it cost was spent. */
const wordsOf = ({ spent, ...opinion }: Opinion): Pick<NewTalk, 'text' | 'spent' | 'reason'> =>
  opinion.kind === 'said' ? { text: opinion.text, spent } : { text: '', spent, reason: opinion.reason };

async function write(
  run: RunConstants,
  bench: Bench,
  said: TalkEntry[],
  one: NewTalk,
  opinion: Opinion,
): Promise<Bench | undefined> {
  const { spec } = bench.claim;
  const line = await sayInNotebook(run.org, spec.id, bench.line, one);
  if (line === undefined) return undefined;
  said.push({ ...one, at: nowInSeconds(), cause: undefined, approves: undefined, by: undefined });
  const { event, agent, text, reason } = one;
  keepTrace(run, opinion, { spec: spec.id, agent, n: undefined, commit: line.tip });
  run.say({ kind: 'said', at: nowInSeconds(), event, agent, spec: spec.id, text: reason ?? text });
  return { ...bench, line };
}
