import type { Experiment } from '../words/experiment.ts';
import { managersAbove, may, memberOf, personAbove } from './chart.ts';
import type { Charter } from './charter.ts';
import { person } from './staff.ts';

export const escalationReasons = [
  'BLOCKED',
  'OUT_OF_DOMAIN',
  'OVER_BUDGET',
  'LOW_CONFIDENCE',
  'TIMEOUT',
  'DEPENDENCY',
] as const;

export type EscalationReason = (typeof escalationReasons)[number];

/** Each manager has so many cycles to answer, and so many managers are asked before a person is. */
const cyclesEach = 2;
const managersAsked = 2;

export interface EscalationAnswer {
  /** What is missing; another agent; on to the next manager; or the end of the spec. */
  readonly kind: 'context' | 'reassign' | 'escalate' | 'close';
  readonly text: string;
  /** Of `reassign`: to whom. */
  readonly to?: string | undefined;
}

/** An agent is stuck. The next to be asked, and when, is settled here: a chart that changes later does not rewrite what was. */
export interface Raised {
  readonly kind: 'raised';
  readonly id: string;
  /** Seconds since 1970. */
  readonly at: number;
  readonly spec: string;
  readonly by: string;
  readonly reason: EscalationReason;
  readonly text: string;
  /** The managers who are asked, the direct one first, and then the person. */
  readonly managers: readonly string[];
  readonly person: string;
  /** The promise of the policies that is broken, where that is why: the spec may well be worked on. */
  readonly rule?: string | undefined;
  /** When it goes to the first of them; undefined for when the spec's attempts are used up. */
  readonly sendAt: number | undefined;
}

/** What happened to escalations, oldest first, from commits. */
export type EscalationEvent =
  | Raised
  /** The holder of the spec makes no more attempts: they are used up, or it cannot go on. */
  | { readonly kind: 'exhausted'; readonly spec: string; readonly at: number }
  /** A turn of the manager who is asked went by without an answer. */
  | { readonly kind: 'cycle'; readonly id: string; readonly at: number; readonly by: string }
  | ({ readonly kind: 'answered'; readonly isPerson: boolean; readonly answer: EscalationAnswer } & Pick<
      Raised,
      'id' | 'at' | 'by'
    >)
  /** The spec has ended for another reason. */
  | { readonly kind: 'ended'; readonly spec: string; readonly at: number };

export type Stage =
  | { readonly kind: 'held'; readonly until: number | undefined }
  | { readonly kind: 'asked'; readonly manager: string; readonly cycle: number }
  | { readonly kind: 'person'; readonly person: string }
  | { readonly kind: 'answered'; readonly by: string; readonly at: number; readonly answer: EscalationAnswer }
  | { readonly kind: 'moot'; readonly at: number };

/** An agent is stuck, and a manager or a person has to answer. */
export interface Escalation {
  readonly kind: 'stuck';
  readonly id: string;
  readonly raised: Raised;
  /** What managers said who passed it on, oldest first. */
  readonly passedOn: readonly { readonly by: string; readonly text: string }[];
  readonly stage: Stage;
}

/** The event that begins an escalation, as chart and culture are now. */
export function raise(
  stuck: Pick<Raised, 'id' | 'at' | 'spec' | 'by' | 'reason' | 'text' | 'rule'>,
  charter: Pick<Charter, 'members' | 'people' | 'departments' | 'culture'>,
): Raised {
  const managers = managersAbove(charter, stuck.by).map(({ id }) => id);
  return {
    kind: 'raised',
    ...stuck,
    managers: managers.slice(0, managersAsked),
    person: personAbove(charter, stuck.by) ?? person,
    sendAt: sendAt(stuck, charter.culture.escalation.value),
  };
}

/** Every escalation as it stands at an instant, in the order in which they were raised. */
export function escalationsAt(events: readonly EscalationEvent[], now: number): readonly Escalation[] {
  const found = new Map<string, Course>();
  for (const event of events) {
    if (event.kind !== 'raised') for (const [id, course] of found) found.set(id, after(course, event));
    else if (!found.has(event.id)) found.set(event.id, begin(event));
  }
  return [...found].map(([id, course]) => {
    const { raised, passedOn } = course;
    return { kind: 'stuck', id, raised, passedOn, stage: stageOf(course, now) };
  });
}

/** Why an answer is refused; undefined where it may be recorded. People may answer at any time, also before it is sent. */
export function answerAgainst(
  { stage, raised }: Escalation,
  by: { readonly id: string; readonly isPerson: boolean },
  answer: EscalationAnswer,
  charter: Pick<Charter, 'members' | 'people' | 'departments' | 'policies'>,
): string | undefined {
  if (stage.kind === 'answered' || stage.kind === 'moot') return 'it has its answer already';
  const isAsked = stage.kind === 'asked' && stage.manager === by.id;
  if (!isAsked && !by.isPerson) return `${by.id} is not the one who is asked`;
  if (answer.kind === 'escalate') return isAsked ? undefined : 'above a person there is nobody to ask';
  if (answer.kind !== 'reassign') return undefined;
  const to = answer.to ?? '';
  if (memberOf(charter, to) === undefined) return `${to === '' ? 'nobody' : to} is not in the chart`;
  if (to === raised.by) return `${to} is the one who is stuck`;
  const manager = by.isPerson ? undefined : memberOf(charter, by.id);
  const permit = manager && may(manager, { act: 'delegate', to }, charter);
  return permit === undefined || permit.kind === 'allowed' ? undefined : permit.reason;
}

/** Whether an agent that returned a spec as outside its domain is excused: nobody has asked it to go on. */
export const isExcused = ({ raised, stage }: Escalation): boolean =>
  raised.reason === 'OUT_OF_DOMAIN' && !(stage.kind === 'answered' && stage.answer.kind === 'context');

/** Those who are excused, by spec. */
export function excusedIn(escalations: readonly Escalation[]): ReadonlyMap<string, readonly string[]> {
  const excused = new Map<string, readonly string[]>();
  for (const { raised } of escalations.filter(isExcused))
    if (raised.spec !== '') excused.set(raised.spec, [...(excused.get(raised.spec) ?? []), raised.by]);
  return excused;
}

/** An agent paused for its budget never uses its attempts up, and a promise is broken now, so neither of these is delayed. */
function sendAt(
  { at, reason, rule }: Pick<Raised, 'at' | 'reason' | 'rule'>,
  culture: 'immediate' | 'hourly' | 'delayed',
) {
  if (culture === 'hourly') return Math.ceil(at / 3600) * 3600;
  return culture === 'immediate' || reason === 'OVER_BUDGET' || rule !== undefined ? at : undefined;
}

interface Course extends Pick<Escalation, 'raised' | 'passedOn'> {
  /** Sent before its time, because its spec gets no more attempts. */
  readonly sent: boolean;
  /** How many managers are done with it, and how many cycles of the next went by. */
  readonly asked: number;
  readonly cycles: number;
  readonly end: Extract<Stage, { kind: 'answered' | 'moot' }> | undefined;
}

const begin = (raised: Raised): Course => ({ raised, passedOn: [], sent: false, asked: 0, cycles: 0, end: undefined });

/** What does not fit where an escalation stands is passed over: the word of somebody who is not asked changes nothing. */
function after(course: Course, event: Exclude<EscalationEvent, Raised>): Course {
  const { raised } = course;
  if (course.end !== undefined || ('id' in event ? event.id !== raised.id : event.spec !== raised.spec)) return course;
  if (event.kind === 'ended') return { ...course, end: { kind: 'moot', at: event.at } };
  if (event.kind === 'exhausted') return { ...course, sent: true };
  const stage = stageOf(course, event.at);
  const isAsked = stage.kind === 'asked' && stage.manager === event.by;
  if (event.kind === 'cycle') {
    if (!isAsked) return course;
    return course.cycles + 1 < cyclesEach ? { ...course, cycles: course.cycles + 1 } : passOn(course);
  }
  const { by, at, answer } = event;
  if (!isAsked && !event.isPerson) return course;
  if (answer.kind !== 'escalate') return { ...course, end: { kind: 'answered', by, at, answer } };
  return isAsked ? passOn({ ...course, passedOn: [...course.passedOn, { by, text: answer.text }] }) : course;
}

const passOn = (course: Course): Course => ({ ...course, asked: course.asked + 1, cycles: 0 });

function stageOf({ raised, sent, asked, cycles, end }: Course, now: number): Stage {
  if (end !== undefined) return end;
  // Commits know whole seconds: what follows in the second in which it was sent came after it all the same.
  const isHeld = raised.sendAt === undefined || now < Math.floor(raised.sendAt);
  if (!sent && isHeld) return { kind: 'held', until: raised.sendAt };
  const manager = raised.managers[asked];
  if (manager !== undefined) return { kind: 'asked', manager, cycle: cycles + 1 };
  return { kind: 'person', person: raised.person };
}

type Try = Pick<Experiment, 'event' | 'seconds' | 'merged' | 'part' | 'reason'>;

/** So many timeouts, one after the other, are no accident. */
const timeoutsInARow = 2;

/** Why a spec that has ended should be somebody else's concern, by what was tried; undefined where something won. */
export function stuckReason(tries: readonly Try[], why: string) {
  const own = tries.filter(({ merged, part, event }) => !merged && part === undefined && event !== 'void');
  if (own.some(({ event }) => event === 'keep')) return undefined;
  const last = own.slice(-timeoutsInARow);
  if (last.length === timeoutsInARow && last.every(({ event }) => event === 'timeout'))
    return { reason: 'TIMEOUT' as const, text: `the last ${timeoutsInARow} attempts ran out of time` };
  if (own.every(({ seconds }) => seconds === undefined))
    return {
      reason: 'BLOCKED' as const,
      text: own.length === 0 ? why : `nothing could be measured: ${own.at(-1)?.reason ?? why}`,
    };
  return {
    reason: 'LOW_CONFIDENCE' as const,
    text: `${own.length} attempts, and nothing won: ${own.at(-1)?.reason ?? ''}`,
  };
}

/** False once an escalation has its answer, or its spec has ended. */
export const isUnanswered = ({ stage }: Escalation): boolean => stage.kind !== 'answered' && stage.kind !== 'moot';

/** True for an escalation that no manager could answer, and for a broken promise until it is answered. */
export const isForPerson = (one: Escalation): boolean =>
  one.stage.kind === 'person' || (one.raised.rule !== undefined && isUnanswered(one));

/** `go on with 0007: …`: the title of the spec with which the work goes on. */
export const followUpTitle = (spec: string, title: string): string =>
  `go on with ${spec}: ${title.replace(/^go on with [0-9]{4,9}: /, '')}`;

export const isFollowUp = ({ title }: { readonly title: string }): boolean => /^go on with [0-9]{4,9}: /.test(title);

/** What an agent says with its last line: `ESCALATE BLOCKED: the data are missing`. */
export function escalationIn(line: string, reasons: readonly EscalationReason[]) {
  const [, word, words = ''] = /^ESCALATE[: ]+([A-Z_]+)\s*[:.-]?\s*(.*)$/.exec(line.trim()) ?? [];
  const reason = reasons.find((one) => one === word);
  return reason && { reason, words: words.trim() };
}
