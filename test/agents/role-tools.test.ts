import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentTask } from '../../src/agents/agent-contract.ts';
import { quotationWith } from '../../src/agents/prompts.ts';
import { toolsFor } from '../../src/agents/tools/role-tools.ts';
import { aBrief } from '../support/builders.ts';

const toolOf = (role: AgentTask['role'], name: string) =>
  toolsFor({ role, dir: '/nowhere', brief: aBrief() } as unknown as AgentTask, quotationWith('0')).find(
    (tool) => tool.name === name,
  );

test('finish asks for notes, and is taken without them', async () => {
  const finish = toolOf('junior', 'finish');
  assert.match(JSON.stringify(finish?.input), /never left out: what you tried, what you expected of it and why/);
  assert.deepEqual(await finish?.use({ title: 'first 3' }, new AbortController().signal), {
    text: 'done',
    finish: { title: 'first 3', notes: '' },
  });
});

test('a finding is told in full, whether it is a sentence or has fields of its own', async () => {
  const findings = ['a.ts:1, low: fine', { file: 'a.ts', line: 2, toString: 1, valueOf: 1 }, 7, null, ['x']];
  const input = { decision: 'reject', summary: 'It games the metric.', findings };
  assert.deepEqual(await toolOf('checker', 'review')?.use(input, new AbortController().signal), {
    text: 'done',
    finish: {
      title: 'reject',
      notes: [
        'It games the metric.',
        '- a.ts:1, low: fine',
        '- {"file":"a.ts","line":2,"toString":1,"valueOf":1}',
        '- 7',
        '- null',
        '- ["x"]',
      ].join('\n'),
    },
  });
});
