import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Playbook } from '../../src/domain/staff/charter.ts';
import { escalationReasons } from '../../src/domain/staff/escalation.ts';
import { playbookFor, stepsFor } from '../../src/org/rules/org-context.ts';

const book = (name: string, steps: readonly string[] = ['do this']): Playbook => ({
  ...{ name, steps, context: '', place: { file: 'ORG.md', line: 1 } },
});

test("a manager is given the org's own playbook for the reason", () => {
  for (const name of ['Escalation: OUT_OF_DOMAIN', 'escalation — out of domain', 'ESCALATION: Out-of-Domain'])
    assert.deepEqual(playbookFor('OUT_OF_DOMAIN', [book('Escalation: BLOCKED'), book(name)])?.name, name);
  for (const name of ['OUT_OF_DOMAIN', 'Escalation: OUT_OF_DOMAIN (old)', 'Escalation'])
    assert.equal(playbookFor('OUT_OF_DOMAIN', [book(name)]), undefined, name);
  assert.deepEqual(stepsFor('TIMEOUT', [book('Escalation: TIMEOUT', ['wait', 'see'])]), ['wait', 'see']);
});

test('for every reason there are steps, also where the org says nothing', () => {
  for (const reason of escalationReasons) {
    assert.equal(stepsFor(reason, []).at(-1), 'Where you cannot answer, escalate further up.');
    assert.equal(stepsFor(reason, [book(`Escalation: ${reason}`, [])]).length > 2, true);
  }
});
