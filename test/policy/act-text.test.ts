import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentPrincipal, toolAct } from '../../src/domain/rules/act.ts';
import { formatAct, parseAct } from '../../src/policy/act-schema.ts';

const act = toolAct(agentPrincipal('junior-1'), { server: 'stripe', name: 'charge' }, { note: 'a\u202eb', amount: 5 });

test('an act is one line without what turns a line around, and comes back as it was', () => {
  const text = formatAct(act);
  assert.match(text, /^[^\n\u202e]*\\u202e[^\n\u202e]*$/);
  assert.deepEqual(parseAct(text), JSON.parse(JSON.stringify(act)));
});

test('a text that is no act is read as none', () => {
  const changed = (more: object): string => JSON.stringify({ ...act, ...more });
  for (const text of [
    ...['', '{', '[]', 'null', '"tool"', '{}'],
    ...[changed({ act: 5 }), changed({ unfit: 5 }), changed({ approved: 'board' })],
    ...[changed({ principal: { kind: 'agent' } }), changed({ resource: 'stripe' }), changed({ resource: { id: 5 } })],
    changed({ principal: { ...act.principal, level: 'high' } }),
    changed({ principal: { ...act.principal, domains: [5] } }),
    changed({ principal: { ...act.principal, kind: 'robot' } }),
    ...[changed({ context: [] }), changed({ texts: { note: 5 } }), changed({ numbers: { amount: '5' } })],
  ])
    assert.equal(parseAct(text), undefined, text);
});
