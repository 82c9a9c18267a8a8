import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openModelAccess } from '../../../src/agents/model-access.ts';
import { type Ask, Fault, type ModelAnswer } from '../../../src/agents/models/model-contract.ts';
import { gateFor, patient } from '../../../src/agents/models/providers.ts';
import { questionOf } from '../../support/model-question.ts';
import type { Broken, Said } from '../../support/provider-server/script.ts';
import { type ProviderServer, startProviderServer } from '../../support/provider-server/server.ts';
import { until } from '../../support/until.ts';

const servers: ProviderServer[] = [];
after(() => Promise.all(servers.map((server) => server.close())));

const question = questionOf();
const answer: ModelAnswer = { message: { from: 'model', parts: [] }, stop: 'done', usage: undefined, model: undefined };
const never = new AbortController().signal;

/** An office without a book: what is asked here costs nothing. */
const office = () =>
  openModelAccess({
    reserve: async (_payer, _model, { most }) => ({
      ...{ kind: 'reserved', most },
      settle: () => ({ counted: most }),
      release: () => {},
    }),
    reserveRest: async () => assert.fail('nobody here is a program'),
    access: async ({ baseUrl }) => ({ key: 'none', baseUrl }),
    script: async () => '',
    prices: () => new Map(),
    onWait: () => {},
    key: async () => '',
    onTool: () => {},
    onMissing: () => {},
    onOddity: () => {},
  });

/** Busy for the first seven who ask: six at once, and one who tries again too early. */
async function busyServer() {
  const times: number[] = [];
  const server = await startProviderServer((): Said | Broken => {
    times.push(performance.now());
    return times.length <= 7 ? { fault: 'status', status: 429, headers: { 'retry-after': '1' } } : { text: 'at last' };
  });
  servers.push(server);
  return { server, times };
}

const line = async (at: ReturnType<typeof office>, server: ProviderServer, agent: string): Promise<Ask> => {
  const baseUrl = server.baseUrl('openai');
  const model = { provider: 'openai', id: 'some-model-2' } as const;
  return (await at.askFor({ kind: 'api', model, baseUrl }, { agent, spec: '0001', attempt: '1', errand: '1' })).ask;
};

test('six agents of a busy provider wait together, one of them asks first, and another provider is not waited for', async () => {
  const { server, times } = await busyServer();
  const quick = await startProviderServer(() => ({ text: 'here' }));
  servers.push(quick);
  const all = office();
  const other = await line(all, quick, 'junior-7');
  await other(question, never); // What an SDK needs to load is not waited for below.
  const asks = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => line(all, server, `junior-${n}`)));
  const answers = asks.map((ask) => ask(question, never));
  await until('all six have asked', () => times.length >= 6);
  await other(question, never);
  assert.equal(times.length, 6, 'the other provider has answered before this one was asked again');
  for (const answer of await Promise.all(answers)) assert.equal(answer.stop, 'done');
  const gap = (n: number): number => (times[n] ?? 0) - (times[n - 1] ?? 0);
  assert.equal(times.length, 13);
  assert.equal(gap(6) > 900, true, `one asks first, after a second: ${gap(6)}`);
  assert.equal(gap(7) > 900, true, `and alone, so it is one again after the next: ${gap(7)}`);
});

test('one who goes first and is refused for the last time leaves the way to the next', async () => {
  const gate = gateFor();
  let asked = 0;
  const busy = patient(async () => {
    asked += 1;
    throw new Fault('busy', 'busy', { retryAfterMs: 5 });
  }, gate);
  await assert.rejects(busy(question, never), /busy/);
  assert.equal(asked, 5);
  const good = patient(async () => answer, gate);
  assert.equal(await good(question, AbortSignal.timeout(2_000)), answer);
});

test('one who goes first and is stopped by a cap, by us or by a bug leaves the way to the next, who is alone again', async () => {
  for (const error of [new Fault('cap', 'a cap'), new Fault('stopped', 'stopped by us'), new Error('a bug')]) {
    const gate = gateFor();
    gate.close(1);
    let [asking, most] = [0, 0];
    const first = patient(async () => {
      throw error;
    }, gate);
    await assert.rejects(first(question, never), error);
    const release: (() => void)[] = [];
    const others = [1, 2, 3].map(() =>
      patient(async () => {
        asking += 1;
        most = Math.max(most, asking);
        await new Promise<void>((go) => release.push(go));
        asking -= 1;
        return answer;
      }, gate)(question, AbortSignal.timeout(2_000)),
    );
    await new Promise((go) => setTimeout(go, 30));
    assert.equal(most, 1, error.message);
    const letAll = setInterval(() => release.splice(0).forEach((go) => void go()), 5);
    await Promise.all(others);
    clearInterval(letAll);
  }
});

test('a wait of no time or of years is neither a storm nor a timer that overflows', async () => {
  const waits: number[] = [];
  const ask = patient(
    async () => {
      throw new Fault('busy', 'busy', { retryAfterMs: 0 });
    },
    gateFor(),
    (_, ms) => void waits.push(ms),
  );
  await assert.rejects(ask(question, AbortSignal.timeout(50)));
  assert.deepEqual(waits, [1_000]);
  const warned: string[] = [];
  const hear = ({ name }: Error): void => void warned.push(name);
  process.on('warning', hear);
  const gate = gateFor();
  gate.close(1e12);
  await assert.rejects(gate.pass(AbortSignal.timeout(50)));
  process.off('warning', hear);
  assert.deepEqual(warned, []);
});

test('a conversation is cut after five breaks of its provider in all, whatever came in between', async () => {
  let calls = 0;
  const ask = patient(async () => {
    calls += 1;
    if (calls % 2 === 1) throw new Fault('trouble', `trouble ${calls}`, { retryAfterMs: 1 });
    return answer;
  }, gateFor());
  for (let turn = 1; turn <= 5; turn++) assert.equal(await ask(question, never), answer);
  await assert.rejects(ask(question, never), /trouble 11/);
});

test('waiting for a busy provider is no break, however often', async () => {
  let calls = 0;
  const ask = patient(async () => {
    calls += 1;
    if (calls % 2 === 1) throw new Fault('busy', `busy ${calls}`, { retryAfterMs: 1 });
    return answer;
  }, gateFor());
  for (let turn = 1; turn <= 10; turn++) assert.equal(await ask(question, never), answer);
});
