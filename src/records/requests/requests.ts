import { createHash } from 'node:crypto';
import { type Act, actInWords, type Decision, refusalOf } from '../../domain/rules/act.ts';
import {
  type ActRequest,
  type Request,
  type RequestEvent,
  requestSeconds,
  requestsAt,
} from '../../domain/rules/request.ts';
import { formatUsd, parseUsd } from '../../domain/words/spent.ts';
import type { BookEntry } from '../entry.ts';
import type { Org } from '../org.ts';
import { actsOf, isPersons, nextId, writeAct } from './act-log.ts';

/** An act that a person must say yes to before it is done. */
export type RequestDraft = Pick<ActRequest, 'key' | 'agent' | 'act' | 'words' | 'reason' | 'by' | 'usd' | 'decision'>;

/** How people stand to a wish: `yes` is used up by having been asked for. */
export type RequestAnswer =
  | { readonly kind: 'yes'; readonly id: string; readonly as: readonly string[] }
  | { readonly kind: 'waits' | 'denied'; readonly id: string; readonly isNew: boolean };

/** Every request that was ever made, oldest first. */
export async function readRequests(org: Org, now: number): Promise<readonly Request[]> {
  return requestsAt(requestEvents((await actsOf(org)).acts), now);
}

/**
 * Uses the yes to a very act where there is one; otherwise sees to it that people are asked, once. An act that goes on
 * (`isHolder`) is the one that a yes was used for.
 */
export async function askPeople(org: Org, wish: RequestDraft, now: number, isHolder = false): Promise<RequestAnswer> {
  let word: RequestAnswer = { kind: 'waits', id: '', isNew: false };
  await writeAct(org, (acts) => {
    const all = requestsAt(requestEvents(acts), now);
    const same = all.filter(({ asked }) => covers(asked, wish));
    const used = isHolder ? same.findLast(({ stage }) => stage.kind === 'used') : undefined;
    if (used?.stage.kind === 'used') {
      word = { kind: 'yes', id: used.asked.id, as: used.stage.as };
      return undefined;
    }
    const yes = same.find(({ stage }) => stage.kind === 'approved');
    if (yes?.stage.kind === 'approved') {
      const { id, words } = yes.asked;
      word = { kind: 'yes', id, as: yes.stage.as };
      return {
        event: 'use',
        agent: 'orgrepo',
        title: `use: ${id}, ${words}`,
        trailers: { Approval: id, Agent: wish.agent, Decision: wish.decision, Cause: commitOf(acts, id) },
      };
    }
    // A no is one to the next attempt too.
    const denied = all.findLast(({ asked, stage }) => stage.kind === 'denied' && kinOf(asked.key) === kinOf(wish.key));
    const open = denied ?? same.find(({ stage }) => stage.kind === 'waits');
    if (open !== undefined) {
      word = { kind: denied === undefined ? 'waits' : 'denied', id: open.asked.id, isNew: false };
      return undefined;
    }
    const id = nextId(acts, 'Approval', 'A');
    word = { kind: 'waits', id, isNew: true };
    return changeFor({ ...whole(wish), kind: 'asked', id, at: now, until: Math.ceil(now) + requestSeconds });
  });
  return word;
}

/** What waits for an answer before an agent's next attempt at a spec. */
export async function awaitedBy(org: Org, now: number): Promise<ReadonlyMap<string, string>> {
  const waiting = (await readRequests(org, now)).filter(({ stage }) => stage.kind === 'waits');
  return new Map(waiting.map(({ asked: { agent, key, id } }) => [`${agent} ${attemptIn.exec(key)?.[1]}`, id]));
}

/** The errand of a key that is an attempt, and not a plan or a review. */
const attemptIn = /^[0-9a-f]{40}\.([0-9]+)\.[0-9]+$/;

/** Whose yes to a very act there is and may still be used; it is not used by being asked for here. */
export async function yesTo(org: Org, wish: RequestDraft, now: number): Promise<readonly string[]> {
  const said = await readRequests(org, now);
  const yes = said.find(({ asked, stage }) => stage.kind === 'approved' && covers(asked, wish));
  return yes?.stage.kind === 'approved' ? yes.stage.as : [];
}

/** Writes down what a person says of a request, in their own name. */
export function answerRequest(
  org: Org,
  { asked }: Request,
  said: { readonly approves: boolean; readonly as: readonly string[]; readonly by: string; readonly reason: string },
): Promise<void> {
  const word = said.approves ? 'approve' : 'deny';
  const { id, words, agent, key, decision } = asked;
  return writeAct(org, (acts) => ({
    event: word,
    title: `${word}: ${id}, ${words}`,
    body: said.reason,
    files: new Map([[fileOf(id), `${textOf(asked)}- ${word}: ${said.by}${said.reason && `, ${said.reason}`}\n`]]),
    trailers: {
      ...{ Approval: id, Agent: agent, Act: key, Decision: decision, By: said.by, As: said.as.join(', ') },
      ...{ Reason: said.reason === '' ? undefined : said.reason, Cause: commitOf(acts, id) },
    },
  }));
}

/** How often people have said yes to such an act, and it was done. */
export async function usesOfRequest(org: Org, key: string, now: number): Promise<number> {
  const all = await readRequests(org, now);
  return all.filter(({ asked, stage }) => asked.key === key && stage.kind === 'used').length;
}

/**
 * What policies want a person's word for. Trust and the count of tokens change from one moment to the next, so they are no
 * part of the key: a yes to a call of a model is a yes to the calls of its errand that cost no more than was asked for.
 */
export function wishFor(decision: Decision, errand?: string): RequestDraft {
  const { act, id, result } = decision;
  const { context, principal, resource, texts, numbers } = act;
  const usd = typeof context.usd === 'number' ? context.usd : undefined;
  const said = act.act === 'spend' ? { spec: context.spec } : context;
  const by = result.kind === 'needs-approval' ? result.by : [];
  const key = requestKey([act.act, principal.id, resource, said, texts, numbers, by], errand);
  return {
    ...{ key, agent: principal.id, act: act.act, words: wordsFor(act, errand), usd, decision: id },
    ...{ reason: refusalOf(decision), by },
  };
}

/** A conversation is paid for again with everything that it adds: a yes to its first call alone would let nobody finish one. */
const room = 4;

/** What people are asked: of a call of a model also the most that each one of its errand may cost, in whole cents. */
export function whole<T extends Pick<RequestDraft, 'words' | 'usd'>>(wish: T): T {
  if (wish.usd === undefined) return wish;
  const usd = Math.ceil(wish.usd * room * 100) / 100;
  return { ...wish, usd, words: `${wish.words}, $${formatUsd(usd)} a call at most` };
}

/** The same for the same, and of one errand alone where there is one. */
export function requestKey(value: unknown, errand?: string): string {
  const kin = createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 40);
  return errand === undefined ? kin : `${kin}.${errand}`;
}

/** What the wishes of all errands have in common that want the same. */
const kinOf = (key: string): string => key.slice(0, 40);

/** The arguments of a tool are what a person says yes to. */
function wordsFor(act: Act, errand: string | undefined): string {
  const given = Object.entries({ ...act.texts, ...act.numbers }).map(([name, value]) => `${name} ${value}`);
  const why = errand === undefined ? '' : ` for ${errand}`;
  return `${actInWords(act)}${why}${given.length === 0 ? '' : ` with ${given.join(', ')}`}`.replaceAll(/\s+/g, ' ');
}

const covers = (asked: ActRequest, wish: RequestDraft): boolean =>
  asked.key === wish.key && (wish.usd === undefined || (asked.usd ?? 0) >= wish.usd);

const fileOf = (id: string): string => `approvals/${id}.md`;

const commitOf = (acts: readonly BookEntry[], id: string): string | undefined =>
  acts.find((act) => act.event === 'ask' && act.get('Approval') === id)?.commit.oid;

function changeFor(asked: ActRequest) {
  const { id, key, agent, act, words, reason, by, usd, decision, until } = asked;
  return {
    event: 'ask',
    agent: 'orgrepo',
    title: `ask: ${id}, ${words}`,
    body: words,
    files: new Map([[fileOf(id), textOf(asked)]]),
    trailers: {
      ...{ Approval: id, Agent: agent, Act: key, Kind: act, Decision: decision, By: by.join(', ') },
      ...{ 'Cost-USD': usd === undefined ? undefined : formatUsd(usd), Until: until, Reason: reason },
    },
  };
}

const textOf = ({ id, agent, words, reason, by, usd, decision, until }: ActRequest): string =>
  [
    `# ${id}: ${words}`,
    '',
    `- who: ${agent}`,
    `- why: ${reason}`,
    ...(by.length === 0 ? [] : [`- needs: ${by.join(', ')}`]),
    ...(usd === undefined ? [] : [`- at most: $${formatUsd(usd)} a call`]),
    ...(decision === undefined ? [] : [`- decision: ${decision}`]),
    `- until: ${new Date(until * 1000).toISOString()}`,
    '',
  ].join('\n');

/** An approval that no person wrote is none, and neither is a file that somebody has put on the queue. */
export const requestEvents = (acts: readonly BookEntry[]): readonly RequestEvent[] => acts.flatMap(eventOf);

function eventOf(entry: BookEntry): readonly RequestEvent[] {
  const id = entry.get('Approval');
  if (id === undefined) return [];
  const { at } = entry.commit.committer;
  switch (entry.event) {
    case 'ask':
      return [askedIn(entry, id, at)];
    case 'use':
      return [{ kind: 'used', id, at }];
    case 'approve':
      return isPersons(entry) ? [{ kind: 'approved', id, at, as: listOf(entry.get('As')) }] : [];
    case 'deny':
      return isPersons(entry) ? [{ kind: 'denied', id, at, reason: entry.get('Reason') ?? '' }] : [];
    default:
      return [];
  }
}

const askedIn = (entry: BookEntry, id: string, at: number): ActRequest => ({
  ...{ kind: 'asked', id, at, until: entry.number('Until') ?? at + requestSeconds },
  ...{ key: entry.get('Act') ?? '', agent: entry.get('Agent') ?? '', act: entry.get('Kind') ?? '' },
  ...{ words: entry.body || entry.title.replace(/^ask: A\d+, /, ''), reason: entry.get('Reason') ?? '' },
  by: listOf(entry.get('By')),
  usd: parseUsd(entry.get('Cost-USD')),
  decision: entry.get('Decision'),
});

const listOf = (text: string | undefined): readonly string[] => (text ?? '').split(', ').filter((name) => name !== '');
