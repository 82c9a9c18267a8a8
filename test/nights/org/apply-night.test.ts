import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { factsIn, type Started, startNight, waitFor } from '../../support/night.ts';
import { briefText, makeOrg, type TestOrg } from '../../support/org.ts';
import { until } from '../../support/until.ts';

/** What a person applies while a night runs changes it, each thing at its own moment. */

const orgs: TestOrg[] = [];
const gates = mkdtempSync(path.join(tmpdir(), 'orgrepo-apply-'));
after(() => {
  for (const org of orgs) org.remove();
  rmSync(gates, { recursive: true, force: true });
});

const call = (tool: string, input: object) => ({ calls: [{ tool, input }] });
const says = (program: string, when: readonly string[] = []) => ({
  when,
  turns: [
    call('write', { path: 'sandbox/program', content: `${program}\n` }),
    call('finish', { title: 'say less', notes: 'as the spec has it' }),
  ],
});
const script = (...conversations: object[]): string => JSON.stringify({ conversations });

const spec = (id: string, title: string, attempts = 1): string =>
  `---\nid: "${id}"\ntitle: ${title}\nby: people\nattempts: ${attempts}\n---\nAnything goes.\n`;

/** An agent that makes something new as soon as a gate is open. */
function gated(gate: string): string {
  const file = path.join(gates, `${path.basename(gate)}.sh`);
  writeFileSync(file, `${waitFor(gate)}\necho "echo \\"loss: 1$$\\"" > sandbox/program\necho "try $$"\n`);
  return `{ command: "sh ${file}" }`;
}

const structure = (text: string, policies = ''): string =>
  `# Shop\n\n## Structure\n\n${text}\n${policies === '' ? '' : `## Policies\n\n${policies}\n`}`;

function orgWith(org: string, specs: readonly string[], keys: Record<string, string>, files = {}): TestOrg {
  const made = makeOrg({
    'program.md': briefText({
      ...{ slots: '4', chief: '{ agent: human }' },
      budget: '{ experiment: 60s, agent: 60s, night: 1h, attempts: 2, patience: 1000 }',
      ...keys,
    }),
    'sandbox/program': 'echo "loss: 10"\n',
    'harness/run.sh': 'cp sandbox/program "$ORGREPO_OUT/program"\n',
    'harness/score.sh': 'exec sh "$ORGREPO_OUT/program"\n',
    'ORG.md': org,
    ...Object.fromEntries(specs.map((text, at) => [`specs/000${at + 1}-one.md`, text])),
    ...files,
  });
  orgs.push(made);
  return made;
}

const start = (org: TestOrg, ...args: string[]): Started => startNight(org, 'run', '--json', ...args);

/** Commits this as ORG.md, applies it, and waits until the night says that it is in force. */
async function apply(org: TestOrg, night: Started, text: string, files: Record<string, string> = {}): Promise<void> {
  org.write('ORG.md', text);
  for (const [file, content] of Object.entries(files)) org.write(file, content);
  org.commit('another organisation');
  const ran = await org.orgrepo('apply', '--yes');
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  const commit = org.git('rev-parse', 'refs/orgrepo/applied').slice(0, 7);
  await until(`${commit} to be in force`, () => night.said().includes(`organisation of ${commit} is in force`), 60_000);
}

const claims = (night: Started): string[] =>
  factsIn(night.said()).flatMap(({ fact, agent, spec: id }) => (fact === 'claim' ? [`${agent} ${id}`] : []));
const tries = (night: Started): string[] =>
  factsIn(night.said()).flatMap(({ experiment: one }) =>
    one === undefined ? [] : [`${one.agent} ${one.spec} ${one.model} ${one.event} ${one.score}`],
  );
const holds = async (org: TestOrg): Promise<void> => {
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout);
};

test('prose counts with the next attempt, another model with the next spec, and a new name for a model at once', async () => {
  const gate = path.join(gates, 'prose');
  const chart = (model: string, prose: string): string =>
    structure(`### Worker\n- **Level:** 3\n- **Model:** ${model}\n\n${prose}\n`);
  const org = orgWith(
    chart('first', 'Be calm.'),
    [spec('0001', 'one', 2), spec('0002', 'two')],
    { agent: '', junior: '{ agent: search }', models: '{ first: scripted:models/a.json }' },
    {
      'models/a.json': script(says('echo "loss: 7"', ['BE BOLD']), says(`${waitFor(gate)}; echo "loss: 9"`)),
      'models/b.json': script(says('echo "loss: 5"', ['BE BOLD'])),
    },
  );
  const night = start(org, '--max', '3');
  await until('a claim', () => claims(night).length === 1, 60_000);
  // The name that ORG.md uses is new in program.md, and both are of one commit.
  const brief = org.git('show', 'main:program.md').replace('a.json }', 'a.json, second: scripted:models/b.json }');
  await apply(org, night, chart('second', 'BE BOLD'), { 'program.md': brief });
  writeFileSync(gate, '');
  const { code } = await night.ended;
  assert.equal(code, 0, night.complained());
  assert.deepEqual(tries(night), [
    'worker 0001 scripted:models/a.json keep 9',
    'worker 0001 scripted:models/a.json keep 7',
    'worker 0002 scripted:models/b.json keep 5',
  ]);
  await holds(org);
});

test('a count goes up and down while they work; who comes back before the end of their spec goes on', async () => {
  const gate = path.join(gates, 'count');
  const chart = (count: number): string =>
    structure(`### Lead\n- **Level:** 9\n\n#### Makers\n- **Level:** 3\n- **Count:** ${count}\n`);
  const specs = Array.from({ length: 8 }, (_, at) => spec(`000${at + 1}`, `part ${at + 1}`));
  const org = orgWith(chart(2), specs, { agent: gated(gate) });
  const night = start(org, '--max', '8');
  await until('two claims', () => claims(night).length === 2, 60_000);
  await apply(org, night, chart(3));
  await until('a third', () => claims(night).length === 3, 60_000);
  assert.match(claims(night)[2] ?? '', /^maker-3 /);
  await apply(org, night, chart(1));
  await apply(org, night, chart(2));
  assert.match(night.said(), /is in force: maker-2, maker-3 leave/);
  assert.match(night.said(), /is in force: maker-2 joins/);
  writeFileSync(gate, '');
  await night.ended;
  const by = (agent: string): number => claims(night).filter((one) => one.startsWith(`${agent} `)).length;
  assert.equal(by('maker-3'), 1, 'it finished what it had');
  assert.ok(by('maker-2') > 1, claims(night).join());
  assert.equal(tries(night).filter((one) => one.startsWith('maker-3 ')).length, 1);
  await holds(org);
});

test('whoever leaves ends its spec under what the chart said of it: policies know its department', async () => {
  const gate = path.join(gates, 'leaver');
  const policy = `permit (principal, action, resource) when { principal in Department::"research" };
permit (principal, action, resource) when { principal in Department::"sales" };
`;
  const chart = (department: string, worker: string): string =>
    structure(`### ${department}\n\n#### ${department} Lead\n- **Level:** 8\n\n##### ${worker}\n- **Level:** 3\n`);
  const org = orgWith(
    chart('Research', 'Worker'),
    [spec('0001', 'one', 2)],
    { agent: '', junior: '{ model: scripted:models/a.json }', attempts: '' },
    {
      'policies/a.cedar': policy,
      'models/a.json': script(
        says(`${waitFor(gate)}; echo "loss: 9"`, ['try 1 of 2']),
        says('echo "loss: 7"', ['try 2 of 2']),
      ),
    },
  );
  const night = start(org, '--max', '2');
  await until('a claim', () => claims(night).length === 1, 60_000);
  await apply(org, night, chart('Sales', 'Seller'));
  writeFileSync(gate, '');
  await night.ended;
  assert.deepEqual(
    tries(night).map((one) => one.replace(/ scripted\S+/, '')),
    ['worker 0001 keep 9', 'worker 0001 keep 7'],
    night.said(),
  );
  await holds(org);
});

test('hours close and open with apply: the attempt that has begun ends, and no other begins until then', async () => {
  const gate = path.join(gates, 'hours');
  const clock = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
  const chart = (from: number, to: number): string =>
    structure(
      '### Maker\n- **Level:** 3\n',
      `### Working Hours\n- **Active hours:** ${clock(from)}-${clock(to)} (UTC)\n`,
    );
  const org = orgWith(chart(-2, 4), [spec('0001', 'one'), spec('0002', 'two')], { agent: gated(gate) });
  const night = start(org, '--max', '2');
  await until('a claim', () => claims(night).length === 1, 60_000);
  await apply(org, night, chart(4, 6));
  writeFileSync(gate, '');
  await until('a refusal', () => /nothing is begun until/.test(night.said()), 60_000);
  assert.equal(tries(night).length, 1, 'what was begun was measured');
  assert.equal(claims(night).length, 1);
  await apply(org, night, chart(-2, 4));
  const { code } = await night.ended;
  assert.equal(code, 0, night.complained());
  assert.deepEqual(claims(night), ['maker 0001', 'maker 0002']);
  await holds(org);
});

test('what an agent wrote who has left is not a person’s word: it opens no closed hours', async () => {
  const gate = path.join(gates, 'urgent');
  const clock = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
  const chart = (lead: string, from: number, to: number): string =>
    structure(
      `### ${lead}\n- **Level:** 8\n- **Model:** scripted:models/lead.json\n\n#### Maker\n- **Level:** 3\n`,
      `### Working Hours\n- **Active hours:** ${clock(from)}-${clock(to)} (UTC)\n- **Exceptions:** critical tasks\n`,
    );
  const written = (title: string, priority: string, why: string): string =>
    `---\ntitle: ${title}\npriority: ${priority}\n---\nHypothesis: ${why}.\nPrediction: loss 9.\nControl: best.\nHeld fixed: the rest.\nWrong if: no gain.\n`;
  const org = orgWith(
    chart('Lead', -2, 4),
    [],
    { agent: gated(gate) },
    {
      'models/lead.json': script({
        turns: [
          call('write', {
            path: 'specs/a.md',
            content: written('now and at once', 'critical', 'the alarm of the boiler rings'),
          }),
          call('write', {
            path: 'specs/b.md',
            content: written('right after it', 'critical', 'fewer words are printed sooner'),
          }),
          call('finish', { title: 'specs', notes: 'two' }),
        ],
      }),
    },
  );
  const night = start(org, '--max', '5');
  await until('a claim', () => claims(night).length === 1, 60_000);
  const titles = new Map(factsIn(night.said()).map(({ fact, id, title }) => [fact === 'spec' ? title : '', id]));
  assert.deepEqual(claims(night), [`maker ${titles.get('now and at once')}`], night.said());
  await apply(org, night, chart('Other Lead', 4, 6));
  writeFileSync(gate, '');
  await until('a refusal', () => /nothing is begun until/.test(night.said()), 60_000);
  const submitted = await org.orgrepo('submit', 'people want this', '--priority', 'critical', '--json');
  assert.equal(submitted.code, 0, submitted.stderr);
  await until('the next claim', () => claims(night).length === 2, 60_000);
  await org.orgrepo('stop');
  await night.ended;
  assert.equal(claims(night).includes(`maker ${titles.get('right after it')}`), false, claims(night).join());
  await holds(org);
});

test('who had used up its limit works again when people have raised it', async () => {
  const gate = path.join(gates, 'limit');
  const chart = (tokens: string): string =>
    structure(`### Lead
- **Level:** 9

#### Maker
- **Level:** 3
- **Domain:** making

#### Thinker
- **Level:** 3
- **Domain:** thinking
- **Model:** scripted:models/a.json
- **Limit:** ${tokens} tokens
`);
  const org = orgWith(
    `${chart('1000')}\n## Policies\n\n### Budget\n- **Overage behavior:** stop\n`,
    [
      spec('0001', 'making one'),
      spec('0002', 'thinking one'),
      spec('0003', 'thinking two'),
      spec('0004', 'making two'),
    ],
    { agent: gated(gate) },
    { 'models/a.json': script(says('echo "loss: 5"')) },
  );
  const night = start(org, '--max', '5');
  await until('both claims', () => claims(night).length >= 2, 60_000);
  await until('the limit', () => /thinker: .*1000 tokens/.test(night.said()), 60_000);
  assert.equal(claims(night).filter((one) => one.startsWith('thinker ')).length, 1);
  await apply(org, night, `${chart('1000000')}\n## Policies\n\n### Budget\n- **Overage behavior:** stop\n`);
  await until('its next', () => tries(night).some((one) => /^thinker \S+ \S+ keep 5$/.test(one)), 60_000);
  writeFileSync(gate, '');
  await night.ended;
  await holds(org);
});

test('a department that is renamed takes nobody’s pause along, and that is told; the old name can be resumed', async () => {
  const gate = path.join(gates, 'renamed');
  writeFileSync(gate, '');
  const chart = (department: string): string =>
    structure(`### ${department}\n\n#### Lead\n- **Level:** 8\n\n##### Maker\n- **Level:** 3\n`);
  const org = orgWith(chart('Research'), [spec('0001', 'one')], { agent: gated(gate) });
  assert.equal((await org.orgrepo('pause', 'research')).code, 0);
  const night = start(org, '--max', '1');
  await until('the night', () => /"fact":"calibrated"/.test(night.said()), 60_000);
  await apply(org, night, chart('Science'));
  const { code } = await night.ended;
  assert.equal(code, 0, night.complained());
  assert.deepEqual(claims(night), ['maker 0001']);
  assert.match(night.said(), /department research is not in the org any more, so orders for it apply to nobody/);
  assert.match(org.git('show', 'orgrepo/reports:reports/latest.md'), /orgrepo resume research/);
  assert.equal((await org.orgrepo('resume', 'research')).code, 0);
  await holds(org);
});
