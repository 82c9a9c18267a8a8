import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { factsIn, startNight } from '../../support/night.ts';
import { briefText, makeOrg, quadratic, type TestOrg } from '../../support/org.ts';
import { until } from '../../support/until.ts';

/** Who works specs and reviews those of others has two hands, and a place for each. */

const orgs: TestOrg[] = [];
const marks = mkdtempSync(path.join(tmpdir(), 'orgrepo-desk-'));
after(() => {
  for (const org of orgs) org.remove();
  rmSync(marks, { recursive: true, force: true });
});

const call = (tool: string, input: object) => ({ calls: [{ tool, input }] });
const script = (...conversations: { when?: string[]; turns: object[] }[]): string => JSON.stringify({ conversations });
const edit = (old: string, to: string) => call('edit', { path: 'sandbox/numbers.txt', old, new: to });
const finish = call('finish', { title: 'a number', notes: '', text: 'a plan' });

test('a review that is asked of somebody in the middle of its own work leaves that work alone', async () => {
  const org = makeOrg({
    ...quadratic,
    'program.md': briefText({
      ...{ agent: '', chief: '{ agent: human }', slots: '2', rehearsal: 'output' },
      budget: '{ experiment: 2m, agent: 4m, night: 1h, attempts: 1, patience: 1000 }',
      models: '{ senior: scripted:models/senior.json, other: scripted:models/other.json }',
    }),
    'ORG.md':
      '# Org\n## Structure\n### Me (Human Principal)\n### Backend Senior\n- **Domain:** backend\n- **Model:** senior\n### Frontend Senior\n- **Domain:** frontend\n- **Model:** other\n',
    'models/senior.json': script(
      { when: ['# The change'], turns: [call('review', { decision: 'approve', summary: 'reads well', findings: [] })] },
      { when: ['the first number'], turns: [edit('first 9', 'first 3'), call('run', {}), finish] },
      { turns: [finish] },
    ),
    'models/other.json': script(
      { when: ['try 1 of'], turns: [edit('second 7', 'second 3'), finish] },
      { turns: [finish] },
    ),
    // Whoever tries out the first number has to wait for the test.
    'harness/run.sh': `${quadratic['harness/run.sh']}grep -q 'first 3' sandbox/numbers.txt || exit 0\ntouch ${marks}/begun\nwhile [ ! -e ${marks}/reviewed ]; do sleep 0.05; done\n`,
    'specs/0001-first.md': '---\ntitle: the first number\ndomain: backend\nby: people\n---\nx\n',
    'specs/0002-second.md': '---\ntitle: the second number\ndomain: frontend\nrisk: high\nby: people\n---\nx\n',
  });
  orgs.push(org);
  const run = startNight(org, 'run', '--json', '--max', '2');
  const reviews = (): string =>
    org.git('for-each-ref', 'refs/heads/orgrepo/work/0002') &&
    org.git('log', '--grep=^review: ', '--format=%an', 'orgrepo/work/0002');
  try {
    await until('the senior is asked for its word', () => reviews() === 'backend-senior\n');
  } finally {
    writeFileSync(path.join(marks, 'reviewed'), '');
  }
  const { code } = await run.ended;
  assert.equal(code, 0, run.said() + run.complained());
  const own = factsIn(run.said()).find(({ experiment }) => experiment?.spec === '0001')?.experiment;
  assert.deepEqual([own?.event, own?.score], ['keep', 90], run.said());
  assert.equal(
    org.git('show', `${own?.commit}^2:sandbox/numbers.txt`),
    'first 3\nsecond 7\nthird -4\nfourth 8\n',
    'nothing of what it reviewed is in it',
  );
});
