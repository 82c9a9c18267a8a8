import {
  type Escalation,
  type EscalationAnswer,
  type EscalationEvent,
  escalationReasons,
  escalationsAt,
  excusedIn,
  followUpTitle,
  isUnanswered,
  type Raised,
  raise,
} from '../../domain/staff/escalation.ts';
import { person } from '../../domain/staff/staff.ts';
import { isKept } from '../../domain/words/experiment.ts';
import type { Ledger } from '../../domain/words/ledger.ts';
import { type Draft, type Spec, specFileName, specIdOf } from '../../domain/words/spec.ts';
import type { BookEntry } from '../entry.ts';
import { readNotebook } from '../notebook/notebook.ts';
import type { Org } from '../org.ts';
import { formatSpec } from '../queue/spec-text.ts';
import { actsOf, isPersons, listOf, nextId, writeAct } from './act-log.ts';
import { refuseStale } from './decision-state.ts';
import { type SignedStatement, statementParts } from './statement-files.ts';

/** Every escalation as it is now, oldest first. */
export async function readEscalations(org: Org, now: number): Promise<readonly Escalation[]> {
  const { acts } = await actsOf(org);
  const events: EscalationEvent[] = [];
  for (const event of acts.flatMap(eventOf)) {
    events.push(event);
    if (event.kind !== 'raised' || event.sendAt !== undefined) continue;
    // The notebook says that a spec gets no more attempts; before that nothing can have happened to the escalation.
    const notebook = await readNotebook(org, event.spec);
    if (notebook?.done) events.push({ kind: 'exhausted', spec: event.spec, at: Math.max(event.at, notebook.lastAt) });
  }
  const open = escalationsAt(events, now).filter(isUnanswered);
  const settled = await Promise.all(open.map(({ raised }) => settledBy(org, raised)));
  return escalationsAt([...events, ...settled.flat()], now);
}

/** The escalations that a manager is asked about now. */
export const readAsked = async (org: Org, now: number): Promise<readonly Escalation[]> =>
  (await readEscalations(org, now)).filter(({ stage }) => stage.kind === 'asked');

/** A spec with a later win needs no answer; a broken promise stays broken. */
async function settledBy(org: Org, { spec, at, rule }: Raised): Promise<readonly EscalationEvent[]> {
  const notebook = spec === '' || rule !== undefined ? undefined : await readNotebook(org, spec);
  const isKeptSince = notebook?.done && notebook.experiments.some((one) => isKept(one) && one.at > at);
  return isKeptSince ? [{ kind: 'ended', spec, at: notebook.lastAt }] : [];
}

/** The agents that returned each spec as outside their domain and were not asked to go on. An answer counts at any time: no clock is read. */
export const readExcused = async (org: Org, { acts }: Pick<Ledger, 'acts'>): Promise<Excused> =>
  acts === 0 ? new Map() : excusedIn(await readEscalations(org, Number.POSITIVE_INFINITY));

type Excused = ReturnType<typeof excusedIn>;

/** Writes that an agent is stuck; undefined if it said so of this spec before, or the same promise was broken for it. */
export async function writeRaised(
  org: Org,
  stuck: Omit<Parameters<typeof raise>[0], 'id'>,
  charter: Parameters<typeof raise>[1],
): Promise<Raised | undefined> {
  let raised: Raised | undefined;
  await writeAct(org, (acts) => {
    const isSame = (act: BookEntry): boolean =>
      act.event === 'escalate' &&
      act.get('Rule') === stuck.rule &&
      (stuck.rule !== undefined || act.get('Agent') === stuck.by) &&
      (act.get('Spec') ?? '') === stuck.spec;
    // An agent without a spec may be stuck again another day.
    const isOfDay = (act: BookEntry): boolean => stuck.at - act.commit.committer.at < 86_400;
    raised = undefined;
    if (acts.some((act) => isSame(act) && (stuck.spec !== '' || isOfDay(act)))) return undefined;
    raised = raise({ id: nextId(acts, 'Escalation', 'E'), ...stuck }, charter);
    const { id, spec, by, reason, text, managers, sendAt } = raised;
    return {
      event: 'escalate',
      agent: by,
      title: `escalate: ${id} ${reason}, ${by}${spec === '' ? '' : ` with ${spec}`}`,
      body: text,
      trailers: {
        ...{ Escalation: id, Spec: spec || undefined, Agent: by, Reason: reason },
        ...{ To: managers.join(', '), Person: raised.person, Send: sendAt, Rule: raised.rule },
      },
    };
  });
  return raised;
}

/** Writes that a manager was asked and did not answer. */
export const writeCycle = (org: Org, { id, raised }: Escalation, manager: string, why: string): Promise<void> =>
  writeAct(org, () => ({
    event: 'cycle',
    agent: 'orgrepo',
    title: `cycle: ${id}, ${manager} did not answer`,
    trailers: { Escalation: id, Agent: manager, Spec: raised.spec || undefined, Reason: why },
  }));

/** Writes an answer of a manager or a person, and in the same commit the spec with which the work goes on, if it does. */
export async function answerEscalation(
  org: Org,
  { id, raised }: Escalation,
  by: { readonly id: string; readonly isPerson: boolean },
  answer: EscalationAnswer,
  signed?: SignedStatement,
): Promise<Spec | undefined> {
  const draft = await draftAfter(org, raised, by.id, answer);
  const { files, trailers } = statementParts(id, signed);
  let follow: Spec | undefined;
  await writeAct(org, (_, queue, state) => {
    if (signed !== undefined) refuseStale(state, signed, id);
    follow = draft && { ...draft, id: specIdOf(queue.ledger.specs + 1) };
    const to = answer.kind === 'reassign' ? answer.to : undefined;
    return {
      event: 'answer',
      ...(by.isPerson ? {} : { agent: by.id }),
      title: `answer: ${id}, ${answerInWords(answer)}`,
      body: answer.text,
      files: new Map([...files, ...(follow ? [[`specs/${specFileName(follow)}`, formatSpec(follow)] as const] : [])]),
      ledger: follow === undefined ? {} : { specs: queue.ledger.specs + 1 },
      trailers: {
        ...trailers,
        ...{ Escalation: id, Spec: raised.spec || undefined, By: by.id, Answer: answer.kind, To: to },
        ...{ Follow: follow?.id, For: follow && (to ?? raised.by) },
      },
    };
  });
  return follow;
}

/** The agent that an answer gave each spec to. */
export async function readAssignments(
  org: Org,
): Promise<ReadonlyMap<string, { readonly to: string; readonly kind: string }>> {
  const given = (await actsOf(org)).acts.flatMap((act) => {
    const [spec, to] = [act.get('Follow'), act.get('For')];
    return spec === undefined || to === undefined ? [] : [[spec, { to, kind: act.get('Answer') ?? '' }] as const];
  });
  return new Map(given);
}

export const answerInWords = ({ kind, to }: EscalationAnswer): string =>
  ({ context: 'with what was missing', reassign: `for ${to}`, escalate: 'further up', close: 'no more of it' })[kind];

async function draftAfter(org: Org, raised: Raised, by: string, answer: EscalationAnswer): Promise<Draft | undefined> {
  if (answer.kind !== 'context' && answer.kind !== 'reassign') return undefined;
  const notebook = raised.spec === '' ? undefined : await readNotebook(org, raised.spec);
  const isWorkedOn = raised.rule !== undefined || raised.reason === 'OVER_BUDGET'; // By others, who have something left to spend.
  if (notebook === undefined || (isWorkedOn && !notebook.done)) return undefined;
  const { title, risk, domain, priority } = notebook;
  const said = [
    ...(answer.text === '' ? [] : [`# What ${by} says\n\n${answer.text}`]),
    `# Where it stood\n\n${raised.by} was stuck with ${raised.spec} (${raised.id}, ${raised.reason}): ${raised.text}`,
    notebook.body,
  ];
  const follow = followUpTitle(raised.spec, title).slice(0, 200);
  return { title: follow, by, attempts: undefined, risk, domain, priority, body: said.join('\n\n') };
}

function eventOf(entry: BookEntry): readonly EscalationEvent[] {
  const id = entry.get('Escalation');
  if (id === undefined) return [];
  const { at } = entry.commit.committer;
  const by = entry.get('Agent') ?? '';
  if (entry.event === 'cycle') return [{ kind: 'cycle', id, at, by }];
  if (entry.event === 'answer') return answeredIn(entry, id, at);
  const reason = escalationReasons.find((one) => one === entry.get('Reason'));
  if (entry.event !== 'escalate' || reason === undefined) return [];
  return [
    {
      ...{ kind: 'raised', id, at, by, reason, spec: entry.get('Spec') ?? '', text: entry.body },
      managers: listOf(entry, 'To'),
      person: entry.get('Person') ?? person,
      sendAt: entry.number('Send'),
      rule: entry.get('Rule'),
    },
  ];
}

/** The author of the commit tells who answered: a manager's answer is written in the manager's name. */
function answeredIn(entry: BookEntry, id: string, at: number): readonly EscalationEvent[] {
  const kind = (['context', 'reassign', 'escalate', 'close'] as const).find((one) => one === entry.get('Answer'));
  if (kind === undefined) return [];
  const isPerson = isPersons(entry);
  const by = isPerson ? (entry.get('By') ?? '') : entry.commit.author.name;
  return [{ kind: 'answered', id, at, by, isPerson, answer: { kind, text: entry.body, to: entry.get('To') } }];
}
