import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readModelId } from '../../src/domain/words/model-id.ts';

test('names that only ever mean one model, and names that do not', () => {
  const rows: readonly (readonly [string, 'pinned' | 'alias' | 'latest'])[] = [
    ['claude-sonnet-4-5-20250929', 'pinned'],
    ['claude-opus-4-20250514', 'pinned'],
    ['claude-opus-4-6', 'pinned'],
    ['claude-sonnet-4-6', 'pinned'],
    ['claude-haiku-4-10', 'pinned'],
    ['claude-sonnet-5', 'pinned'],
    ['claude-opus-5-1', 'pinned'],
    ['anthropic/claude-opus-4-8', 'pinned'],
    ['claude-opus-4-5', 'alias'],
    ['claude-sonnet-4-0', 'alias'],
    ['claude-opus-4-1', 'alias'],
    ['claude-3-7-sonnet', 'alias'],
    ['claude-sonnet', 'alias'],
    ['claude-opus-4-6-fast', 'alias'],
    ['claude-sonnet-5-latest', 'latest'],
    ['gpt-5-2025-08-07', 'pinned'],
    ['gpt-5', 'alias'],
    ['gemini-2.5-flash', 'pinned'],
    ['gemini-2.5-flash-preview', 'alias'],
  ];
  for (const [name, expected] of rows) {
    const read = readModelId(name, false);
    assert.equal(typeof read === 'object' ? 'pinned' : read, expected, name);
  }
});

test('elsewhere a name is its house’s where everybody knows it, and else one of a server like OpenAI’s', () => {
  for (const [name, provider] of [
    ['claude-sonnet-4-5', 'anthropic'],
    ['gemini-2.5-pro', 'google'],
    ['gpt-5', 'openai'],
    ['gemma-3-27b-it', 'openai'],
    ['vertex_ai/claude-sonnet-4-5', 'openai'],
    ['qwen3:8b', 'openai'],
  ] as const)
    assert.deepEqual(readModelId(name, true), { provider, id: name });
  assert.deepEqual(readModelId('openai/claude-sonnet-4-5', true), { provider: 'openai', id: 'claude-sonnet-4-5' });
});

test('a person may promise that a name never means another model, but not of the latest', () => {
  assert.deepEqual(readModelId('gpt-5', false, true), { provider: 'openai', id: 'gpt-5' });
  assert.equal(readModelId('gemini-flash-latest', false, true), 'latest');
  assert.equal(readModelId('sonnet', false, true), 'unknown provider');
});
