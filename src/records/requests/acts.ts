import {
  type ActRequest,
  type AskedAct,
  type RequestEvent,
  requestSeconds,
  requestsAt,
} from '../../domain/rules/request.ts';
import { formatUsd, parseUsd } from '../../domain/words/spent.ts';
import type { BookEntry } from '../entry.ts';
import type { Org } from '../org.ts';
import type { QueueChange } from '../queue/queue.ts';
import { type ActDraft, errandless, isSameAct, whole } from './act-draft.ts';
import { actsOf, isPersons, listOf, nextId, writeAct } from './act-log.ts';
import { refuseStale } from './decision-state.ts';
import { type SignedStatement, statementParts } from './statement-files.ts';

/** How people answer an act that is asked about. A yes is used by asking. */
export type ActAnswer =
  | { readonly kind: 'yes'; readonly id: string; readonly as: readonly string[] }
  | { readonly kind: 'waits' | 'denied'; readonly id: string; readonly isNew: boolean };

/** Every act that people were asked about, oldest first. */
export const readActs = async (org: Org, now: number): Promise<readonly ActRequest[]> =>
  actsIn((await actsOf(org)).acts, now);

/** The same, from these commits alone. An approval that an agent wrote does not count, and neither does a file on the queue. */
export const actsIn = (acts: readonly BookEntry[], now: number): readonly ActRequest[] =>
  requestsAt(acts.flatMap(eventOf), now);

/**
 * Uses the yes to this very act if there is one; otherwise asks people, once: an agent that wants what another has asked for joins
 * that request. For an act that goes on (`isHolder`) the yes that was used for it still counts.
 */
export async function askPeople(org: Org, draft: ActDraft, now: number, isHolder = false): Promise<ActAnswer> {
  let answer: ActAnswer = { kind: 'waits', id: '', isNew: false };
  await writeAct(org, (acts) => {
    const all = actsIn(acts, now);
    const same = all.filter(({ asked }) => covers(asked, draft));
    const used = same.findLast(({ stage }) => stage.kind === 'used' && stage.agent === draft.agent);
    if (isHolder && used?.stage.kind === 'used') {
      answer = { kind: 'yes', id: used.id, as: used.stage.as };
      return undefined;
    }
    const yes = same.find(({ stage }) => stage.kind === 'approved');
    if (yes?.stage.kind === 'approved') {
      answer = { kind: 'yes', id: yes.id, as: yes.stage.as };
      return useOf(yes, draft, acts);
    }
    // A no counts for the next attempt too.
    const denied = all.findLast(
      ({ asked, stage }) => stage.kind === 'denied' && errandless(asked.key) === errandless(draft.key),
    );
    if (denied !== undefined) {
      answer = { kind: 'denied', id: denied.id, isNew: false };
      return undefined;
    }
    const open = all.find(({ asked, stage }) => stage.kind === 'waits' && isSameAct(asked, draft));
    const isAsked = open?.asked.agents.includes(draft.agent);
    if (open !== undefined && (isAsked || !isAnswered(open.id, acts))) {
      answer = { kind: 'waits', id: open.id, isNew: false };
      return isAsked ? undefined : joinOf(open, draft);
    }
    const id = nextId(acts, 'Approval', 'A');
    answer = { kind: 'waits', id, isNew: true };
    const until = Math.ceil(now) + requestSeconds;
    return askOf({ ...whole(draft), kind: 'asked', id, at: now, until, agents: [draft.agent] });
  });
  return answer;
}

/** The request that each agent's next attempt at a spec waits for. */
export async function awaitedBy(org: Org, now: number): Promise<ReadonlyMap<string, string>> {
  const waiting = (await readActs(org, now)).filter(({ stage }) => stage.kind === 'waits');
  return new Map(
    waiting.flatMap(({ id, asked: { agents, key } }) =>
      agents.map((agent) => [`${agent} ${attemptIn.exec(key)?.[1]}`, id] as const),
    ),
  );
}

/** The spec of a key that is for an attempt, and not for a plan or a review. */
const attemptIn = /^[0-9a-f]{40}\.([0-9]+)\.[0-9]+$/;

/** The names whose yes to this very act may still be used. Reading does not use it. */
export async function yesTo(org: Org, draft: ActDraft, now: number): Promise<readonly string[]> {
  const all = await readActs(org, now);
  const yes = all.find(({ asked, stage }) => stage.kind === 'approved' && covers(asked, draft));
  return yes?.stage.kind === 'approved' ? yes.stage.as : [];
}

/** Writes a person's answer, in their own name, with what they signed where decisions are signed. */
export function answerAct(
  org: Org,
  { id, asked }: ActRequest,
  said: { readonly approves: boolean; readonly as: readonly string[]; readonly by: string; readonly reason: string },
  signed?: SignedStatement,
): Promise<void> {
  const verb = said.approves ? 'approve' : 'deny';
  const { words, agent, key, decision } = asked;
  const { files, trailers } = statementParts(id, signed);
  const text = `${textOf(asked)}- ${verb}: ${said.by}${said.reason && `, ${said.reason}`}\n`;
  return writeAct(org, (acts, _, state) => {
    if (signed !== undefined) refuseStale(state, signed, id);
    return {
      event: verb,
      title: `${verb}: ${id}, ${words}`,
      body: said.reason,
      files: new Map([[fileOf(id), text], ...files]),
      trailers: {
        ...trailers,
        ...{ Approval: id, Agent: agent, Act: key, Decision: decision, By: said.by, As: said.as.join(', ') },
        ...{ Reason: said.reason === '' ? undefined : said.reason, Cause: commitOf(acts, id) },
      },
    };
  });
}

/** How often people approved this act and it was done. */
export async function usesOfRequest(org: Org, key: string, now: number): Promise<number> {
  return (await readActs(org, now)).filter(({ asked, stage }) => asked.key === key && stage.kind === 'used').length;
}

const covers = (asked: AskedAct, draft: ActDraft): boolean =>
  isSameAct(asked, draft) && asked.agents.includes(draft.agent);

/** Also a request that still lacks somebody's yes is as it is once anybody has answered. */
const isAnswered = (id: string, acts: readonly BookEntry[]): boolean =>
  acts.some((act) => (act.event === 'approve' || act.event === 'deny') && act.get('Approval') === id);

const fileOf = (id: string): string => `approvals/${id}.md`;

const commitOf = (acts: readonly BookEntry[], id: string): string | undefined =>
  acts.find((act) => act.event === 'ask' && act.get('Approval') === id)?.commit.oid;

const useOf = ({ id, asked }: ActRequest, draft: ActDraft, acts: readonly BookEntry[]): QueueChange => ({
  event: 'use',
  agent: 'orgrepo',
  title: `use: ${id}, ${asked.words}`,
  trailers: { Approval: id, Agent: draft.agent, Decision: draft.decision, Cause: commitOf(acts, id) },
});

/** One more agent asks for the same. */
const joinOf = ({ id, asked }: ActRequest, { agent, decision }: ActDraft): QueueChange => ({
  event: 'ask',
  agent: 'orgrepo',
  title: `ask: ${id}, for ${agent} too`,
  files: new Map([[fileOf(id), textOf({ ...asked, agents: [...asked.agents, agent] })]]),
  trailers: { Approval: id, Agent: agent, Act: asked.key, Kind: asked.act, Decision: decision, Until: asked.until },
});

function askOf(asked: AskedAct): QueueChange {
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

const textOf = ({ id, agents, words, reason, by, usd, decision, until }: AskedAct): string =>
  [
    `# ${id}: ${words}`,
    '',
    `- who: ${agents.join(', ')}`,
    `- why: ${reason}`,
    ...(by.length === 0 ? [] : [`- needs: ${by.join(', ')}`]),
    ...(usd === undefined ? [] : [`- at most: $${formatUsd(usd)} a call`]),
    ...(decision === undefined ? [] : [`- decision: ${decision}`]),
    `- until: ${new Date(until * 1000).toISOString()}`,
    '',
  ].join('\n');

function eventOf(entry: BookEntry): readonly RequestEvent[] {
  const id = entry.get('Approval');
  if (id === undefined) return [];
  const { at } = entry.commit.committer;
  if (entry.event === 'ask') return [askedIn(entry, id, at)];
  if (entry.event === 'use') return [{ kind: 'used', id, at, agent: entry.get('Agent') ?? '' }];
  if (!isPersons(entry)) return [];
  if (entry.event === 'approve') return [{ kind: 'approved', id, at, as: listOf(entry, 'As') }];
  return entry.event === 'deny' ? [{ kind: 'denied', id, at, reason: entry.get('Reason') ?? '' }] : [];
}

const askedIn = (entry: BookEntry, id: string, at: number): AskedAct => ({
  agents: [entry.get('Agent') ?? ''],
  ...{ kind: 'asked', id, at, until: entry.number('Until') ?? at + requestSeconds },
  ...{ key: entry.get('Act') ?? '', agent: entry.get('Agent') ?? '', act: entry.get('Kind') ?? '' },
  ...{ words: entry.body || entry.title.replace(/^ask: A\d+, /, ''), reason: entry.get('Reason') ?? '' },
  by: listOf(entry, 'By'),
  usd: parseUsd(entry.get('Cost-USD')),
  decision: entry.get('Decision'),
});
