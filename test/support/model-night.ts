import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { Cap, Scope } from '../../src/domain/words/spending.ts';
import { anOrg } from './builders.ts';
import { factsIn, startNight } from './night.ts';
import type { TestOrg } from './org.ts';
import type { Heard, Reply, Said } from './provider-server/script.ts';
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

export function orgOf(keys: Readonly<Record<string, string>>): TestOrg {
  const org = anOrg({ brief: keys });
  return org;
}

export async function nightOf(org: TestOrg, ...args: string[]) {
  const run = startNight(org, 'run', '--json', ...args);
  const { code } = await run.ended;
  const facts = factsIn(run.said());
  const experiments = facts.flatMap(({ experiment }) => experiment ?? []);
  return { code, facts, said: run.said(), complained: run.complained(), experiments };
}

/** No cap is passed at any commit, and verify agrees with the books. */
export async function assertHolds(org: TestOrg, caps: Readonly<Partial<Record<Scope, Cap>>>) {
  const most = checkCaps(org, caps);
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout);
  return most;
}
