import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePlan } from '../../src/preflight/make-plan.ts';
import { openChecked } from '../../src/preflight/open-checked.ts';
import { openOrg } from '../../src/records/org.ts';
import { closeOrg } from '../../src/score/arena/measuring-room.ts';
import { makeOrg, quadratic, type TestOrg } from '../support/org.ts';

const lab = `# Lab

## Culture

preset: research

- **Escalation:** immediate — nights are short

## Structure

### Principal Investigator
- **Domain:** research direction

#### Senior Researcher
- **Count:** 2
- **Domain:** models

#### Research Assistant
- **Count:** 2
- **Domain:** data

## Playbooks

### Blocked

1. Read the notebook.
2. Ask for help.
`;

async function withOrg(orgMd: string | undefined, use: (org: TestOrg) => Promise<void> | void): Promise<void> {
  const org = makeOrg({ ...quadratic, ...(orgMd === undefined ? {} : { 'ORG.md': orgMd }) });
  try {
    await use(org);
  } finally {
    org.remove();
  }
}

interface Told {
  readonly org: Record<string, never> & {
    readonly agents: readonly Record<string, unknown>[];
    readonly culture: unknown;
    readonly settings: readonly { readonly what: string; readonly value: string; readonly from: string }[];
    readonly playbooks: unknown;
  };
  readonly changes: readonly {
    readonly kind: string;
    readonly what: string;
    readonly from?: string;
    readonly to?: string;
  }[];
  readonly warnings: readonly { readonly file: string; readonly line: number; readonly message: string }[];
}

const planOf = async (org: TestOrg, ...args: string[]): Promise<Told> => {
  const ran = await org.orgrepo('plan', '--json', '--no-measure', ...args);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  return JSON.parse(ran.stdout);
};

test('every role of the chart has its row, with its level, and workers of two roles are two rows', async () => {
  await withOrg(lab, async (org) => {
    const { stdout } = await org.orgrepo('plan', '--no-measure');
    assert.match(stdout, /^Plan for Lab · nothing has run yet$/m);
    assert.match(
      stdout,
      /^ {2}Agents {5}\+ principal-investigator {2}L6 · research direction · search agent, no model · /m,
    );
    assert.match(stdout, /^ {13}\+ senior-researcher-1\.\.2 {2}L6 of principal-investigator · models · search/m);
    assert.match(stdout, /^ {13}\+ research-assistant-1\.\.2 {2}L2 of principal-investigator · data · search/m);
    assert.match(stdout, /^ {2}Org {8}\+ ORG\.md {10}culture research \(ORG\.md:5\) · SDLC by default/m);
    const settings = (await org.orgrepo('plan', '--no-measure', '--settings')).stdout;
    assert.match(settings, /^ {2}culture\.escalation +immediate +ORG\.md:7 · nights are short$/m);
    assert.match(settings, /^ {2}culture\.progress +\S+ +preset research$/m);
    assert.match(settings, /^ {2}policies\.permissions\.spawn +L\d\+ +default$/m);
  });
});

test('plan --json is the org: agents with level, domain and line, culture, playbooks, and where each value came from', async () => {
  await withOrg(lab, async (org) => {
    const { org: told } = await planOf(org);
    assert.equal(told.name, 'Lab');
    assert.deepEqual(
      told.agents.map(({ id, reports_to, domain }) => [id, reports_to, domain]),
      [
        ['principal-investigator', 'human-principal', ['research direction']],
        ['senior-researcher-1', 'principal-investigator', ['models']],
        ['senior-researcher-2', 'principal-investigator', ['models']],
        ['research-assistant-1', 'principal-investigator', ['data']],
        ['research-assistant-2', 'principal-investigator', ['data']],
      ],
    );
    assert.ok(told.agents.every(({ level }) => typeof level === 'number'));
    assert.equal((told.culture as { preset: string }).preset, 'research');
    assert.deepEqual(told.playbooks, [{ name: 'Blocked', steps: ['Read the notebook.', 'Ask for help.'] }]);
    const escalation = told.settings.find(({ what }) => what === 'culture.escalation');
    assert.deepEqual(escalation, {
      what: 'culture.escalation',
      value: 'immediate',
      from: 'ORG.md:7',
      why: 'nights are short',
    });
  });
});

test('a run puts the org into force; plan then tells roles, settings and prose that would change', async () => {
  await withOrg(lab, async (org) => {
    const ran = await org.orgrepo('run', '--max', '2');
    assert.equal(ran.code, 0, ran.stderr);
    assert.deepEqual(org.git('ls-tree', '--name-only', 'refs/orgrepo/applied').trim().split('\n'), [
      'ORG.md',
      'program.md',
    ]);
    const message = org.git('log', '-1', '--format=%B', 'refs/orgrepo/applied');
    assert.match(message, /^Org-Event: apply$/m);
    assert.match(message, /^Org-By: run \d{4}-\d\d-\d\d$/m);
    assert.equal((await org.orgrepo('verify')).code, 0, (await org.orgrepo('verify')).stdout);
    const same = await org.orgrepo('plan', '--exit-code');
    assert.equal(same.code, 0, same.stdout);

    const changed = lab
      .replace('- **Count:** 2\n- **Domain:** data', '- **Domain:** data\n\nCleans what others have left.')
      .replace('preset: research', 'preset: startup');
    org.write('ORG.md', changed);
    org.commit('a smaller lab');
    const plan = await planOf(org);
    const what = plan.changes.map((change) => `${change.kind} ${change.what}`);
    for (const expected of [
      'add agents.research-assistant',
      'remove agents.research-assistant-1',
      'remove agents.research-assistant-2',
      'change culture.preset',
      'add prose.Research Assistant',
    ])
      assert.ok(what.includes(expected), `${expected} in ${what.join(', ')}`);
    assert.ok(!what.includes('brief') && !what.includes('harness'));
    assert.deepEqual(
      plan.changes.find((one) => one.what === 'culture.preset'),
      { kind: 'change', what: 'culture.preset', from: 'research', to: 'startup' },
    );
    assert.equal((await org.orgrepo('plan', '--exit-code', '--no-measure')).code, 10);
  });
});

test('plan warns of idle roles, of specs whose domain is nobody’s, and of a checker that is its maker’s model', async () => {
  const orgMd = `---
models: { worker: claude-sonnet-4-5-20250929 }
---
# Shop

## Structure

### Lead
- **Domain:** planning
- **Level:** 9
- **Model:** worker

#### Worker
- **Domain:** code
- **Model:** worker

#### Helper
- **Model:** worker
`;
  await withOrg(orgMd, async (org) => {
    org.write('specs/0002-far.md', '---\nid: "0002"\ntitle: paint it\nby: people\ndomain: painting\n---\nPaint.\n');
    org.commit('a shop');
    const ran = await org.orgrepo('plan', '--json', '--no-measure');
    const told = JSON.parse(ran.stdout) as Told;
    assert.equal(ran.code, 0, ran.stdout);
    const said = told.warnings.map(({ file, line, message }) => `${file}:${line} ${message}`).join('\n');
    assert.match(said, /ORG\.md:17 .*helper has no domain, and others have/);
    assert.match(said, /specs\/0002-far\.md:1 .*nobody's domain is painting/);
    assert.match(said, /can be checked only by the same model/);
  });
});

test('a chart of 200 roles is planned within a second, and fits on a screen', async () => {
  const roles = Array.from({ length: 10 }, (_, department) => [
    `### Department ${department} Lead\n- **Domain:** field ${department}\n`,
    ...Array.from(
      { length: 19 },
      (__, role) => `#### Maker ${department} of ${role} kind\n- **Domain:** part ${department} ${role}\n`,
    ),
  ]).flat();
  const orgMd = `# Large\n\n## Structure\n\n### Head\n- **Level:** 10\n\n${roles.join('\n')}`;
  const org = makeOrg({ ...quadratic, 'ORG.md': orgMd });
  try {
    const { stdout, code } = await org.orgrepo('plan', '--no-measure');
    assert.equal(code, 0, stdout);
    const opened = await openOrg(org.dir);
    const before = process.cpuUsage(); // Other tests run beside this one: what counts is its own work.
    await makePlan(opened, await openChecked(opened), 'never');
    const { user, system } = process.cpuUsage(before);
    await closeOrg(opened);
    assert.ok(user + system < 1_000_000, `${(user + system) / 1000} ms`);
    assert.ok(stdout.split('\n').length < 60, stdout);
  } finally {
    org.remove();
  }
});

test('policies without an ORG.md are not told as an ORG.md that is gone', async () => {
  await withOrg(undefined, async (org) => {
    org.write('policies/all.cedar', 'permit (principal, action, resource);\n');
    org.commit('policies');
    const never = (await org.orgrepo('plan')).stdout;
    assert.match(never, /^ {2}Org {8}= no file {9}no ORG\.md: the default organisation$/m);
    assert.match(never, /^ +\+ policies /m);
    assert.doesNotMatch(never, /any more/);
  });
});

test('an ORG.md that is too large is told with its own size', async () => {
  await withOrg(`# Lab\n\n${'words and words\n'.repeat(600_000)}`, async (org) => {
    const { code, stderr } = await org.orgrepo('plan');
    assert.equal(code, 6, stderr);
    assert.match(stderr, /ORG\.md:1:1: the file has 9600007 bytes, expected at most 1048576/);
  });
});

test('ORG.md alone is read, an org.yaml that agrees is a warning, and one that differs is refused with its line', async () => {
  const yaml = 'name: lab\ngovernance: { audit: { log_every_tool_call: false } }\n';
  await withOrg(lab, async (org) => {
    const plan = async (files: Readonly<Record<string, string>>) => {
      for (const [file, text] of Object.entries(files)) org.write(file, text);
      org.git('add', '-A');
      org.git('commit', '-qm', 'the org', '--allow-empty');
      return org.orgrepo('plan', '--no-measure');
    };
    assert.doesNotMatch((await plan({})).stdout, /org\.yaml/);
    const agreed = await plan({ 'org.yaml': yaml });
    assert.equal(agreed.code, 0, agreed.stderr);
    assert.match(agreed.stdout, /^Plan for Lab/m);
    assert.match(agreed.stdout, /org\.yaml says the same beside it: keep one of them; the next release refuses two/);
    const differing = await plan({ 'org.yaml': `${yaml}culture: startup\n` });
    assert.equal(differing.code, 6);
    assert.match(differing.stderr, /org\.yaml:3: culture\.preset is startup here, and research in ORG\.md/);
    assert.match(differing.stderr, /Keep one of the two files\./);
    org.git('rm', '-q', 'ORG.md');
    assert.match((await plan({})).stdout, /^Plan for lab/m, 'org.yaml alone');
  });
});
