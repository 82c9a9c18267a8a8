import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertHolds, assertUsesItsCap, endless, nightOf, orgWith } from '../support/model-night.ts';
import { spawnNight } from '../support/night.ts';
import { briefText } from '../support/org.ts';
import type { Heard, Said } from '../support/provider-server/script.ts';
import { checkCaps, spendLines } from '../support/spend-books.ts';
import { until } from '../support/until.ts';

/** Caps that end a night, and what somebody who is killed leaves on the books. */

// On a busy machine agents must not be over their time before the night is over its cap.
const budget = 'experiment: 10s, agent: 10m, night: 1h, attempts: 5, patience: 1000';

for (const [scope, keys, cap] of [
  ['day', { budget: `{ ${budget} }`, caps: '{ day: { usd: 0.7 } }' }, { usd: 0.7 }],
  ['night', { budget: `{ ${budget}, usd: 0.7 }` }, { usd: 0.7 }],
] as const)
  test(`a cap on the ${scope} ends the night with exit 2, whoever asks, and the report says all of it`, async () => {
    const { org } = await orgWith(endless, { juniors: '3', ...keys });
    const night = await nightOf(org);
    assert.equal(night.code, 2, night.complained);
    const most = await assertHolds(org, { [scope]: cap });
    assert.ok((most[scope]?.usd ?? 0) > 0.5, `${most[scope]?.usd}`);

    const file = org.git('show', 'orgrepo/reports:reports/errors/budget-exceeded.md');
    assert.match(file, new RegExp(`the cap of the ${scope} is 0\\.7 dollars: `));
    assert.match(file, /\| junior-[123] \| anthropic\/claude-sonnet-4-5-20250929 \| \d+ \| 0\.\d\d \| \d+ \| \d+ \|/);
    assert.match(file, /## Left undone\n\n- 0001 bring every number/);
    const line = org
      .git('show', 'main:program.md')
      .split('\n')
      .findIndex((one) => one.startsWith(scope === 'day' ? 'caps:' : 'budget:'));
    assert.match(file, new RegExp(`Raise the cap in \`program.md, line ${line + 1}\``));
    const report = JSON.parse((await org.orgrepo('report', '--json')).stdout);
    assert.match(report.needs_you[0].what, /a cap on money or tokens was reached: the cap of the/);
    assert.equal(report.needs_you[0].command, 'git show orgrepo/reports:reports/errors/budget-exceeded.md');
    const used = spendLines(org).filter((one) => one['Org-Event'] === 'settle');
    const sum = used.reduce((total, one) => total + Math.round(Number(one['Org-Cost-USD']) * 1e9), 0);
    assert.equal(Math.round(report.spend.usd * 1e9), sum);
    assert.match(
      (await org.orgrepo('status')).stdout,
      scope === 'day' ? /\n {2}spent {4}\$0\.\d\d · / : /\n {2}spent {4}\$0\.\d\d of \$0\.70 · /,
    );

    // Another night that no cap ends takes the file away again.
    org.write('program.md', briefText({ agent: 'search' }));
    org.commit('no models');
    assert.equal((await nightOf(org, '--max', '1')).code, 0);
    assert.equal(org.git('ls-tree', '-r', '--name-only', 'orgrepo/reports', 'reports/errors'), '');
    assert.equal((await org.orgrepo('verify')).code, 0);
  });

test('with answers that take two seconds, a night uses nine tenths of its cap before exit 2', () =>
  assertUsesItsCap(2_000));

for (const scope of ['day', 'agent'] as const)
  test(`killed in the middle of an answer, again and again, the cap on the ${scope} holds at every commit`, async () => {
    const slow = (heard: Heard): Said => ({ ...endless(heard), everyMs: 20 });
    const { server, org } = await orgWith(slow, { juniors: '2', caps: `{ ${scope}: { usd: 1.2 } }` });
    for (const more of [2, 3]) {
      const run = spawnNight(org, 'run', '--json');
      const before = server.heard.length;
      await until('the model is being asked', () => server.heard.length >= before + more);
      process.kill(-(run.child.pid ?? assert.fail()), 'SIGKILL');
      await run.ended;
      checkCaps(org, { [scope]: { usd: 1.2 } });
    }
    const night = await nightOf(org);
    assert.equal(night.code, 2, night.complained);
    const most = await assertHolds(org, { [scope]: { usd: 1.2 } });
    assert.ok((most[scope]?.usd ?? 0) > 0.8, `${most[scope]?.usd}`);
    const settled = new Set(spendLines(org).map((line) => line['Org-Cause']));
    const lost = spendLines(org).filter((line) => line['Org-Event'] === 'reserve' && !settled.has(line.commit));
    assert.ok(lost.length > 0, 'a killed call counts in full for ever');
    assert.match((await org.orgrepo('status')).stdout, /set aside/);
  });
