import type { Person } from '../staff/charter.ts';
import { idFrom } from '../staff/role-name.ts';
import { coveredBy, isAnybody } from './request.ts';

/** What a person decides, in the words that their key signs. */
export interface Statement {
  /** The org that it is for, by the first commit that its checkpoints name. */
  readonly org: string;
  readonly kind: StatementKind;
  readonly about: readonly Subject[];
  /** The tree of policies that were in force. */
  readonly policies: string | undefined;
  /** The people who may decide from now on. Only a statement that applies an org has them. */
  readonly rights: Rights | undefined;
  /** The public key of the machine on which the person decides. What that machine signs is known from then on. */
  readonly machine: string | undefined;
  readonly by: string;
  /** Seconds since 1970. It counts only if it is on the queue by then. */
  readonly until: number;
  /** One line. */
  readonly note: string;
}

export const statementKinds = ['approve', 'deny', 'answer', 'freeze', 'thaw', 'apply'] as const;
export type StatementKind = (typeof statementKinds)[number];

/** One thing that a statement is about. */
export interface Subject {
  /** `A3`, `E3`, `17`, or `org`. */
  readonly id: string;
  /** The commit that asks for a decision, or that the decision follows. */
  readonly ask: string | undefined;
  /** The key of the act, the tree of the org, or what else is decided. */
  readonly act: string;
  /** The agents that it covers. */
  readonly agents: readonly string[];
}

/** The people who may decide, as an org that was applied lists them. */
export interface Rights {
  /** The file `allowed_signers`; undefined where nothing is signed any more. */
  readonly signers: string | undefined;
  readonly people: readonly RightsOfPerson[];
}

/** Names and words of rights are written as ids. */
export interface RightsOfPerson extends Pick<Person, 'id' | 'approves' | 'mayPause' | 'addresses'> {
  readonly name: string;
}

const first = 'orgrepo-statement 1';
const none = 'none';

/** Plain lines, so that people can read what they sign, and `ssh-keygen -Y verify` checks it without orgrepo. */
export function formatStatement(statement: Statement): string {
  const { org, kind, about, policies, rights, machine, by, until, note } = statement;
  const subjects = about.flatMap(({ id, ask, act, agents }) => [
    ...[`about ${id}`, `ask ${ask ?? none}`, `act ${act}`],
    ...(agents.length === 0 ? [] : [`for ${agents.join(',')}`]),
  ]);
  return [
    ...[first, `org ${org}`, `kind ${kind}`, ...subjects, `policies ${policies ?? none}`],
    ...(rights === undefined ? [] : formatRights(rights)),
    ...[`machine ${machine ?? none}`, `by ${by}`, `until ${until}`, `note ${note}`, ''],
  ].join('\n');
}

/** Whose keys count, and a line for each person. */
export const formatRights = ({ signers, people }: Rights): readonly string[] => [
  `signers ${signers ?? none}`,
  ...people.map(formatPersonsRights),
];

/** Undefined for anything else than what was formatted, to the byte. */
export function parseStatement(text: string): Statement | undefined {
  const lines = text.split('\n').map((line): readonly [string, string] => {
    const at = line.indexOf(' ');
    return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
  });
  const value = (key: string): string => lines.find(([name]) => name === key)?.[1] ?? '';
  const orNone = (word: string): string | undefined => (word === none ? undefined : word);
  const about: Subject[] = [];
  for (const [key, word] of lines) {
    const last = about.at(-1);
    if (key === 'about') about.push({ id: word, ask: undefined, act: '', agents: [] });
    else if (last !== undefined && key === 'ask') about.splice(-1, 1, { ...last, ask: orNone(word) });
    else if (last !== undefined && key === 'act') about.splice(-1, 1, { ...last, act: word });
    else if (last !== undefined && key === 'for') about.splice(-1, 1, { ...last, agents: word.split(',') });
  }
  const kind = statementKinds.find((one) => one === value('kind'));
  if (kind === undefined || about.length === 0) return undefined;
  const people = lines.flatMap(([key, words]) => (key === 'person' ? [readPersonsRights(words)] : []));
  const rights = kind === 'apply' ? { signers: orNone(value('signers')), people } : undefined;
  const known = { kind, about, rights, org: value('org'), by: value('by'), until: Number(value('until')) };
  const [policies, machine] = [value('policies'), value('machine')].map(orNone);
  const statement = { ...known, policies, machine, note: value('note') };
  return formatStatement(statement) === text ? statement : undefined;
}

/** `person ada * pause ada ada@example.org`: the id, what they approve, whether they may pause, their name and their addresses. */
const formatPersonsRights = ({ id, approves, mayPause, name, addresses }: RightsOfPerson): string =>
  ['person', id, approves.join(',') || none, mayPause ? 'pause' : none, name, addresses.join(',') || none].join(' ');

function readPersonsRights(words: string): RightsOfPerson {
  const [id = '', approves = none, pause = none, name = '', addresses = none] = words.split(' ');
  const list = (text: string): readonly string[] => (text === none ? [] : text.split(','));
  return { id, approves: list(approves), mayPause: pause === 'pause', name, addresses: list(addresses) };
}

/** What ORG.md says of its people, as a statement says it. Where it names none, every signer may decide everything. */
export const rightsOf = (people: readonly Person[]): readonly RightsOfPerson[] =>
  people
    .filter((one) => !isAnybody(one))
    .map(({ id, name, approves, mayPause, addresses }) => ({
      ...{ id, mayPause, addresses, name: idFrom(name) ?? id },
      approves: approves.flatMap((word) => (word === '*' ? word : (idFrom(word) ?? []))),
    }));

/** The person of the org whose key this is, by the names that `allowed_signers` has for it. */
export const personSigning = (
  people: readonly RightsOfPerson[],
  names: readonly string[],
): RightsOfPerson | undefined =>
  people.find(({ id, addresses }) => names.some((name) => name === id || addresses.includes(name.toLowerCase())));

/** What a decision must be about to count where it stands. */
export interface Expected {
  readonly org: string;
  readonly kind: StatementKind;
  readonly subject: Subject;
  readonly policies: string | undefined;
  readonly people: readonly RightsOfPerson[];
  /** When it came to the queue. */
  readonly at: number;
  /** By whom the commit says that it is, and for which names it says that it counts. */
  readonly by: string;
  readonly as?: readonly string[];
  readonly asked?: Parameters<typeof coveredBy>[1];
}

/** Why a statement of this signer does not decide what stands there; undefined when it does. */
export function refuseStatement(
  { org, kind, about, policies, by, until }: Statement,
  signer: readonly string[],
  expected: Expected,
): string | undefined {
  const { subject, people, asked } = expected;
  const own = about.find(({ id }) => id === subject.id);
  const person = personSigning(people, signer);
  const named = people.length === 0 ? signer.includes(by) : person?.id === by;
  if (org !== expected.org) return `it is for another org (${org.slice(0, 7)})`;
  if (kind !== expected.kind) return `it is a statement to ${kind}`;
  if (own === undefined) return `it is about ${about.map(({ id }) => id).join(', ')}, not ${subject.id}`;
  if (own.ask !== subject.ask) return `it answers another request than ${subject.id} (${own.ask?.slice(0, 7) ?? none})`;
  if (own.act !== subject.act) return `it is about another act than ${subject.id}`;
  if (own.agents.join() !== subject.agents.join())
    return `it covers ${own.agents.join(', ')}, and ${subject.agents.join(', ')} asked`;
  // An org that is applied brings its own policies.
  if (kind !== 'apply' && policies !== expected.policies) return 'it was signed under other policies';
  if (expected.at > until) return 'it has expired';
  if (!named || by !== expected.by) return `it is by ${by}, signed with a key of ${signer.join(', ')}`;
  if (person === undefined) return undefined;
  if ((kind === 'freeze' || kind === 'thaw') && !person.mayPause) return `${by} may not ${kind} anything`;
  if (asked === undefined || expected.as === undefined) return undefined;
  const covered = coveredBy(person, asked);
  const wrong = expected.as.find((name) => !covered.includes(name));
  return wrong === undefined ? undefined : `${by} may not say yes for ${wrong}`;
}
