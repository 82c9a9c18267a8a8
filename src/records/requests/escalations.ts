import {
  type Escalation,
  type EscalationAnswer,
  type EscalationEvent,
  type EscalationReason,
  escalationReasons,
  escalationsAt,
  excusedIn,
  type Raised,
  raise,
} from '../../domain/staff/escalation.ts';
import { person } from '../../domain/staff/staff.ts';
import { isKept } from '../../domain/words/experiment.ts';
import { type Draft, type Spec, specFileName, specIdOf } from '../../domain/words/spec.ts';
import type { BookEntry } from '../entry.ts';
import { readNotebook } from '../notebook/notebook.ts';
import type { Org } from '../org.ts';
import { formatSpec } from '../queue/spec-text.ts';
import { actsOf, isPersons, nextId, writeAct } from './act-log.ts';

/** Every escalation as it stands, oldest first. */
export async function readEscalations(org: Org, now: number): Promise<readonly Escalation[]> {
  const { acts } = await actsOf(org);
  const events: EscalationEvent[] = [];
  for (const event of acts.flatMap(eventOf)) {
    events.push(event);
    if (event.kind !== 'raised' || event.sendAt !== undefined) continue;
    // That a spec gets no more attempts stands in its notebook; nothing can have happened to the escalation before.
    const notebook = await readNotebook(org, event.spec);
    if (notebook?.done) events.push({ kind: 'exhausted', spec: event.spec, at: Math.max(event.at, notebook.lastAt) });
  }
  const standing = escalationsAt(events, now);
  const settled = await Promise.all(standing.filter(isOpen).map((one) => settledBy(org, one.raised)));
  return escalationsAt([...events, ...settled.flat()], now);
}

const isOpen = ({ stage }: Escalation): boolean => stage.kind !== 'answered' && stage.kind !== 'moot';

/** A spec that came to something after all leaves nothing to be answered; a promise that was broken stays broken. */
async function settledBy(org: Org, { spec, at, rule }: Raised): Promise<readonly EscalationEvent[]> {
  const notebook = spec === '' || rule !== undefined ? undefined : await readNotebook(org, spec);
  const isKeptSince = notebook?.done && notebook.experiments.some((one) => isKept(one) && one.at > at);
  return isKeptSince ? [{ kind: 'ended', spec, at: notebook.lastAt }] : [];
}

/** Who gave which specs back as none of their field, and was not told to go on. An answer is one at any time, so no clock is asked. */
export const readExcused = async (org: Org): Promise<ReadonlyMap<string, readonly string[]>> =>
  excusedIn(await readEscalations(org, Number.POSITIVE_INFINITY));

/** Writes down that an agent is stuck; undefined when it said so of this spec before, or the same promise for it was broken. */
export async function writeRaised(
  org: Org,
  stuck: Pick<Raised, 'at' | 'spec' | 'by' | 'reason' | 'text' | 'rule'>,
  charter: Parameters<typeof raise>[1],
): Promise<Raised | undefined> {
  let raised: Raised | undefined;
  await writeAct(org, (acts) => {
    const isSame = (act: BookEntry): boolean =>
      act.event === 'escalate' &&
      act.get('Rule') === stuck.rule &&
      (stuck.rule !== undefined || act.get('Agent') === stuck.by) &&
      (act.get('Spec') ?? '') === stuck.spec;
    raised = undefined;
    if (acts.some((act) => isSame(act) && (stuck.spec !== '' || isOfDay(act, stuck.at)))) return undefined;
    raised = raise({ id: nextId(acts, 'Escalation', 'E'), ...stuck }, charter);
    const { id, spec, by, reason, text, managers, sendAt } = raised;
    return {
      event: 'escalate',
      agent: by,
      title: `escalate: ${id} ${reason}, ${by}${spec === '' ? '' : ` with ${spec}`}`,
      body: text,
      trailers: {
        ...{ Escalation: id, Spec: spec === '' ? undefined : spec, Agent: by, Reason: reason },
        ...{ To: managers.join(', '), Person: raised.person, Send: sendAt, Rule: raised.rule },
      },
    };
  });
  return raised;
}

/** Whoever has no spec may be stuck again another day. */
const isOfDay = (act: BookEntry, at: number): boolean => at - act.commit.committer.at < 86_400;

/** Writes down that a manager was asked, and did not answer. */
export const writeCycle = (org: Org, { raised }: Escalation, manager: string, why: string): Promise<void> =>
  writeAct(org, () => ({
    event: 'cycle',
    agent: 'orgrepo',
    title: `cycle: ${raised.id}, ${manager} did not answer`,
    trailers: { Escalation: raised.id, Agent: manager, Spec: raised.spec || undefined, Reason: why },
  }));

/**
 * Writes an answer down, and in the same commit the spec with which the work goes on, where there is to be one. `by` is a manager, or
 * a person who speaks for themselves.
 */
export async function writeAnswer(
  org: Org,
  { raised }: Escalation,
  by: { readonly id: string; readonly isPerson: boolean },
  answer: EscalationAnswer,
): Promise<Spec | undefined> {
  const draft = await draftAfter(org, raised, by.id, answer);
  let follow: Spec | undefined;
  await writeAct(org, (_, queue) => {
    follow = draft && { ...draft, id: specIdOf(queue.ledger.specs + 1) };
    const to = answer.kind === 'reassign' ? answer.to : undefined;
    return {
      event: 'answer',
      ...(by.isPerson ? {} : { agent: by.id }),
      title: `answer: ${raised.id}, ${inWords(answer)}`,
      body: answer.text,
      files: new Map(follow === undefined ? [] : [[`specs/${specFileName(follow)}`, formatSpec(follow)]]),
      ledger: follow === undefined ? {} : { specs: queue.ledger.specs + 1 },
      trailers: {
        ...{ Escalation: raised.id, Spec: raised.spec || undefined, By: by.id, Answer: answer.kind, To: to },
        ...{ Follow: follow?.id, For: follow === undefined ? undefined : (to ?? raised.by) },
      },
    };
  });
  return follow;
}

/** Whom an answer has given a spec to, by the spec. */
export async function assignments(
  org: Org,
): Promise<ReadonlyMap<string, { readonly to: string; readonly kind: string }>> {
  const { acts } = await actsOf(org);
  return new Map(
    acts.flatMap((act) => {
      const [spec, to] = [act.get('Follow'), act.get('For')];
      return spec === undefined || to === undefined ? [] : [[spec, { to, kind: act.get('Answer') ?? '' }] as const];
    }),
  );
}

export const inWords = ({ kind, to }: EscalationAnswer): string =>
  ({ context: 'with what was missing', reassign: `for ${to}`, escalate: 'further up', close: 'no more of it' })[kind];

const wentOn = /^go on with [0-9]{4,9}: /;

async function draftAfter(org: Org, raised: Raised, by: string, answer: EscalationAnswer): Promise<Draft | undefined> {
  if (answer.kind !== 'context' && answer.kind !== 'reassign') return undefined;
  const notebook = raised.spec === '' ? undefined : await readNotebook(org, raised.spec);
  const isWorkedOn = raised.rule !== undefined || raised.reason === 'OVER_BUDGET'; // By others, who have something left to spend.
  if (notebook === undefined || (isWorkedOn && !notebook.done)) return undefined;
  const said = [
    ...(answer.text === '' ? [] : [`# What ${by} says\n\n${answer.text}`]),
    `# Where it stood\n\n${raised.by} was stuck with ${raised.spec} (${raised.id}, ${raised.reason}): ${raised.text}`,
    notebook.body,
  ];
  return {
    title: `go on with ${raised.spec}: ${notebook.title.replace(wentOn, '')}`.slice(0, 200),
    ...{ by, attempts: undefined, risk: notebook.risk, body: said.join('\n\n') },
    ...{ domain: notebook.domain, priority: notebook.priority }, // It is the same work, as urgent as it was.
  };
}

function eventOf(entry: BookEntry): readonly EscalationEvent[] {
  const id = entry.get('Escalation');
  if (id === undefined) return [];
  const { at } = entry.commit.committer;
  const agent = entry.get('Agent') ?? '';
  const reason = escalationReasons.find((one) => one === entry.get('Reason'));
  switch (entry.event) {
    case 'escalate':
      return reason === undefined ? [] : [raisedIn(entry, { id, at, by: agent, reason })];
    case 'cycle':
      return [{ kind: 'cycle', id, at, by: agent }];
    case 'answer':
      return answeredIn(entry, id, at);
    default:
      return [];
  }
}

const raisedIn = (
  entry: BookEntry,
  known: { readonly id: string; readonly at: number; readonly by: string; readonly reason: EscalationReason },
): Raised => ({
  ...{ kind: 'raised', ...known, spec: entry.get('Spec') ?? '', text: entry.body },
  managers: (entry.get('To') ?? '').split(', ').filter((name) => name !== ''),
  person: entry.get('Person') ?? person,
  sendAt: entry.number('Send'),
  rule: entry.get('Rule'),
});

/** In whose name the commit is says who answered: a manager's word is written in the manager's. */
function answeredIn(entry: BookEntry, id: string, at: number): readonly EscalationEvent[] {
  const kind = (['context', 'reassign', 'escalate', 'close'] as const).find((one) => one === entry.get('Answer'));
  if (kind === undefined) return [];
  const isPerson = isPersons(entry);
  const by = isPerson ? (entry.get('By') ?? '') : entry.commit.author.name;
  return [{ kind: 'answered', id, at, by, isPerson, answer: { kind, text: entry.body, to: entry.get('To') } }];
}
