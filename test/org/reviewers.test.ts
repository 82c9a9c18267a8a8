import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentChoice, Program, Staff } from '../../src/domain/staff/staff.ts';
import type { Provider } from '../../src/domain/words/model-id.ts';
import { checkersFor, criticsFor } from '../../src/org/rules/roster.ts';

const api = (provider: Provider, id: string): AgentChoice => ({
  kind: 'api',
  model: { provider, id },
  baseUrl: undefined,
});
const program = (name: Program): AgentChoice => ({
  kind: 'program',
  program: name,
  model: undefined,
  baseUrl: undefined,
  ownConfig: false,
});
const claude = api('anthropic', 'claude-a-20250101');
const other = api('anthropic', 'claude-b-20250101');
const gpt = api('openai', 'gpt-a-2025-01-01');

const staffOf = (junior: AgentChoice, of: Partial<Staff>): Staff => ({
  chief: claude,
  juniors: [junior],
  checkers: [],
  critics: [],
  ...of,
});
const namesOf = (some: readonly { readonly name: string }[]): string[] => some.map(({ name }) => name);

test('a checker is never of the model that made it, as recorded, where another is configured', () => {
  const rows: [AgentChoice, AgentChoice[], string | undefined, string[]][] = [
    [claude, [claude, gpt], undefined, ['checker-2']],
    [claude, [claude], undefined, ['checker-1']],
    [claude, [claude, other, gpt], undefined, ['checker-2', 'checker-3']],
    // The holder has changed, or the brief: the model that is recorded made it.
    [gpt, [claude, gpt], 'anthropic/claude-a-20250101', ['checker-2']],
    [gpt, [claude, gpt, other], 'anthropic/claude-a-20250101', ['checker-3']],
    // A program that chose its model itself.
    [program('claude'), [claude, other], 'anthropic/claude-a-20250101', ['checker-2']],
    // A script stood in for it.
    [claude, [claude, gpt], 'scripted:models/claude-a-20250101.json', ['checker-2']],
  ];
  for (const [junior, checkers, model, expected] of rows)
    assert.deepEqual(namesOf(checkersFor(staffOf(junior, { checkers }), { agent: 'junior-1', model }, 0)), expected);
});

test('what a person made, any checker may look at', () => {
  const staff = staffOf(gpt, { checkers: [claude, gpt] });
  assert.deepEqual(namesOf(checkersFor(staff, { agent: 'human', model: undefined }, 1)), ['checker-2', 'checker-1']);
});

test('a program without a model is of the house whose models it asks', () => {
  const rows: [AgentChoice, AgentChoice[], string[]][] = [
    [program('claude'), [claude, gpt], ['critic-2']],
    [claude, [program('claude'), program('codex')], ['critic-2']],
    [program('claude'), [claude, other], ['critic-1', 'critic-2']],
  ];
  for (const [junior, critics, expected] of rows)
    assert.deepEqual(namesOf(criticsFor(staffOf(junior, { critics }), 'junior-1')), expected);
});
