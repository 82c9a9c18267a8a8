import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inflateSync } from 'node:zlib';

/** One change of one byte or one field, in words; undefined when there was nothing of the kind, or nobody could tell it from no change. */
export type Tampering = (place: Tampered) => string | undefined;

/** A copy of an org's `.git` that somebody tampers with, and where all chance comes from. */
export interface Tampered {
  readonly gitDir: string;
  /** What it is a copy of: nobody tampers with that, so what git says of it stays true. */
  readonly form: string;
  /** From 0 to below `most`. */
  draw(most: number): number;
}

export const kindsOfTampering: Readonly<Record<string, Tampering>> = {
  'a byte of an object': byteOfObject,
  'a byte of a pack': byteOfPack,
  'a byte of a ref': byteOfRef,
  'a byte of packed-refs': byteOfPackedRefs,
  'a ref moved to a parent': (place) => moveRef(place, parentsOf),
  'a ref moved to another commit': (place) => moveRef(place, otherCommits),
  'a field of a newest commit': fieldOfTip,
  'two objects swapped': swapObjects,
  'an object in place of another': replaceObject,
};

/** A sequence of numbers that is the same for the same seed. */
export function drawFrom(seed: number): Tampered['draw'] {
  let count = 0;
  return (most) => {
    count += 1;
    return createHash('sha256').update(`${seed} ${count}`).digest().readUIntBE(0, 6) % most;
  };
}

export const git = (gitDir: string, args: readonly string[], input: string | Buffer = ''): string => {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' };
  const ran = spawnSync('git', ['--git-dir', gitDir, ...args], { env, input, maxBuffer: 1 << 30 });
  if (ran.status !== 0) throw new Error(`git ${args.join(' ')}: ${ran.stderr}`);
  return ran.stdout.toString('utf8');
};

const answers = new Map<string, string>();

/** What git says of the form, asked once. */
function asked({ form }: Tampered, args: readonly string[]): string {
  const key = JSON.stringify([form, ...args]);
  const answer = answers.get(key) ?? git(form, args);
  answers.set(key, answer);
  return answer;
}

const pick = <T>(place: Tampered, list: readonly T[]): T | undefined => list[place.draw(Math.max(1, list.length))];

const listing = ['for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads/orgrepo', 'refs/orgrepo'];

/** Orgrepo's own refs with what they name. */
const refsOf = (place: Tampered): { ref: string; id: string }[] =>
  asked(place, listing)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ ref: line.split(' ')[0] ?? '', id: line.split(' ')[1] ?? '' }));

/** Everything that only orgrepo's refs lead to. */
const objectsOf = (place: Tampered): string[] =>
  asked(place, [
    'rev-list',
    '--objects',
    '--no-object-names',
    '--glob=refs/heads/orgrepo/*',
    '--glob=refs/orgrepo/*',
    '--not',
    'refs/heads/main',
  ])
    .split('\n')
    .filter((line) => line !== '');

function changeByte(place: Tampered, file: string, from = 0, to = Number.POSITIVE_INFINITY): string {
  const bytes = readFileSync(file);
  const at = from + place.draw(Math.min(to, bytes.length) - from);
  bytes[at] = ((bytes[at] ?? 0) + 1 + place.draw(255)) % 256;
  chmodSync(file, 0o644);
  writeFileSync(file, bytes);
  return `byte ${at} of ${path.relative(place.gitDir, file)}`;
}

const looseFile = (place: Tampered, id: string): string =>
  path.join(place.gitDir, 'objects', id.slice(0, 2), id.slice(2));

const looseObjects = (place: Tampered): string[] => objectsOf(place).filter((id) => existsSync(looseFile(place, id)));

function byteOfObject(place: Tampered): string | undefined {
  const id = pick(place, looseObjects(place));
  if (id === undefined) return undefined;
  const file = looseFile(place, id);
  const before = inflateSync(readFileSync(file));
  const what = changeByte(place, file);
  // A few bits of a compressed file have no meaning: whoever reads it reads the same object.
  return sameObject(file, before) ? undefined : what;
}

function sameObject(file: string, before: Buffer): boolean {
  try {
    return inflateSync(readFileSync(file)).equals(before);
  } catch {
    return false;
  }
}

function byteOfPack(place: Tampered): string | undefined {
  const dir = path.join(place.gitDir, 'objects/pack');
  const files = existsSync(dir) ? readdirSync(dir).filter((name) => /\.(pack|idx)$/.test(name)) : [];
  const name = pick(place, files);
  return name === undefined ? undefined : changeByte(place, path.join(dir, name));
}

function byteOfRef(place: Tampered): string | undefined {
  const files = refsOf(place)
    .map(({ ref }) => path.join(place.gitDir, ref))
    .filter((file) => existsSync(file));
  const file = pick(place, files);
  return file === undefined ? undefined : changeByte(place, file);
}

/**
 * A line that a ref's own file has replaced is read by nobody. One that still is a line for a ref of orgrepo's counts all
 * the same; one whose name is changed to somebody else's leaves every ref of orgrepo's as it was.
 */
function byteOfPackedRefs(place: Tampered): string | undefined {
  const file = path.join(place.gitDir, 'packed-refs');
  const own = /^[0-9a-f]+ refs\/(heads\/)?orgrepo\/.*\n/gm;
  const lines = [...(existsSync(file) ? readFileSync(file, 'latin1') : '').matchAll(own)];
  const line = pick(place, lines);
  if (line === undefined) return undefined;
  const what = changeByte(place, file, line.index, line.index + line[0].length);
  const after = readFileSync(file, 'latin1');
  const isForeign =
    /^[0-9a-f]{40} refs\/[^\x00-\x20\x7f]+\n$/.test(after.slice(line.index, line.index + line[0].length)) &&
    [...after.matchAll(own)].length < lines.length;
  return isForeign && git(place.gitDir, listing) === asked(place, listing) ? undefined : `${what}: ${line[0].trim()}`;
}

function moveRef(place: Tampered, candidates: (place: Tampered, id: string) => string[]): string | undefined {
  const chosen = pick(place, refsOf(place));
  const to = chosen && pick(place, candidates(place, chosen.id));
  if (chosen === undefined || to === undefined || to === chosen.id) return undefined;
  git(place.gitDir, ['update-ref', chosen.ref, to]);
  return `${chosen.ref} from ${chosen.id} to ${to}`;
}

const parentsOf = (place: Tampered, id: string): string[] =>
  asked(place, ['rev-list', '--parents', '-1', id]).trim().split(' ').slice(1);

const otherCommits = (place: Tampered): string[] =>
  asked(place, ['rev-list', '--all'])
    .split('\n')
    .filter((line) => line !== '');

/** Rewrites one field of the newest commit of a branch, and points the branch at what comes out. */
function fieldOfTip(place: Tampered): string | undefined {
  const chosen = pick(place, refsOf(place));
  if (chosen === undefined) return undefined;
  const before = git(place.gitDir, ['cat-file', 'commit', chosen.id]);
  const lines = before.split('\n');
  const fields = lines.flatMap((line, at) => (line === '' ? [] : [at]));
  const at = pick(place, fields) ?? 0;
  lines[at] = otherValue(place, lines[at] ?? '');
  const after = lines.join('\n');
  if (after === before) return undefined;
  const id = git(place.gitDir, ['hash-object', '-t', 'commit', '-w', '--literally', '--stdin'], after).trim();
  git(place.gitDir, ['update-ref', chosen.ref, id]);
  return `${chosen.ref}: ${before.split('\n')[at]} -> ${lines[at]}`;
}

function otherValue(place: Tampered, line: string): string {
  const key = line.slice(0, line.indexOf(' ') + 1);
  if (key === 'tree ') {
    const trees = asked(place, ['log', '--all', '--format=%T'])
      .split('\n')
      .filter((tree) => tree !== '');
    return `tree ${pick(place, trees)}`;
  }
  if (key === 'parent ') return `parent ${pick(place, otherCommits(place))}`;
  switch (place.draw(3)) {
    case 0: // One character.
      return changeCharacter(place, line);
    case 1: // A number, or a word where there is none.
      return /\d/.test(line)
        ? line.replace(/\d+(?!.*\d)/, (digits) => String(Number(digits) + 1 + place.draw(9)))
        : `${line}x`;
    default: // The whole line is gone, but for what git cannot do without.
      return /^(author|committer) /.test(line) ? changeCharacter(place, line) : key;
  }
}

function changeCharacter(place: Tampered, line: string): string {
  const at = place.draw(line.length);
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
  return line.slice(0, at) + letters[place.draw(letters.length)] + line.slice(at + 1);
}

function swapObjects(place: Tampered): string | undefined {
  const ids = looseObjects(place);
  const [a, b] = [pick(place, ids), pick(place, ids)];
  if (a === undefined || b === undefined || a === b) return undefined;
  const [first, second] = [readFileSync(looseFile(place, a)), readFileSync(looseFile(place, b))];
  for (const [id, bytes] of [
    [a, second],
    [b, first],
  ] as const) {
    chmodSync(looseFile(place, id), 0o644);
    writeFileSync(looseFile(place, id), bytes);
  }
  return `${a} and ${b}`;
}

function replaceObject(place: Tampered): string | undefined {
  const ids = looseObjects(place);
  const [a, b] = [pick(place, ids), pick(place, ids)];
  if (a === undefined || b === undefined || a === b) return undefined;
  chmodSync(looseFile(place, a), 0o644);
  writeFileSync(looseFile(place, a), readFileSync(looseFile(place, b)));
  return `${a} holds ${b}`;
}
