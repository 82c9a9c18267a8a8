import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Charter, CharterPolicies, Culture, Sdlc } from '../../src/domain/staff/charter.ts';
import { culturePresets, sdlcPresets } from '../../src/domain/staff/charter.ts';
import { readCharter } from '../../src/org/read/org-file.ts';
import { cultureValues } from '../../src/org/settings/org-culture.ts';
import { formatPolicies } from '../../src/org/settings/org-policies.ts';
import { sdlcValues } from '../../src/org/settings/org-sdlc.ts';
import { charterValues, settingsOf } from '../../src/org/write/charter-values.ts';

const read = (orgMd: string): { readonly charter: Charter; readonly said: readonly string[] } => {
  const { charter, warnings } = readCharter({ orgMd }, { resolve: false });
  return {
    charter,
    said: warnings.map(({ message }) => message).filter((message) => !message.includes('## Structure')),
  };
};
const policies = (text: string): CharterPolicies => read(`## Policies\n\n${text}\n`).charter.policies;
const culture = (text: string): Culture => read(`## Culture\n\n${text}\n`).charter.culture;
const sdlc = (text: string): Sdlc => read(`## SDLC\n\n${text}\n`).charter.sdlc;

test('every value of every preset is in force, and says where it came from', () => {
  for (const preset of culturePresets) {
    const read = culture(`preset: ${preset}`);
    for (const [key, value] of Object.entries(cultureValues[preset]))
      assert.deepEqual(read[key as keyof typeof cultureValues.startup], { value, from: `preset ${preset}` });
  }
  for (const preset of sdlcPresets) {
    const read = sdlc(`preset: ${preset}`);
    for (const [key, value] of Object.entries(sdlcValues[preset]))
      assert.deepEqual(read[key as keyof typeof sdlcValues.solo], { value, from: `preset ${preset}` });
  }
});

test("lines of culture in people's words", () => {
  const of = <Key extends 'escalation' | 'progress' | 'ack' | 'ackWithinMs' | 'hierarchy'>(key: Key, text: string) =>
    culture(text)[key].value;
  assert.equal(of('escalation', '- **Escalation:** Batched (hourly)'), 'hourly');
  assert.equal(of('escalation', '- **Escalation:** at once'), 'immediate');
  assert.equal(of('progress', '- **Progress:** frequent'), 'every-attempt');
  assert.equal(of('ack', '- **Ack required:** not needed'), false);
  assert.equal(of('ackWithinMs', '- **Ack required:** yes, within 10 minutes — or so'), 600_000);
  assert.equal(of('ackWithinMs', '- **Ack within:** 90s'), 90_000);
  assert.deepEqual(of('hierarchy', '- **Hierarchy depth:** 5-8 levels'), { min: 5, max: 8 });
  assert.deepEqual(of('hierarchy', '- **Max depth:** 3'), { min: 1, max: 3 });
  assert.deepEqual(of('hierarchy', '- **Hierarchy:** flat'), { min: 1, max: 2 });
  assert.deepEqual(of('hierarchy', '- **Hierarchy:** strict chain'), { min: 1, max: 10 });
});

test("lines of the SDLC in people's words", () => {
  assert.deepEqual(sdlc('### Pull Requests\n- **Required:** yes, with approval').review, {
    value: true,
    from: 'ORG.md:4',
  });
  assert.equal(sdlc('### Pull Requests\n- **Required:** optional').pullRequests.value, 'optional');
  assert.deepEqual(sdlc('- **Max size:** 300 LOC').mostLines.value, { soft: undefined, hard: 300 });
  assert.deepEqual(sdlc('preset: strict\n\n- **Max size:** none').mostLines.value, {
    soft: undefined,
    hard: undefined,
  });
  assert.equal(sdlc('- **Branch strategy:** feature branches, long-lived OK').branching.value, 'feature');
  assert.equal(sdlc('### Deploy\n- **Verification:** full E2E suite').verification.value, 'full');
  assert.deepEqual(sdlc('- **Pre-merge:** `npm test -- --run, all`, looks (really) good').preMerge.value, [
    { words: 'npm test -- --run, all', command: 'npm test -- --run, all' },
    { words: 'looks (really) good', command: undefined },
  ]);
});

test('amounts have units, and periods', () => {
  const perAgent = (text: string) => {
    const { budget } = policies(`### Budget\n- **Per-agent limit:** ${text}`);
    return [budget.perAgent?.value.amount, budget.perAgent?.value.unit, budget.period.value];
  };
  assert.deepEqual(perAgent('1000'), [1000, 'credits', 'week']);
  assert.deepEqual(perAgent('1,000 credits/period'), [1000, 'credits', 'week']);
  assert.deepEqual(perAgent('$12.50/day'), [12.5, 'usd', 'day']);
  assert.deepEqual(perAgent('200k tokens per month'), [200_000, 'tokens', 'month']);
});

test('hours go over midnight, and belong to a zone', () => {
  const hours = (text: string) => policies(`### Working Hours\n${text}`).hours;
  assert.deepEqual(hours('- **Active hours:** 22:00–06:00 (Europe/Vienna)'), {
    ...{ from: 1320, to: 360, zone: 'Europe/Vienna', criticalAnyway: false, origin: 'ORG.md:4' },
  });
  assert.equal(hours('- **Active hours:** 9am - 5:30pm')?.to, 1050);
  assert.equal(hours('- **Active hours:** 24/7'), undefined);
  const times = (text: string) => {
    const { from = 0, to = 0 } = hours(`- **Active hours:** ${text}`) ?? {};
    return [from / 60, to / 60];
  };
  for (const text of ['9am-5pm', '9 am to 5 pm', '9AM–5PM (UTC)', '9 a.m. to 5 p.m.', '9-5pm', '9 to 17', '9-17:00'])
    assert.deepEqual(times(text), [9, 17], text);
  for (const text of ['22-6', '10pm-6am', '10 pm to 6', '22:00 to 6']) assert.deepEqual(times(text), [22, 6], text);
  assert.deepEqual(times('09:00-05:00'), [9, 5], 'who writes minutes means them');
  const zone =
    '## Identity\n\n- **Timezone:** Asia/Tokyo\n\n## Policies\n\n### Working Hours\n- **Active hours:** 08:00-24:00 (org timezone)\n';
  assert.deepEqual(read(zone).charter.policies.hours?.zone, 'Asia/Tokyo');
});

test('permissions are lines of levels, and one that is none is said aloud', () => {
  const text =
    '## Policies\n\n### Permissions\n- Level 8 and above may spawn agents\n- Nobody can delegate\n- L5 can review\n- Seniors can dance\n';
  const { charter, said } = read(text);
  const { permissions } = charter.policies;
  assert.deepEqual(
    [permissions.spawn.value, permissions.delegate.value, permissions.review.value, permissions.create.value],
    [8, 11, 5, 7],
  );
  assert.deepEqual(said, ['ORG.md:7:3: no permission is read out of "Seniors can dance": agents only read it']);
  assert.equal(charter.policies.context, '### Permissions\n\n- Seniors can dance');
});

test('what of a named policy is not enforced is said aloud', () => {
  const { charter, said } = read(
    '## Policies\n\n### Client SLA\nBe quick.\n\n- Critical tasks: response within 1 cycle\n- Smile\n',
  );
  assert.equal(charter.policies.named[0]?.rules.length, 1);
  assert.equal(charter.policies.named[0]?.context, 'Be quick.');
  assert.deepEqual(said, ['ORG.md:7:3: Smile is not enforced: agents only read it']);
});

test('bullets are steps where a playbook has no numbers', () => {
  const { playbooks } = read('## Playbooks\n\n### Deploy\n\nCarefully.\n\n- build\n- ship\n').charter;
  assert.deepEqual(playbooks, [
    { name: 'Deploy', steps: ['build', 'ship'], context: 'Carefully.', place: { file: 'ORG.md', line: 3, column: 1 } },
  ]);
});

test('off-hours behavior that is not a way to wait is said aloud', () => {
  const { charter, said } = read(
    '## Policies\n\n### Working Hours\n- **Active hours:** 08:00-22:00\n- **Off-hours behavior:** party\n',
  );
  assert.deepEqual(said, ['ORG.md:5:27: outside of the hours work waits, whatever party means']);
  assert.equal(charter.policies.hours?.to, 22 * 60);
});

test('a line of Department Caps without a number is said aloud', () => {
  assert.deepEqual(read('## Policies\n\n### Department Caps\n- Keep it small\n').said, [
    'ORG.md:4:3: no cap is read out of "Keep it small": agents only read it',
  ]);
});

test('policies that are only partly understood are written under one heading', () => {
  const text = '## Policies\n\n### Permissions\n- Level 8 and above may spawn agents\n- Seniors can dance\n';
  const { charter } = read(text);
  const written = formatPolicies(charter.policies);
  assert.equal(written, '### Permissions\n\n- **L8+ can spawn agents**\n\n- Seniors can dance');
  const again = policies(written);
  assert.deepEqual([again.permissions.spawn.value, again.context], [8, charter.policies.context]);
});

test("the plan shows the lines of the org's own policies, with where they were said", () => {
  const { charter } = read('## Policies\n\n### Support SLA\n- **Response:** within 2 cycles\n- Be kind\n');
  assert.deepEqual(
    settingsOf(charter).filter(({ what }) => what.startsWith('policies.Support')),
    [
      { what: 'policies.Support SLA.Response', value: 'within 2 cycles', from: 'ORG.md:4' },
      { what: 'policies.Support SLA', value: 'Be kind', from: 'ORG.md:5' },
    ],
  );
});

test('what org.yaml says of compliance and audit is kept in words', () => {
  const orgYaml =
    'compliance: { regimes: [gdpr, sox], note: , more: { a: b, c: [] } }\ngovernance: { audit: { retain_for_days: 30 } }\n';
  const { charter } = readCharter({ orgYaml }, { resolve: false });
  assert.deepEqual(
    charter.others.map(({ name, text }) => [name, text]),
    [
      ['governance.audit.retain_for_days', '30'],
      ['compliance', '{ regimes: [gdpr, sox], note: , more: { a: b, c: [] } }'],
    ],
  );
  const values = charterValues(charter);
  assert.equal(values.get('prose.compliance'), '{ regimes: [gdpr, sox], note: , more: { a: b, c: [] } }');
  assert.match(values.get('governance.audit.retain_for_days') ?? '', /^30 days; everything is kept in git/);
});
