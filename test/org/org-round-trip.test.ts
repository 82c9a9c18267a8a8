import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Charter, Member } from '../../src/domain/staff/charter.ts';
import { readCharter } from '../../src/org/read/org-file.ts';
import { exportOrg } from '../../src/org/write/org-export.ts';
import { formatCharter } from '../../src/org/write/org-format-chart.ts';
import { type Random, randomFrom } from '../../src/text/random.ts';
import { aCharter } from '../support/builders.ts';
import { acme, agency, growthLab, lab, solo } from './org-examples.ts';
import { generateOrg } from './org-generate.ts';

// A thousand, in quarters: a test has a time limit, and machines are busy.
for (const first of [0, 250, 500, 750]) {
  test(`generated files ${first} to ${first + 249}: parse, export, parse is the same org, and 0 bytes change`, () => {
    for (let round = first; round < first + 250; round++) {
      const text = generateOrg(randomFrom(`org ${round}`));
      const charter = aCharter(text);
      assert.ok(charter.members.length > 0);
      assert.equal(exportOrg(text, charter, charter), text);
      assert.deepEqual(bare(aCharter(formatCharter(charter))), bare(charter), `org ${round}`);
    }
  });
}

test('the examples of the specification change by 0 bytes, with any line ends', () => {
  for (const example of [acme, solo, agency, lab]) {
    for (const text of [example, example.replace(/\n/g, '\r\n'), `\ufeff${example}`, example.trimEnd()]) {
      const charter = aCharter(text);
      assert.equal(exportOrg(text, charter, charter), text);
      assert.deepEqual(bare(aCharter(formatCharter(charter))), bare(aCharter(example)));
    }
  }
});

test('a department that has its name from the id of who leads it is written so that it has it again', () => {
  for (const title of ['🚀 Lead', '🚀', '工程 Lead']) {
    const charter = aCharter(`# A\n\n## Structure\n\n### ${title}\n- **Id:** web-lead\n\n#### Packers\n`);
    assert.deepEqual(bare(aCharter(formatCharter(charter))), bare(charter), title);
  }
});

test('org.yaml is written as an ORG.md that says the same', () => {
  const { charter } = readCharter({ orgYaml: growthLab });
  const again = readCharter({ orgMd: formatCharter(charter) }).charter;
  assert.deepEqual(bare({ ...again, file: 'org.yaml' }), bare(charter));
});

test('whoever came and went, the exported file is read as who is there', () => {
  for (let round = 0; round < 150; round++) {
    const random = randomFrom(`staff ${round}`);
    const text = generateOrg(random);
    const charter = aCharter(text);
    const members = changeStaff(charter, random);
    const exported = exportOrg(text, charter, { members });
    const again = aCharter(exported);
    assert.deepEqual(staff(again.members), staff(members), `staff ${round}`);
  }
});

/** A charter without where things stand and where they were said. */
function bare(value: unknown): unknown {
  if (value instanceof Map) return new Map([...value].map(([key, one]) => [key, bare(one)]));
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, one]) => key !== 'place' && key !== 'origin' && !(key === 'from' && typeof one === 'string'))
      .map(([key, one]) => [key, bare(one)]),
  );
}

const staff = (members: readonly Member[]) =>
  members
    .map(({ id, name, level, department, reportsTo, domains, modelWords }) => ({
      ...{ id, name, level, department, reportsTo, domains, modelWords },
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));

/** Some leave, some are spawned; nobody is left without a manager who is there. */
function changeStaff(charter: Charter, random: Random): readonly Member[] {
  const stays = charter.members.filter(() => random.next() < 0.8);
  const leads = stays.filter(({ level }) => level >= 4);
  const spawned = Array.from({ length: random.below(4) }, (_, at): Member | undefined => {
    const lead = leads.length === 0 ? undefined : random.pick(leads);
    if (lead === undefined) return undefined;
    const name = random.pick([`Spawned Worker ${at}`, `Helper ${at}`]);
    return {
      ...lead,
      id: name.toLowerCase().replaceAll(' ', '-'),
      name,
      level: random.pick([2, 4]),
      reportsTo: lead.id,
      role: { name, index: 1, count: 1 },
      spawnedBy: lead.id,
    };
  });
  const members = [...stays, ...spawned.filter((one) => one !== undefined)];
  const next = nextOfCounted(charter, stays, random);
  const all = [...members, ...next];
  const ids = new Set([...all, ...charter.people].map(({ id }) => id));
  const person = charter.people[0]?.id;
  return all.map((member) => (ids.has(member.reportsTo ?? '') ? member : { ...member, reportsTo: person }));
}

/** One more of a role that has a count and nobody has left. */
function nextOfCounted(charter: Charter, stays: readonly Member[], random: Random): readonly Member[] {
  const last = charter.members.find(({ role, name }) => role.index === role.count && name !== role.name);
  const whole = charter.members.filter(({ place }) => place.line === last?.place.line);
  if (last === undefined || !whole.every(({ id }) => stays.some((one) => one.id === id)) || random.next() < 0.5)
    return [];
  const number = last.role.count + 1;
  const rename = (text: string): string => text.replace(/[0-9]+$/, String(number));
  return [
    { ...last, id: rename(last.id), name: rename(last.name), role: { ...last.role, index: number, count: number } },
  ];
}
