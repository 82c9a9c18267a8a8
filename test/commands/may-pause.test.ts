import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { chartedOrg, twoFields } from '../support/chart.ts';
import { briefText, makeOrg, quadratic, type TestOrg } from '../support/org.ts';

/** `Can pause: no` of a person holds for every word that steers a run, and before anything is written. */

const orgs: TestOrg[] = [];
after(() => {
  for (const org of orgs) org.remove();
});

const people = `### Test Person (Human)
- **Can pause:** no

### Board (Human)

`;

const words = [
  ['pause', 'backend-worker'],
  ['pause', 'backend-worker', '--rate', '6/h'],
  ['pause', '--rate', '6/h'],
  ['pause'],
  ['resume', 'backend-worker'],
  ['resume'],
  ['stop', 'backend-worker'],
  ['stop'],
  ['stop', '--now'],
];

const refsOf = (org: TestOrg): string => org.git('for-each-ref');

test('whoever may not pause is refused whatever steers a run, with exit 6, and nothing is written', () => {
  const org = chartedOrg({ structure: `${people}${twoFields}` });
  orgs.push(org);
  const before = refsOf(org);
  for (const word of words) {
    const ran = org.orgrepo(...word);
    assert.equal(ran.code, 6, `${word.join(' ')}: ${ran.stderr}`);
    assert.match(ran.stderr, new RegExp(`test-person may not ${word[0]} anything here`));
    assert.match(ran.stderr, /It is for board/);
  }
  assert.equal(refsOf(org), before);
});

test('who is known by --as or by nothing that the chart says may, and who is nobody of the org is told who is', () => {
  const org = chartedOrg({ structure: `${people}${twoFields}` });
  orgs.push(org);
  const nobody = org.orgrepo('pause', 'backend-worker', '--as', 'bord');
  assert.equal(nobody.code, 6, nobody.stderr);
  assert.match(nobody.stderr, /bord is none of the people of the org[\s\S]*test-person, board/);
  assert.equal(org.orgrepo('pause', 'backend-worker', '--as', 'board').code, 0);
  assert.equal(org.orgrepo('resume', 'backend-worker').code, 6);
  org.git('config', 'user.name', 'Somebody Else');
  assert.equal(org.orgrepo('resume', 'backend-worker').code, 0);
  assert.equal(org.orgrepo('verify').code, 0);
});

test('can_pause_any_agent: false of org.yaml is the same', () => {
  const org = makeOrg({
    ...quadratic,
    'program.md': briefText({}),
    'org.yaml': `departments:
  research:
    agents: [backend-worker]
governance:
  humans: [{ role: person, can_pause_any_agent: false }, { role: board }]
`,
  });
  orgs.push(org);
  const ran = org.orgrepo('pause', 'backend-worker');
  assert.equal(ran.code, 6, ran.stderr);
  assert.match(ran.stderr, /person may not pause anything here/, 'git knows the address person@…');
});
