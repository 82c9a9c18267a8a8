import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { onQueue } from '../support/chart.ts';
import { forge, verify } from '../support/forge.ts';
import { runNight, trailers } from '../support/night.ts';
import { briefText, makeOrg, quadratic } from '../support/org.ts';
import { stdioServer } from '../support/tool-server.ts';

const removals: (() => void)[] = [];
after(() => {
  for (const remove of removals) remove();
});

const call = (tool: string, input: object) => ({ calls: [{ tool, input }] });
const pay = (amount: unknown) => call('docs__odd', { amount_usd: amount });

/** A model that pays by a tool, and then makes a good change of the line that its spec is about. */
const script = (...amounts: unknown[]): string =>
  JSON.stringify({
    conversations: [
      {
        turns: [
          ...amounts.map(pay),
          call('edit', { path: 'sandbox/numbers.txt', old: 'first 9', new: 'first 3' }),
          call('finish', { title: 'done', notes: '' }),
        ],
      },
    ],
  });

test('tools pay no more in a month than org.yaml allows: what is refused never reaches them, and the next night goes on counting', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-pay-'));
  const log = path.join(dir, 'log');
  const org = makeOrg({
    ...quadratic,
    'program.md': briefText({
      ...{ agent: '', chief: '{ agent: human }', mcp: '{ docs: { command: node harness/mcp.mjs } }' },
      junior: '{ model: scripted:models/junior.json, mcp: [docs] }',
      budget: '{ experiment: 20s, agent: 30s, night: 1h, attempts: 1, patience: 1000 }',
    }),
    'org.yaml': 'name: shop\nbudget: { monthly_tools: 100 }\n',
    'harness/mcp.mjs': stdioServer(log),
    'models/junior.json': script(60, 60.5, 'lots', 40, -5),
  });
  removals.push(org.remove, () => rmSync(dir, { recursive: true, force: true }));
  const calls = (): number => readFileSync(log, 'utf8').match(/^call odd$/gm)?.length ?? 0;
  const night = await runNight(org, '--max', '1');
  assert.equal(night.experiments[0]?.event, 'keep', night.stdout + night.stderr);
  assert.equal(calls(), 3, 'sixty, forty, and what brings money back');
  const month = new Date().toISOString().slice(0, 7);
  assert.deepEqual(onQueue(org, 'pay'), [
    'junior-1|pay: junior-1, docs.odd $60|',
    'junior-1|pay: junior-1, docs.odd $40|',
  ]);
  assert.deepEqual(trailers(org, 'Paid', '--grep=^pay: ', 'orgrepo/queue'), ['60', '100']);
  assert.match(
    onQueue(org, 'unpaid').join('\n'),
    new RegExp(
      `^orgrepo\\|unpaid: junior-1, docs\\.odd\\|docs\\.odd would pay \\$60\\.5, and of the \\$100 for tools in ${month} \\(org\\.yaml:2\\) \\$60 are used$`,
    ),
  );
  assert.equal((await org.orgrepo('verify')).code, 0, (await org.orgrepo('verify')).stdout);

  org.write('models/junior.json', script(0.01).replace('first 9', 'second 7').replace('first 3', 'second 3'));
  org.commit('another change');
  assert.equal((await org.orgrepo('submit', 'the second')).code, 0);
  await runNight(org, '--max', '1');
  assert.equal(calls(), 3, 'the month is used up');
  assert.equal(onQueue(org, 'unpaid').length, 2);
  assert.equal((await org.orgrepo('verify')).code, 0, (await org.orgrepo('verify')).stdout);

  const paid = `Org-Month: ${month}\nOrg-Cost-USD: 5\nOrg-Paid: 5\n`; // As if the month had just begun.
  forge(org, 'refs/heads/orgrepo/queue', (text) => `${text.replace(/^Org-Event: .*$/m, 'Org-Event: pay')}${paid}`);
  const sums = (await verify(org)).findings.filter(
    ({ what }) => what === 'what tools have paid in the month is another sum',
  );
  assert.deepEqual(
    sums.map(({ expected, found }) => [expected, found]),
    [['105', '5']],
  );
});

test('plan says how much tools may pay, and that nothing is deleted', async () => {
  const org = makeOrg({
    ...quadratic,
    'org.yaml': 'name: shop\nbudget: { monthly_tools: 3000 }\ngovernance: { audit: { retain_for_days: 365 } }\n',
  });
  removals.push(org.remove);
  const { stdout } = await org.orgrepo('plan', '--settings');
  assert.match(stdout, /policies\.budget\.tools\s+\$3000 a month\s/);
  assert.match(
    stdout,
    /governance\.audit\.retain_for_days\s+365 days; everything is kept in git, and nothing is deleted/,
  );
  assert.equal((await org.orgrepo('plan')).code, 0);
});
