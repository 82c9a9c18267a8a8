import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Member } from '../../src/domain/staff/charter.ts';
import { exportOrg } from '../../src/org/write/org-export.ts';
import { aCharter } from '../support/builders.ts';
import { acme, acmeStructure } from './org-examples.ts';

/** The lines that one file has and the other has not, with + and -. */
function changes(before: string, after: string): readonly string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < old.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  return [
    ...old.slice(start, old.length - end).map((line) => `-${line}`),
    ...now.slice(start, now.length - end).map((line) => `+${line}`),
  ];
}

const exported = (text: string, change: (members: readonly Member[]) => readonly Member[]): readonly string[] => {
  const charter = aCharter(text);
  const members = change(charter.members);
  const after = exportOrg(text, charter, { members });
  assert.deepEqual(new Set(aCharter(after).members.map(({ id }) => id)), new Set(members.map(({ id }) => id)));
  return changes(text, after);
};

function spawned(members: readonly Member[], like: string, known: Partial<Member>): readonly Member[] {
  const model = members.find(({ id }) => id === like);
  assert.ok(model !== undefined);
  const name = known.name ?? model.name;
  return [...members, { ...model, name, role: { name, index: 1, count: 1 }, spawnedBy: 'engineering-lead', ...known }];
}

test('one more of a role raises its count, and one less lowers it', () => {
  const more = (members: readonly Member[]) =>
    spawned(members, 'frontend-worker-3', { id: 'frontend-worker-4', name: 'Frontend Worker 4' });
  assert.deepEqual(exported(acme, more), ['-- **Count:** 3', '+- **Count:** 4']);
  assert.deepEqual(exported(acme.replace(/\n/g, '\r\n'), more), ['-- **Count:** 3\r', '+- **Count:** 4\r']);
  const less = (members: readonly Member[]) => members.filter(({ id }) => id !== 'frontend-worker-3');
  assert.deepEqual(exported(acme, less), ['-- **Count:** 3', '+- **Count:** 2']);
});

test('a reason stays beside its count', () => {
  const text = '## Structure\n\n### Workers\n- **Count:** 2 agents — for now\n';
  assert.deepEqual(
    exported(text, (members) => members.slice(0, 1)),
    ['-- **Count:** 2 agents — for now', '+- **Count:** 1 agents — for now'],
  );
});

test('whoever leaves a row in its middle keeps the names of the others', () => {
  const gone = (members: readonly Member[]) => members.filter(({ id }) => id !== 'frontend-worker-2');
  assert.deepEqual(exported(acmeStructure, gone), [
    '-- **Count:** 3',
    '+- **Count:** 1',
    '+',
    '+#### Frontend Worker 3',
    '+',
    '+Build and maintain the dashboard and marketing site.',
    '+',
    '+- **Model:** claude-haiku',
    '+- **Domain:** frontend',
    '+- **Reports to:** engineering-lead',
  ]);
});

test('a spawned role stands below its department, with the byte order mark and line ends of the file', () => {
  const text = `\ufeff${acmeStructure.replace(/\n/g, '\r\n')}`;
  const spawn = (members: readonly Member[]) =>
    spawned(members, 'security-worker', {
      id: 'threat-modeler',
      name: 'Threat Modeler',
      context: 'Asks what could go wrong.',
    });
  assert.deepEqual(
    exported(text, spawn),
    [
      '+#### Threat Modeler',
      '+',
      '+Asks what could go wrong.',
      '+',
      '+- **Model:** claude-haiku',
      '+- **Domain:** infrastructure-security',
      '+- **Reports to:** security-lead',
      '+',
    ].map((line) => `${line}\r`),
  );
});

test('a role that is gone is taken out with its prose, and its department says that nobody leads it', () => {
  assert.deepEqual(
    exported(acmeStructure, (members) => members.filter(({ id }) => id !== 'qa-worker')),
    [
      '-#### QA Worker',
      '-',
      '-Writes and runs tests. Reviews PRs for quality.',
      '-',
      '-- **Model:** claude-haiku',
      '-- **Domain:** testing',
      '-',
    ],
  );
  assert.deepEqual(
    exported(acmeStructure, (members) => members.filter(({ department }) => department !== 'security')),
    [
      '-#### Security Lead',
      '-',
      '-- **Model:** claude-sonnet',
      '-- **Domain:** appsec',
      '-',
      '-#### Security Worker',
      '-',
      '-- **Model:** claude-haiku',
      '-- **Domain:** infrastructure-security',
      '+- **Lead:** none',
    ],
  );
});

test('whoever would report to somebody else by the headings gets a line that says whom', () => {
  const text = '## Structure\n\n### COO\n\n### Ops\n\n#### Ops Lead\n\n#### Worker\n\n#### Writer\n';
  const charter = aCharter(text);
  const members = charter.members
    .filter(({ id }) => id !== 'ops-lead')
    .map((one) => (one.department === 'ops' ? { ...one, reportsTo: 'coo' } : one));
  assert.equal(
    exportOrg(text, charter, { members }),
    '## Structure\n\n### COO\n\n### Ops\n\n#### Worker\n\n#### Writer\n\n- **Reports to:** coo\n',
  );
});

test('a file without a structure gets one for those who were spawned', () => {
  const member: Member = {
    ...{
      id: 'helper',
      name: 'Helper',
      level: 4,
      department: undefined,
      reportsTo: 'human-principal',
      domains: [],
      model: undefined,
    },
    ...{
      modelWords: undefined,
      limit: undefined,
      context: '',
      role: { name: 'Helper', index: 1, count: 1 },
      place: { file: 'ORG.md' },
    },
  };
  assert.deepEqual(
    exported('# A\n\nProse.', () => [member]),
    ['+', '+## Structure', '+', '+### Helper', '+', '+- **Reports to:** human-principal', '+'],
  );
});
