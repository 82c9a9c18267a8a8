import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { ModelApi } from '../../../src/domain/staff/staff.ts';
import { askIt, faultOf, providers } from '../../support/model-question.ts';
import type { Broken, Said } from '../../support/provider-server/script.ts';
import { startProviderServer } from '../../support/provider-server/server.ts';
import { until } from '../../support/until.ts';

/** How long a turn takes is for the signal to say: it ends at once when that is given, and not before. */

const said: Said = { text: 'A text that is long enough to be cut in its middle.' };

for (const provider of providers) {
  const hangUps: readonly [string, Broken | Said, boolean][] = [
    ['before an answer', { fault: 'silence' }, true],
    ['in the middle of slow drips', { ...said, everyMs: 40 }, true],
  ];
  for (const [when, step, begun] of hangUps) {
    test(`${provider}: hung up ${when}, it is over at once`, async (t) => {
      const server = await startProviderServer([step]);
      t.after(server.close);
      await warmUp(provider);
      const stop = new AbortController();
      const asked = faultOf(askIt(server, provider, {}, stop.signal));
      await until('the question is heard', () => server.heard.length === 1);
      await wait(100);
      const at = performance.now();
      stop.abort();
      const fault = await asked;
      const ms = performance.now() - at;
      assert.equal(ms < 5_000, true, `it took ${ms} ms`);
      assert.deepEqual([fault.kind, fault.begun, fault.retryAfterMs], ['stopped', begun, undefined]);
      assert.equal(server.tally().turns, 0);
    });
  }

  test(`${provider}: what is stopped beforehand is never asked`, async (t) => {
    const server = await startProviderServer([said]);
    t.after(server.close);
    const fault = await faultOf(askIt(server, provider, {}, AbortSignal.abort()));
    assert.deepEqual([fault.kind, fault.begun], ['stopped', false]);
    assert.equal(server.heard.length, 0);
  });

  test(`${provider}: a night's worth of turns leaves nothing on the signal`, async (t) => {
    const server = await startProviderServer(() => ({ text: 'Yes.' }));
    t.after(server.close);
    const warnings: Error[] = [];
    const warn = (warning: Error): void => void warnings.push(warning);
    process.on('warning', warn);
    t.after(() => process.off('warning', warn));
    const { signal } = new AbortController();
    for (let turn = 0; turn < 15; turn += 1) await askIt(server, provider, {}, signal);
    await wait(10);
    assert.deepEqual(warnings, []);
  });
}

test('a model may think longer than fetch would wait', async (t) => {
  const server = await startProviderServer([said]);
  t.after(server.close);
  await fetch(server.baseUrl('anthropic')); // Before its first use there is nothing to listen to.
  const held = globalThis as unknown as Record<symbol, { dispatch: (request: object, ears: object) => boolean }>;
  const name = Symbol.for('undici.globalDispatcher.1');
  const own = held[name];
  assert.ok(own);
  const limits: unknown[] = [];
  held[name] = {
    dispatch: (request, ears) => {
      const { headersTimeout, bodyTimeout } = request as Record<string, unknown>;
      limits.push([headersTimeout, bodyTimeout]);
      return own.dispatch(request, ears);
    },
  };
  t.after(() => {
    held[name] = own;
  });
  await askIt(server, 'anthropic');
  assert.deepEqual(limits, [[0, 0]]);
});

/** Loading an SDK takes its time, once. */
async function warmUp(provider: ModelApi): Promise<void> {
  const server = await startProviderServer([said]);
  await askIt(server, provider);
  await server.close();
}
