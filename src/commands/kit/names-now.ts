import { postsOf } from '../../domain/staff/staff.ts';
import { pinNow } from '../../org/force/in-force.ts';
import { readBest, takenWins } from '../../records/notebook/best-line.ts';
import { experimentsAbove } from '../../records/notebook/history.ts';
import { type Org, openOrg } from '../../records/org.ts';
import { readQueue } from '../../records/queue/queue.ts';
import { readWaiting } from '../../records/requests/requests.ts';
import { closeOrg } from '../../score/arena/measuring-room.ts';
import type { OrgNames } from './offers.ts';

/** A name that may be typed, and what it stands for. */
export interface Completion {
  readonly value: string;
  readonly about: string;
}

/** The names that the org around a directory has now, for a word that begins like this. Reads, and writes nothing. */
export async function namesNow(dir: string, kinds: readonly OrgNames[], typed: string): Promise<readonly Completion[]> {
  const org = await openOrg(dir);
  try {
    const found: Completion[] = [];
    for (const kind of kinds) found.push(...(await readers[kind](org, typed)));
    return found;
  } finally {
    await closeOrg(org);
  }
}

const readers: Readonly<Record<OrgNames, (org: Org, typed: string) => Promise<readonly Completion[]>>> = {
  experiments: readExperiments,
  specs: async (org) => ((await readQueue(org))?.specs ?? []).map(({ id, title }) => ({ value: id, about: title })),
  agents: async (org) =>
    postsOf((await pinNow(org)).brief).map(({ id, duties }) => ({ value: id, about: duties.join(', ') })),
  departments: async (org) =>
    ((await pinNow(org)).charter?.charter.departments ?? []).map(({ id, name }) => ({ value: id, about: name })),
  people: async (org) =>
    ((await pinNow(org)).charter?.charter.people ?? []).map(({ id, name }) => ({ value: id, about: name })),
  requests: readRequests,
  wins: async (org) => {
    const best = await readBest(org);
    const wins = best === undefined ? [] : await takenWins(org, best.commit);
    return wins.map(({ n, won }) => ({ value: String(n), about: won.title })).reverse();
  },
};

/** More than a person looks through. */
const mostNewest = 40;
const mostNumbers = 200;

/** The newest with their titles; of the others the numbers, as soon as the first digit is typed. */
async function readExperiments(org: Org, typed: string): Promise<readonly Completion[]> {
  const queue = await readQueue(org);
  if (queue === undefined) return [];
  const read = await experimentsAbove(org, queue, Math.max(0, queue.ledger.experiments - mostNewest));
  const newest = read
    .reverse()
    .map(({ n, event, title }) => ({ value: String(n), about: `${event === 'keep' ? 'won' : event}: ${title}` }));
  const oldest = Number(newest.at(-1)?.value ?? queue.ledger.experiments + 1);
  const others: Completion[] = [];
  for (let n = oldest - 1; typed !== '' && n > 0 && others.length < mostNumbers; n--)
    if (String(n).startsWith(typed)) others.push({ value: String(n), about: '' });
  return [...newest, ...others];
}

async function readRequests(org: Org): Promise<readonly Completion[]> {
  const waiting = await readWaiting(org, Date.now() / 1000);
  return waiting.flatMap((one) => {
    if (one.kind === 'notice') return [];
    if (one.kind === 'keep') return [{ value: String(one.id), about: one.experiment.title }];
    const about =
      one.kind === 'act' ? `${one.asked.agent}: ${one.asked.words}` : `${one.raised.by}: ${one.raised.text}`;
    return [{ value: one.id, about }];
  });
}
