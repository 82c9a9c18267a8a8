import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTraceLine, parseTrace, type TraceLine } from '../../src/agents/trace/trace-text.ts';

const same = (text: string): string => text;

test('a text of a trace is cleaned first, and loses its middle where it is long', () => {
  const line: TraceLine = { from: 'orgrepo', text: `${'a'.repeat(900)}secret${'b'.repeat(900)}` };
  const [read] = parseTrace(formatTraceLine(line, (text) => text.replace('secret', '[hidden]'), 1_000));
  assert.deepEqual(read, {
    from: 'orgrepo',
    text: `${'a'.repeat(500)}\n… 808 characters left out …\n${'b'.repeat(500)}`,
  });
});

test('a line of very many texts is kept with shorter texts', () => {
  const parts = Array.from({ length: 1_000 }, () => ({ kind: 'text' as const, text: 'x'.repeat(5_000) }));
  const formatted = formatTraceLine({ from: 'model', parts }, same, 8_192);
  assert.ok(formatted.length <= 2 * 1024 * 1024);
  const [read] = parseTrace(formatted);
  assert.ok(read !== undefined && 'parts' in read && read.parts.length === 1_000);
});

test('a line that stays too long with the shortest texts leaves a note in its place', () => {
  const parts = Array.from({ length: 20_000 }, () => ({ kind: 'text' as const, text: 'x'.repeat(200) }));
  assert.deepEqual(parseTrace(formatTraceLine({ from: 'model', parts }, same, 8_192)), [
    { from: 'orgrepo', text: 'a line of model was too long to be kept' },
  ]);
});
