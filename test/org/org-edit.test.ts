import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addBriefLine } from '../../src/brief/read/brief-text.ts';
import { editOrg, type OrgEdit } from '../../src/org/write/org-edit.ts';
import { isProblem } from '../../src/text/problem.ts';

const org = `---
models: { claude-haiku: claude-haiku-4-5-20251001 }
---
# Acme

## Identity

\`\`\`
### QA Worker
- **Count:** 9
\`\`\`

## Structure

### Engineering

Our largest team.

#### Engineering Lead

- **Model:** claude-sonnet

#### Frontend Workers

Build the dashboard.

- **Model:** claude-haiku
- **Count:** 3 — one each for web, docs and mail

#### QA Worker
Writes tests.

* **Model:** claude-haiku
  and nothing dearer
* **Domain:** testing

### Security Lead

- **Domain:** appsec

#### Security Worker

## Policies

### Budget

- **Per-agent limit:** 1000 credits/period   -- enough for most
- **Period:** weekly

### Working Hours

- **Active hours:** 08:00-22:00
`;

const place = { file: 'ORG.md', line: 1 };
const count = (role: string, from: number, to: number, line = 1): OrgEdit => ({
  ...{ kind: 'count', role, place: { ...place, line }, from, to },
});
const set = (path: string, value: string): OrgEdit => ({ kind: 'set', path, value });
const role = (department: string, more: Partial<Extract<OrgEdit, { kind: 'add-role' }>> = {}): OrgEdit => ({
  ...{ kind: 'add-role', department, name: 'Engineering Senior', level: 6, domain: undefined, model: undefined },
  ...more,
});

/** The lines that an edit takes away and those it adds; all others are the same, to the byte. */
function changed(before: string, edit: OrgEdit): { readonly out: readonly string[]; readonly in: readonly string[] } {
  const after = editOrg(before, edit);
  if (isProblem(after)) throw after;
  const [a, b] = [before.split(/(?<=\n)/), after.split(/(?<=\n)/)];
  let [start, end] = [0, 0];
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start += 1;
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return { out: a.slice(start, a.length - end), in: b.slice(start, b.length - end) };
}

const refusal = (edit: OrgEdit, text = org): string => {
  const problem = editOrg(text, edit);
  return isProblem(problem) ? problem.message : assert.fail('it was edited');
};

test('a count is changed where it stands, and its reason stays', () => {
  assert.deepEqual(changed(org, count('Frontend Workers', 3, 2)), {
    out: ['- **Count:** 3 — one each for web, docs and mail\n'],
    in: ['- **Count:** 2 — one each for web, docs and mail\n'],
  });
});

test('a count that nobody wrote is added to the list of its role, in its own hand', () => {
  assert.deepEqual(changed(org, count('QA Worker', 1, 2)), { out: [], in: ['* **Count:** 2\n'] });
  assert.match(
    String(editOrg(org, count('QA Worker', 1, 2))),
    /\* \*\*Domain:\*\* testing\n\* \*\*Count:\*\* 2\n\n### Sec/,
  );
  assert.deepEqual(changed(org, count('Security Worker', 1, 2)), { out: [], in: ['- **Count:** 2\n', '\n'] });
});

test('a value of a role is set, or added where it is missing', () => {
  assert.deepEqual(changed(org, set('roles.QA Worker.level', '6')), { out: [], in: ['* **Level:** 6\n'] });
  assert.deepEqual(changed(org, set('roles.Security Lead.limit', '$5')), { out: [], in: ['- **Limit:** $5\n'] });
});

test('a limit keeps its period and its reason', () => {
  assert.deepEqual(changed(org, set('policies.budget.perAgent', '1400 credits')), {
    out: ['- **Per-agent limit:** 1000 credits/period   -- enough for most\n'],
    in: ['- **Per-agent limit:** 1400 credits/period   -- enough for most\n'],
  });
  assert.deepEqual(changed(org, set('policies.budget.total', '$20')), { out: [], in: ['- **Total limit:** $20\n'] });
  const lab = org.replace('### Budget', '### Exploration Budget');
  assert.deepEqual(changed(lab, set('policies.budget.perAgent', '5 credits')).in, [
    '- **Per-agent limit:** 5 credits/period   -- enough for most\n',
  ]);
  assert.equal(
    editOrg('# Acme\n\n## Structure\n', set('policies.budget.total', '$20')),
    '# Acme\n\n## Structure\n\n## Policies\n\n### Budget\n\n- **Total limit:** $20\n',
  );
});

test('policies without a budget get one at their end', () => {
  const text = '# Acme\n\n## Policies\n\n### Working Hours\n\n- **Active hours:** 08:00-22:00\n\n## Notes\n';
  assert.deepEqual(changed(text, set('policies.budget.total', '$20')).in, [
    ...['### Budget\n', '\n', '- **Total limit:** $20\n', '\n'],
  ]);
});

test('a role is added at the end of its department', () => {
  const edit = role('engineering', { domain: 'backend', model: 'claude-haiku' });
  assert.deepEqual(changed(org, edit).in, [
    ...['#### Engineering Senior\n', '\n'],
    ...['- **Model:** claude-haiku\n', '- **Domain:** backend\n', '- **Level:** 6\n', '\n'],
  ]);
  assert.match(
    String(editOrg(org, edit)),
    /\* \*\*Domain:\*\* testing\n\n#### Engineering Senior\n\n- [^#]*6\n\n### Security Lead/,
  );
  const headed = String(editOrg(org, role('security', { name: 'Security Senior' })));
  assert.match(headed, /#### Security Worker\n\n#### Security Senior\n\n- \*\*Level:\*\* 6\n\n## Policies/);
});

test('line ends, a byte order mark and a file without a last line end are left as they are', () => {
  const windows = `\ufeff${org}`.replaceAll('\n', '\r\n');
  assert.deepEqual(changed(windows, count('Frontend Workers', 3, 2)).in, [
    '- **Count:** 2 — one each for web, docs and mail\r\n',
  ]);
  assert.deepEqual(changed(windows, count('QA Worker', 1, 2)), { out: [], in: ['* **Count:** 2\r\n'] });
  assert.deepEqual(changed(windows, role('engineering')).in, [
    ...['#### Engineering Senior\r\n', '\r\n', '- **Level:** 6\r\n', '\r\n'],
  ]);
  const open = '## Structure\n\n### Code Agent\n\n- **Domain:** fullstack';
  assert.equal(editOrg(open, count('Code Agent', 1, 2)), `${open}\n- **Count:** 2`);
});

test('of two roles of one name the one that was meant is edited, and where nobody can tell none is', () => {
  const twins = '## Structure\n\n### A\n\n#### Worker\n\n- **Count:** 2\n\n### B\n\n#### Worker\n\n- **Count:** 2\n';
  assert.deepEqual(
    editOrg(twins, count('Worker', 2, 1, 11)),
    '## Structure\n\n### A\n\n#### Worker\n\n- **Count:** 2\n\n### B\n\n#### Worker\n\n- **Count:** 1\n',
  );
  assert.equal(refusal(set('roles.Worker.level', '6'), twins), 'ORG.md:11:1: there are 2 roles "Worker"');
});

test('what is not there, or is not so any more, is refused by its line', () => {
  assert.equal(
    refusal(count('Frontend Workers', 4, 3)),
    'ORG.md:28:1: the count of "Frontend Workers" is 3 by now, not 4',
  );
  assert.equal(refusal(count('Astronaut', 1, 2)), 'ORG.md:1:1: there is no role "Astronaut" under Structure');
  assert.equal(refusal(role('marketing')), 'ORG.md:1:1: there is no department "marketing"');
  assert.equal(refusal(role('engineering', { name: 'QA worker' })), 'ORG.md:30:1: there is a role "QA worker" already');
  assert.equal(refusal(set('people.0', 'x')), 'ORG.md:1:1: "people.0" is nothing that can be set here');
  const yaml = `---\nbudget:\n  monthly_compute: $5\n---\n${org.slice(org.indexOf('# Acme'))}`;
  assert.equal(refusal(set('policies.budget.total', '$9'), yaml), 'ORG.md:3:1: the total stands in the front matter');
});

test('what a night has taught stands under a heading of its own in the brief', () => {
  const brief = '---\nmetric: loss\n---\nMake it small.\n';
  const once = addBriefLine(brief, 'Already tried.');
  assert.equal(once, `${brief}\n## What was learned\n\n- Already tried.\n`);
  assert.equal(addBriefLine(once, 'And this.'), `${once}- And this.\n`);
  assert.equal(
    addBriefLine('## What was learned\r\n\r\n## Budget\r\n', 'This.'),
    '## What was learned\r\n\r\n- This.\r\n\r\n## Budget\r\n',
  );
  assert.equal(addBriefLine('Small.', 'This.'), 'Small.\n\n## What was learned\n\n- This.\n');
});

test('a section of ORG.md whose heading is underlined is edited as one with signs', () => {
  const text =
    'Mine\n====\n\nStructure\n---------\n\n### Engineering\n\n#### Coder\n\nPolicies\n--------\n\n### Budget\n';
  const coder: OrgEdit = {
    kind: 'count',
    role: 'Coder',
    place: { file: 'ORG.md', line: 9, column: 1 },
    from: 1,
    to: 2,
  };
  assert.equal(editOrg(text, coder), text.replace('#### Coder\n', '#### Coder\n\n- **Count:** 2\n'));
  assert.equal(
    editOrg(text, { kind: 'set', path: 'policies.budget.total', value: '5 usd' }),
    `${text}\n- **Total limit:** 5 usd\n`,
  );
});

test('a heading that is underlined is a heading, also of what was learned', () => {
  const brief = 'What was learned\n----------------\n\n- Already tried.\n\nBudget\n======\n\nSmall.\n';
  assert.equal(addBriefLine(brief, 'And this.'), brief.replace('tried.\n', 'tried.\n- And this.\n'));
});
