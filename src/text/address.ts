import { shown } from './clean.ts';
import { type Field, readLine } from './field.ts';
import type { Problem } from './problem.ts';
import { problemAt } from './problem-at.ts';

const expected = 'an address that begins with http:// or https://';

/** The address of a server. What may be a key in it is not told again. */
export function readAddress(field: Field, hint: string): string {
  const text = readLine(field, expected, hint);
  if (!/^https?:\/\//i.test(text)) throw wrongAddress(field, text, `expected ${expected}`, hint);
  if (!URL.canParse(text))
    throw wrongAddress(field, text, 'which is no address that can be read', `Look at its host and its port. ${hint}`);
  const { username, password } = new URL(text);
  if (username !== '' || password !== '')
    throw wrongAddress(field, text, `expected ${expected}, without a password in it`, keyHint);
  return text;
}

/** The same for one that paths are put behind: after a query or a fragment they would be lost. */
export function readBaseAddress(field: Field, hint: string): string {
  const text = readAddress(field, hint);
  if (/[?#]/.test(text))
    throw wrongAddress(field, text, `and more behind ? or #, expected ${expected}, without either`, keyHint);
  return text.replace(/\/+$/, '');
}

const keyHint = 'Keys come from the environment, never from a file.';

function wrongAddress(field: Field, text: string, what: string, hint: string): Problem {
  const bare = text.replace(/^([a-z]+:\/\/)?[^/?#]*@/i, '$1').replace(/[?#].*$/, '');
  return problemAt('brief/value', field.place, `${shown(field.name)} is ${shown(bare)}, ${what}`, hint);
}
