import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { obedientOrg, type Started, startNight, waitFor } from '../../support/night.ts';
import type { TestOrg } from '../../support/org.ts';
import { until } from '../../support/until.ts';

/** What a night finds that needs a person is said by whoever asks, for as long as it is so. */

const orgs: TestOrg[] = [];
const gates = mkdtempSync(path.join(tmpdir(), 'orgrepo-needs-'));
after(() => {
  for (const org of orgs) org.remove();
  rmSync(gates, { recursive: true, force: true });
});

const chart = '# Shop\n\n## Structure\n\n### Lead\n- **Level:** 8\n\n#### Packers\n- **Count:** 2\n';
/** A model whose script came with the same commit: the night measures and plays what was there when it began. */
const thinker = '\n#### Thinker\n- **Model:** scripted:models/late.json\n';
const lateScript = JSON.stringify({ conversations: [{ turns: [] }] });

/** A night with this chart, whose agents wait for the gate. */
async function begun(name: string): Promise<{ org: TestOrg; night: Started; open: () => void }> {
  const gate = path.join(gates, name);
  const agent = path.join(gates, `${name}.sh`);
  writeFileSync(agent, `${waitFor(gate)}\necho "echo \\"loss: 1$$\\"" > sandbox/program\necho "try $$"\n`);
  const org = obedientOrg(`{ command: "sh ${agent}" }`, {
    budget: '{ experiment: 60s, agent: 60s, night: 1h, attempts: 2, patience: 1000 }',
  });
  orgs.push(org);
  org.write('ORG.md', chart);
  for (const id of ['0002', '0003'])
    org.write(`specs/${id}-more.md`, `---\nid: "${id}"\ntitle: more of ${id}\nby: people\n---\nAnything goes.\n`);
  org.commit('the organisation');
  const night = startNight(org, 'run', '--json', '--max', '5');
  await until('a claim', () => night.said().includes('"fact":"claim"'), 60_000);
  return { org, night, open: () => writeFileSync(gate, '') };
}

async function apply(org: TestOrg, text: string): Promise<void> {
  org.write('ORG.md', text);
  org.write('models/late.json', lateScript);
  org.commit('another organisation');
  const ran = await org.orgrepo('apply', '--yes');
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
}

const asked = async (org: TestOrg, verb: 'status' | 'report'): Promise<string[]> =>
  (JSON.parse((await org.orgrepo(verb, '--json')).stdout) as { needs_you: { what: string }[] }).needs_you.map(
    ({ what }) => what,
  );
const holds = async (org: TestOrg): Promise<void> => {
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout);
};
const onQueue = (org: TestOrg): string[] =>
  org
    .git('log', '--format=%s', 'orgrepo/queue')
    .split('\n')
    .filter((title) => title.startsWith('need: '));

test('an applied organisation that a night cannot use is told by status, and by every report, until the next run', async () => {
  const { org, night, open } = await begun('unusable');
  await apply(org, chart + thinker);
  await until('it to be told', () => /the organisation of before stays in force/.test(night.said()), 60_000);
  await until('it to be written', () => onQueue(org).length > 0, 60_000);
  const during = await asked(org, 'status');
  assert.equal(during.length, 1, during.join('\n'));
  assert.match(during[0] ?? '', /^the organisation that was applied cannot be used: .*models\/late\.json/);
  assert.equal((await org.orgrepo('status', '--check')).code, 3);
  open();
  assert.equal((await night.ended).code, 0, night.complained());
  const report = org.git('show', 'orgrepo/reports:reports/latest.md');
  assert.match(report, /the organisation that was applied cannot be used/);
  assert.deepEqual([await asked(org, 'status'), await asked(org, 'report')], [during, during]);
  assert.equal(org.git('show', 'orgrepo/reports:reports/latest.md'), report, 'told again, it says the same');
  assert.equal(onQueue(org).length, 1, 'once');
  await holds(org);
  const next = await org.orgrepo('run', '--max', '1');
  assert.equal(next.code, 0, next.stderr);
  assert.deepEqual([await asked(org, 'status'), await asked(org, 'report')], [[], []]);
  await holds(org);
});

test('a brief that cannot be used is told once, and no more when it is put right', async () => {
  const { org, night, open } = await begun('brief');
  const brief = org.git('show', 'main:program.md');
  org.write('program.md', brief.replace('direction: minimize', 'direction: sideways'));
  org.commit('a wrong brief');
  open();
  assert.equal((await night.ended).code, 0, night.complained());
  assert.match(night.said(), /"change":"broken"/);
  const needs = await asked(org, 'status');
  assert.equal(needs.length, 1, needs.join('\n'));
  assert.match(needs[0] ?? '', /^the brief on the trunk cannot be used: program\.md:/);
  assert.deepEqual(await asked(org, 'report'), needs);
  await holds(org);
  org.write('program.md', brief);
  org.commit('the brief of before');
  assert.deepEqual([await asked(org, 'status'), await asked(org, 'report')], [[], []]);
});
