import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { anOrg } from '../support/builders.ts';
import type { TestOrg } from '../support/org.ts';

interface Told {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly file?: string;
  readonly line?: number;
}

async function toldByRun(org: TestOrg): Promise<Told> {
  const ran = await org.orgrepo('run', '--max', '1', '--json');
  return JSON.parse(ran.stdout.trimEnd().split('\n').at(-1) ?? '').error;
}

async function toldByDoctor(org: TestOrg): Promise<Told> {
  const { findings } = JSON.parse((await org.orgrepo('doctor', '--json')).stdout);
  const found = findings.find((one: { level: string }) => one.level === 'fail');
  const { level: _, exit, what: message, fix: hint, ...rest } = found;
  assert.equal(exit > 0, true);
  return { ...rest, message, hint };
}

const wrongs: readonly (readonly [name: string, code: string, write: (org: TestOrg) => void])[] = [
  [
    'a branches table that contradicts orgrepo',
    'branches/contradiction',
    (org) =>
      org.write(
        'branches.md',
        '| ref | holds | written by |\n| --- | --- | --- |\n| `orgrepo/best` | best | people |\n',
      ),
  ],
  [
    'a name in the sandbox that is not UTF-8',
    'brief/paths',
    (org) => writeFileSync(Buffer.concat([Buffer.from(`${org.dir}/sandbox/`), Buffer.from([0x61, 0xe9])]), 'x\n'),
  ],
  [
    'a policy that cannot be read',
    'org/policy',
    (org) => org.write('policies/a.cedar', 'permit (principal, action, resource);\n\npermit (principal, nothing);\n'),
  ],
  [
    'a spec that cannot be read',
    'spec/id',
    (org) => org.write('specs/0002-second.md', '---\nid: "two"\ntitle: another\n---\nAny number.\n'),
  ],
];

for (const [name, code, write] of wrongs)
  test(`doctor, plan and run report ${name} in the same words`, async () => {
    const org = anOrg();
    write(org);
    org.commit('something wrong');
    const told = await toldByRun(org);
    assert.equal(told.code, code, JSON.stringify(told));
    assert.deepEqual(await toldByDoctor(org), told);
    assert.deepEqual(JSON.parse((await org.orgrepo('plan', '--json')).stdout).error, told);
  });
