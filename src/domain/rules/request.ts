import type { Person } from '../staff/charter.ts';
import type { Escalation } from '../staff/escalation.ts';
import { idFrom } from '../staff/role-name.ts';
import type { Experiment } from '../words/experiment.ts';

/** Something that waits for a person. People type the `id`: `17`, `A3` or `E3`. */
export type Request = KeepRequest | ActRequest | Escalation | Notice;

/** A win that a person approves or denies. */
export interface KeepRequest {
  readonly kind: 'keep';
  readonly id: string;
  readonly experiment: Experiment;
  /** False for a win that goes to best without a person. */
  readonly waits: boolean;
  /** What a person said of it. A run acts on that. */
  readonly answer: KeepAnswer | undefined;
}

export interface KeepAnswer {
  readonly approves: boolean;
  readonly by: string;
  readonly reason: string;
}

/** An act that a person approves before it is done. */
export interface ActRequest {
  readonly kind: 'act';
  readonly id: string;
  readonly asked: AskedAct;
  readonly stage: RequestStage;
}

/** Something that only a person can do, and what to type. It ends by itself, so it has no id. */
export interface Notice extends NeedsYou {
  readonly kind: 'notice';
  /** A run met it, or a limit of a period is nearly used up. */
  readonly of: 'run' | 'limit';
}

export interface NeedsYou {
  readonly what: string;
  readonly command: string;
}

/** How long a request waits for its answer, and how long a yes may be used. After a day it is asked again. */
export const requestSeconds = 24 * 3600;

/** An act as it is asked about. */
export interface AskedAct {
  readonly kind: 'asked';
  /** `A3`. */
  readonly id: string;
  readonly at: number;
  readonly until: number;
  /** The same for the very same act, and for no other. */
  readonly key: string;
  /** The agent that asked first. */
  readonly agent: string;
  /** All that asked for it before anybody answered, in that order: an answer is for these. */
  readonly agents: readonly string[];
  /** What policies call it: `tool`, `spend`, `spawn`, or `overage` for more than a period allows. */
  readonly act: string;
  /** The act in words. */
  readonly words: string;
  readonly reason: string;
  /** Everybody who has to say yes; empty for anybody who may approve such acts. */
  readonly by: readonly string[];
  /** What it may cost at most, in dollars, where that is known. */
  readonly usd: number | undefined;
  /** The decision of policies that wants it. */
  readonly decision: string | undefined;
}

/** What happened to requests, oldest first, from commits of people and of orgrepo. */
export type RequestEvent =
  | AskedAct
  /** `as` are the names that a person's word counts for. */
  | { readonly kind: 'approved'; readonly id: string; readonly at: number; readonly as: readonly string[] }
  | { readonly kind: 'denied'; readonly id: string; readonly at: number; readonly reason: string }
  | { readonly kind: 'used'; readonly id: string; readonly at: number; readonly agent: string };

type RequestStage =
  | { readonly kind: 'waits'; readonly lacks: readonly string[] }
  | { readonly kind: 'approved'; readonly as: readonly string[]; readonly until: number }
  | { readonly kind: 'denied'; readonly reason: string; readonly until: number }
  | { readonly kind: 'used'; readonly at: number; readonly as: readonly string[]; readonly agent: string }
  | { readonly kind: 'expired' };

/** Every act that was asked about as it is at an instant, in the order of asking. */
export function requestsAt(events: readonly RequestEvent[], now: number): readonly ActRequest[] {
  const found = new Map<string, { asked: AskedAct; said: Exclude<RequestEvent, AskedAct>[] }>();
  for (const event of events) {
    const one = found.get(event.id);
    if (event.kind !== 'asked') one?.said.push(event);
    else if (one === undefined) found.set(event.id, { asked: event, said: [] });
    else if (one.said.length === 0 && one.asked.key === event.key)
      one.asked = { ...one.asked, agents: [...new Set([...one.asked.agents, event.agent])] };
  }
  return [...found].map(([id, { asked, said }]) => ({ kind: 'act', id, asked, stage: stageOf(asked, said, now) }));
}

/** A word that comes too late, after another no or after its use, changes nothing. */
function stageOf(asked: AskedAct, said: readonly Exclude<RequestEvent, AskedAct>[], now: number): RequestStage {
  const as = new Set<string>();
  let until = asked.until;
  const lacking = (): readonly string[] => asked.by.filter((name) => !as.has(name));
  const isApproved = (): boolean => as.size > 0 && lacking().length === 0;
  for (const one of said) {
    if (one.at > until) break;
    if (one.kind === 'denied') {
      const denied = { kind: 'denied', reason: one.reason, until: one.at + requestSeconds } as const;
      return now > denied.until ? { kind: 'expired' } : denied;
    }
    if (one.kind === 'used') {
      if (isApproved()) return { kind: 'used', at: one.at, as: [...as].sort(), agent: one.agent };
      continue;
    }
    for (const name of one.as) as.add(name);
    until = one.at + requestSeconds;
  }
  if (now > until) return { kind: 'expired' };
  return isApproved() ? { kind: 'approved', as: [...as].sort(), until } : { kind: 'waits', lacks: lacking() };
}

/** The people whose approval a request still lacks. */
export const lackingOf = ({ stage }: ActRequest): readonly string[] => (stage.kind === 'waits' ? stage.lacks : []);

/** Where a file names no people, anybody at the keyboard is meant. */
const anybody = 'human-principal';

export const isAnybody = ({ id }: Pick<Person, 'id'>): boolean => id === anybody;

/** What git knows of somebody. */
export interface GitPerson {
  readonly name: string;
  readonly email: string;
}

/** The one of the org's people who is speaking: by their address in git, else by the name that git has of them. */
export function speakerIn(people: readonly Person[], { name, email }: GitPerson): Person | undefined {
  const listed = people.find((person) => isListed(person, email));
  if (listed !== undefined) return listed;
  // A person with addresses of their own is known by these alone.
  const others = people.filter(({ addresses }) => addresses.length === 0);
  return personCalled(others, [name, email.split('@')[0] ?? '']) ?? people.find(isAnybody);
}

/** Whether ORG.md lists this address in git under a person. */
export const isListed = ({ addresses }: Pick<Person, 'addresses'>, email: string): boolean =>
  addresses.includes(email.toLowerCase());

/** The person with one of these names or ids. */
export function personCalled(people: readonly Person[], words: readonly string[]): Person | undefined {
  const slugs = words.flatMap((word) => idFrom(word) ?? []);
  return people.find((person) => slugs.includes(person.id) || slugs.includes(idFrom(person.name) ?? ''));
}

/** For which of the names that a request wants a person's word counts; empty where they may not say yes to it. */
export function coveredBy(
  { id, name, approves }: Pick<Person, 'id' | 'name' | 'approves'>,
  { by, act }: Pick<AskedAct, 'by' | 'act'>,
): readonly string[] {
  const own = [id, idFrom(name) ?? id];
  const covers = (wanted: string): boolean =>
    approves.includes('*') || own.includes(slug(wanted)) || approves.some((one) => slug(one) === slug(wanted));
  if (by.length === 0) return covers(act) ? [id] : [];
  // `person` is what Rego says where anybody who may approve will do.
  return by.filter((wanted) => (wanted === 'person' ? covers(act) || covers(wanted) : covers(wanted)));
}

/** The people of the org who may say yes to it: for a refusal. */
export const mayApprove = (
  people: readonly Pick<Person, 'id' | 'name' | 'approves'>[],
  asked: Pick<AskedAct, 'by' | 'act'>,
): readonly string[] => people.filter((person) => coveredBy(person, asked).length > 0).map(({ id }) => id);

/** Words that stand for the same kind of act: people write payments, policies say spend. */
const alike: Readonly<Record<string, string>> = {
  ...{ payments: 'spend', payment: 'spend', spending: 'spend', budget: 'overage', budgets: 'overage' },
  ...{ hiring: 'spawn', spawning: 'spawn', agents: 'spawn', tools: 'tool', landing: 'land', messages: 'message' },
};

function slug(word: string): string {
  const id = idFrom(word) ?? word;
  return alike[id] ?? id;
}
