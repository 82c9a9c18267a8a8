import { parseBrief } from '../../src/brief/read/brief-text.ts';
import type { Brief } from '../../src/domain/words/brief.ts';

const small = { metric: 'waste_pct', direction: 'minimize', sandbox: '[sandbox/**]', score: 'node harness/score.mjs' };

/** A brief's text; a key set to undefined is left out. Keys stand from line 2 on, in this order, new ones below. */
const textOf = (changes: Readonly<Record<string, string | undefined>> = {}): string => {
  const lines = Object.entries({ ...small, ...changes }).filter(([, value]) => value !== undefined);
  return `---\n${lines.map(([key, value]) => `${key}: ${value}`).join('\n')}\n---\n`;
};

export const parseSmall = (changes?: Readonly<Record<string, string | undefined>>): Brief =>
  parseBrief(textOf(changes), 'program.md');
