import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { Cap, Scope } from '../../src/domain/words/spending.ts';
import { anOrg } from './builders.ts';
import { factsIn, startNight } from './night.ts';
import type { TestOrg } from './org.ts';
import type { CallSaid, Heard, Reply, Said } from './provider-server/script.ts';
import { type ProviderServer, startProviderServer } from './provider-server/server.ts';
import { checkCaps } from './spend-books.ts';

/** Orgs and servers of one file of tests, gone when it is done. */
const orgs: TestOrg[] = [];
const servers: ProviderServer[] = [];
after(async () => {
  for (const org of orgs) org.remove();
  await Promise.all(servers.map((server) => server.close()));
});

export const model = 'claude-sonnet-4-5-20250929';

/** One that no list of prices has. */
export const unpricedModel = 'claude-of-nobody-20250929';

/** A model that reads for ever: what it looks for is never there, and never the same. */
export const endless = ({ turn }: Heard): Said => ({ calls: [{ tool: 'read', input: { path: `sandbox/${turn}` } }] });

export async function serverFor(
  reply: Reply,
  ...how: Parameters<typeof startProviderServer> extends [unknown?, ...infer Rest] ? Rest : never
): Promise<ProviderServer> {
  const server = await startProviderServer(reply, ...how);
  servers.push(server);
  return server;
}

/** An org whose juniors are a model that a server on this machine plays, with the prices of one that is known. */
export async function orgWith(reply: Reply, keys: Readonly<Record<string, string>>, id = model) {
  const server = await serverFor(reply);
  const org = orgOf({
    agent: '',
    junior: `{ model: anthropic/${id}, base_url: ${server.baseUrl('anthropic')} }`,
    chief: '{ agent: search }',
    prices: `{ ${id}: { in: 3, out: 15 } }`,
    ...keys,
  });
  return { server, org };
}

export const orgOf = (keys: Readonly<Record<string, string>>, files: Readonly<Record<string, string>> = {}): TestOrg =>
  anOrg({ brief: keys, files });

export async function nightOf(org: TestOrg, ...args: string[]) {
  const run = startNight(org, 'run', '--json', ...args);
  const { code } = await run.ended;
  const facts = factsIn(run.said());
  const experiments = facts.flatMap(({ experiment }) => experiment ?? []);
  return { code, facts, said: run.said(), complained: run.complained(), experiments };
}

/** Makes a number smaller in three calls, and uses a third of what is set aside for each answer. */
const worker = (heard: Heard, afterMs: number): Said => ({
  calls: [workOf(heard)],
  usage: {
    tokensIn: Math.ceil(JSON.stringify(heard.body).length / 4),
    tokensOut: 2_400,
  },
  afterMs,
});

function workOf({ turn, told }: Heard): CallSaid {
  if (told.includes('# Your spec')) return { tool: 'read', input: { path: 'sandbox/numbers.txt' } };
  if (told === 'written') return { tool: 'finish', input: { title: `lowered by ${turn}`, notes: 'It was too large.' } };
  const content = `first ${-turn}\nsecond 7\nthird -4\nfourth 8\n`;
  return { tool: 'write', input: { path: 'sandbox/numbers.txt', content } };
}

/** A night of five juniors, whose calls are answered after so long, uses nearly all that it may before it ends. */
export async function assertUsesItsCap(afterMs: number): Promise<void> {
  const usd = 8; // Ten calls of 8,192 tokens at 75 dollars for a million, and what they read.
  const { org, server } = await orgWith((heard) => worker(heard, afterMs), {
    juniors: '5',
    prices: `{ ${model}: { in: 15, out: 75 } }`,
    budget: `{ experiment: 10s, agent: 10m, night: 1h, usd: ${usd}, attempts: 5, patience: 1000 }`,
  });
  const night = await nightOf(org);
  assert.equal(night.code, 2, night.complained);
  await assertHolds(org, { night: { usd } });
  const { usd: spent } = JSON.parse((await org.orgrepo('status', '--json')).stdout).spent;
  assert.ok(spent >= 0.9 * usd && spent <= usd, `${spent} of ${usd}`);
  const limits = server.heard.map(({ body }) => Number(body.max_tokens));
  assert.equal(Math.max(...limits), 8_192);
  const least = Math.min(...limits);
  assert.ok(least >= 2_048 && least < 8_192, `the last answers are shorter: ${least}`);
}

/** No cap is passed at any commit, and verify agrees with the books. */
export async function assertHolds(org: TestOrg, caps: Readonly<Partial<Record<Scope, Cap>>>) {
  const most = checkCaps(org, caps);
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout);
  return most;
}
