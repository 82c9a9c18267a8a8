import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { anOrg } from './builders.ts';
import { root, type TestOrg } from './org.ts';

export type Edits = readonly (readonly [file: string, from: string, to: string])[];

/** A jailed org as `init` makes it from a template, with some words of it replaced. */
export function orgFromTemplate(template: string, edits: Edits = []): TestOrg {
  const dir = path.join(root, 'templates', template);
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  const texts = names.filter((name) => statSync(path.join(dir, name)).isFile());
  const files = Object.fromEntries(texts.map((name) => [name, readFileSync(path.join(dir, name), 'utf8')]));
  for (const [file, from, to] of edits) {
    const text = files[file] ?? '';
    assert.ok(text.includes(from), `${file} has no ${from}`);
    files[file] = text.replace(from, to);
  }
  return anOrg({ ground: files, jail: 'bubblewrap' });
}

/** tinylm in a hurry: what takes it two seconds is done in three tenths of one, and fewer pairs decide. */
export const tinylmInAHurry: Edits = [
  ['harness/run.mjs', '?? 2)', '?? 0.3)'],
  ['harness/run.mjs', 'graceSeconds = 0.25', 'graceSeconds = 5'], // Other tests stall it; the guard counts all the same.
  ['program.md', 'seconds: "<= 2.1"', 'seconds: "<= 0.4"'],
  ['program.md', 'samples: 1..4', 'samples: 1'],
];
