import assert from 'node:assert/strict';
import { type Look, plainPaint, widthOf } from '../../src/terminal/look.ts';

export const plain = (columns: number): Look => ({
  ...{ columns, edge: columns },
  paint: plainPaint,
  ascii: false,
  typed: (words) => words,
});
export const ascii = (columns: number): Look => ({ ...plain(columns), ascii: true });

export function assertFits(text: string, columns: number): void {
  for (const line of text.split('\n')) {
    assert.ok(widthOf(line) <= columns, `${widthOf(line)} columns instead of at most ${columns}: ${line}`);
  }
}

export const assertAscii = (text: string): void => assert.match(text, /^[\n\x20-\x7e]*$/);
