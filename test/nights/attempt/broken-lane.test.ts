import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openOrg } from '../../../src/records/org.ts';
import { readQueue } from '../../../src/records/queue/queue.ts';
import { workLanes } from '../../../src/steps/night/lanes.ts';
import { Problem } from '../../../src/text/problem.ts';
import { anOrg } from '../../support/builders.ts';

type Lanes = Parameters<typeof workLanes>[0];

/** Two lanes over an org that has run; `said` is what the run says. */
async function lanesOf(juniors: readonly string[]) {
  const made = anOrg();
  await made.orgrepo('run', '--max', '1');
  const org = await openOrg(made.dir);
  const queue = await readQueue(org);
  assert.ok(queue);
  const said: string[] = [];
  const night = {
    run: { org, signal: new AbortController().signal, say: (fact: object) => said.push(JSON.stringify(fact)) },
    inForce: { juniors, openLanes: () => {}, applied: { at: Number.POSITIVE_INFINITY } },
    claims: { live: new Map([['0001', { agent: 'junior-1' }]]) },
    standing: { halted: new Map(), ending: undefined, lastOrders: { at: 0, ledger: queue.ledger } },
  } as unknown as Lanes;
  return { made, org, night, said };
}

test('a lane that breaks becomes a request while the others go on', async () => {
  const { made, org, night, said } = await lanesOf(['junior-1', 'junior-2']);
  let release = (): void => {};
  const worked = new Promise<void>((resolve) => {
    release = resolve;
  });
  const done: string[] = [];
  const lanes = workLanes(
    night,
    async () => {},
    async (junior) => {
      if (junior === 'junior-1') throw new TypeError('undefined is not a tree');
      await worked;
      done.push(junior);
    },
  );
  setTimeout(release, 50);
  await lanes;
  assert.deepEqual(done, ['junior-2']);
  assert.match(String(night.standing.halted.get('junior-1')), /its lane broke.*TypeError: undefined is not a tree/);
  assert.match(said.join('\n'), /junior-1 is stopped: its lane broke.*orgrepo resume junior-1/);
  assert.deepEqual([...night.claims.live.keys()], []);
  const { stdout } = await made.orgrepo('status');
  assert.match(stdout, /needs you[\s\S]*junior-1 is stopped: its lane broke/);
  await org.repo.close();
});

test('the error of the last lane ends the run', async () => {
  const { org, night } = await lanesOf(['junior-1']);
  const lanes = workLanes(
    night,
    async () => {},
    () => Promise.reject(new TypeError('undefined is not a tree')),
  );
  await assert.rejects(lanes, /undefined is not a tree/);
  await org.repo.close();
});

test('a problem that concerns the whole repository ends the run at once', async () => {
  const { org, night } = await lanesOf(['junior-1', 'junior-2']);
  const full = new Problem('disk/write', 'the disk is full', 'Make room.');
  const lanes = workLanes(
    night,
    async () => {},
    (junior) => (junior === 'junior-1' ? Promise.reject(full) : new Promise(() => {})),
  );
  await assert.rejects(lanes, /the disk is full/);
  await org.repo.close();
});
