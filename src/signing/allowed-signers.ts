import { type Place, type Problem, problemAt } from '../text/problem.ts';
import { readSshKey, type SshKey } from './ssh-key.ts';
import { checkSignature } from './ssh-signature.ts';

export const signersFile = 'allowed_signers';

/** A line of the file: a key, and whose it is. */
export interface Signer {
  /** As the file names them: an id of ORG.md or an address. */
  readonly names: readonly string[];
  readonly key: SshKey;
  /** What the key may sign; undefined for everything. */
  readonly namespaces: readonly string[] | undefined;
  /** The instants between which it may sign. */
  readonly after: number | undefined;
  readonly before: number | undefined;
  readonly place: Place;
}

/** Reads OpenSSH's own format (ssh-keygen(1), ALLOWED SIGNERS). What it allows and cannot mean one person here is refused. */
export function parseSigners(text: string): readonly Signer[] {
  const signers: Signer[] = [];
  if (text.startsWith('\ufeff'))
    throw wrong(
      { file: signersFile, line: 1, column: 1 },
      'it begins with a byte order mark, which ssh-keygen takes for a part of the first name',
      'Save it as UTF-8 without a byte order mark.',
    );
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const signer = parseLine(line, index + 1);
    const twin = signers.find(({ key }) => key.blob.equals(signer.key.blob));
    if (twin !== undefined)
      throw wrong(
        signer.place,
        `this key is already in line ${twin.place.line}`,
        'Keep one of the two lines: a key stands for one person.',
      );
    signers.push(signer);
  }
  if (signers.length === 0)
    throw wrong(
      { file: signersFile },
      'it names no key',
      'A line is: ada ssh-ed25519 AAAA…. To switch signing off, remove the file.',
    );
  return signers;
}

const day = (instant: number): string => new Date(instant * 1000).toISOString().slice(0, 16).replace('T', ' ');

/** `ssh-ed25519 until 2027-12-31 00:00 UTC`. */
export const keyInWords = ({ key, namespaces, after, before }: Signer): string =>
  [
    key.type,
    ...(after === undefined ? [] : [`from ${day(after)} UTC on`]),
    ...(before === undefined ? [] : [`until ${day(before)} UTC`]),
    ...(namespaces === undefined ? [] : [`for ${namespaces.join(', ')}`]),
  ].join(' ');

/** Why this signer's key may not sign now; undefined when it may. */
export function refuseSigner({ namespaces, after, before }: Signer, namespace: string, at: number): string | undefined {
  if (namespaces !== undefined && !namespaces.includes(namespace))
    return `this key may sign ${namespaces.join(', ')}, and not ${namespace}`;
  if (after !== undefined && at < after) return `this key is valid from ${day(after)} UTC on`;
  if (before !== undefined && at >= before) return `this key was valid until ${day(before)} UTC`;
  return undefined;
}

export const ownLines = 'A key stands for one person: give each person a line and a key of their own.';

const example = 'A line is: ada namespaces="orgrepo-approval@1" ssh-ed25519 AAAA…';

function parseLine(line: string, number: number): Signer {
  const place = { file: signersFile, line: number, column: line.search(/\S/) + 1 };
  const words = wordsOf(line);
  if (words === undefined) throw wrong(place, 'a quote is not closed', example);
  const at = words.findIndex((word, index) => index > 0 && isKeyType(word));
  const [type, base64] = at < 0 ? [] : [words[at], words[at + 1]];
  if (type === undefined || base64 === undefined || at > 2)
    throw wrong(place, 'expected a name, a type of key and a key', example);
  const names = (words[0] ?? '').replaceAll('"', '').split(',');
  const pattern = names.find((name) => name === '' || /[*?!/]/.test(name));
  if (pattern !== undefined)
    throw wrong(
      place,
      `${JSON.stringify(pattern)} does not name one person`,
      'Write the id from ORG.md or the address: ada, ada@example.org.',
    );
  const ids = names.filter((name) => !name.includes('@'));
  if (ids.length > 1) throw wrong(place, `${ids.join(' and ')} have one key`, ownLines);
  const key = /^[A-Za-z0-9+/]+={0,2}$/.test(base64)
    ? readSshKey(Buffer.from(base64, 'base64'))
    : 'a key that is not base64';
  if (typeof key === 'string')
    throw wrong(
      place,
      `found ${key}`,
      'Copy the whole line from the .pub file. Types: ed25519, ecdsa, rsa (2048 bits and more), and their sk- forms.',
    );
  if (key.type !== type)
    throw wrong(
      place,
      `the line says ${type}, the key is a ${key.type} key`,
      'Copy the whole line from the .pub file.',
    );
  return { names, key, ...optionsOf(at === 2 ? (words[1] ?? '') : '', place), place };
}

const isKeyType = (word: string): boolean => /^(ssh-|ecdsa-|sk-)[a-z0-9@.-]+$/.test(word);

/** The words of a line. A quoted part may hold spaces. Undefined when a quote is open at the end. */
function wordsOf(line: string): readonly string[] | undefined {
  if ((line.match(/"/g) ?? []).length % 2 === 1) return undefined;
  return line.match(/(?:"[^"]*"|[^\s"])+/g) ?? [];
}

function optionsOf(text: string, place: Place): Pick<Signer, 'namespaces' | 'after' | 'before'> {
  let found: Pick<Signer, 'namespaces' | 'after' | 'before'> = {
    namespaces: undefined,
    after: undefined,
    before: undefined,
  };
  for (const option of text.match(/(?:"[^"]*"|[^,"])+/g) ?? []) {
    const [, name = option, value] = /^([a-z-]+)="([^"]*)"$/i.exec(option) ?? [];
    const key = name.toLowerCase();
    if (key === 'namespaces' && value !== undefined) found = { ...found, namespaces: value.split(',') };
    else if (key === 'valid-after' && value !== undefined) found = { ...found, after: instantOf(value, place) };
    else if (key === 'valid-before' && value !== undefined) found = { ...found, before: instantOf(value, place) };
    else if (key === 'cert-authority')
      throw wrong(place, 'cert-authority is not supported', 'Name the keys of people one by one.');
    else
      throw wrong(
        place,
        `unknown option ${JSON.stringify(option)}`,
        'There are namespaces="…", valid-after="…" and valid-before="…".',
      );
  }
  return found;
}

/** `20261231`, `202612312359` or `20261231235959`, in UTC with and without the Z, so that all machines agree. */
function instantOf(text: string, place: Place): number {
  const [, year, month, day, hour = '0', minute = '0', second = '0'] =
    /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?Z?$/.exec(text) ?? [];
  const parts = [month, day, hour, minute, second].map(Number);
  const [m = 0, d = 0, h = 0, min = 0, s = 0] = parts;
  const at = Date.UTC(Number(year), m - 1, d, h, min, s);
  const isReal = year !== undefined && new Date(at).getUTCMonth() === m - 1 && new Date(at).getUTCDate() === d;
  if (!isReal || h > 23 || min > 59 || s > 59)
    throw wrong(place, `${JSON.stringify(text)} is not a time`, 'Write YYYYMMDD or YYYYMMDDHHMM, in UTC.');
  return at / 1000;
}

const wrong = (place: Place, what: string, hint: string): Problem => problemAt('signers/syntax', place, what, hint);

/** The person who signed a text, at an instant. */
export function signerOf(
  signers: readonly Signer[],
  text: string,
  signature: string,
  namespace: string,
  at: number,
): { readonly names: readonly string[]; readonly fingerprint: string } | { readonly wrong: string } {
  const signed = checkSignature(text, signature, namespace);
  if (typeof signed === 'string') return { wrong: signed };
  const signer = signers.find(({ key }) => key.blob.equals(signed.key.blob));
  if (signer === undefined) return { wrong: `${signersFile} does not name the key ${signed.key.fingerprint}` };
  const refused = refuseSigner(signer, namespace, at);
  return refused === undefined
    ? { names: signer.names, fingerprint: signer.key.fingerprint }
    : { wrong: `${refused} (${signer.names[0]})` };
}
