import picomatch from 'picomatch';

/** Never an agent's to change: what people say, who the org is, what it enforces, where benches live, and git itself. */
export const peoplesPaths: readonly string[] = [
  'program.md',
  'orgrepo.md',
  'branches.md',
  'specs',
  'ORG.md',
  'org.yaml',
  'policies',
  '.github',
  '.worktrees',
  '.git',
];

/** A path as the repository knows it: no `./` before it, no slash after it. */
export const tidyPath = (path: string): string => path.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '');

/** A pattern as the repository knows it: a directory, written `dir/`, stands for all that is in it. */
export function tidyPattern(pattern: string): string {
  const inside = pattern.endsWith('/') && tidyPath(pattern) !== '';
  return inside ? `${tidyPath(pattern)}/**` : pattern.replace(/^(?:\.\/+)+/, '');
}

/** Why a path cannot be used, as the end of a sentence, or undefined when it can. */
export function whyNoPath(path: string): string | undefined {
  if (path === '') return 'a path inside the repository';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path))
    return "a path from the repository's root, with no slash before it";
  if (path.startsWith('-')) return 'a path that does not begin with -';
  if (path.startsWith('~')) return 'a path inside the repository';
  if (path.includes('\\')) return 'a path with / between its parts';
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(path)) return 'a path without control or invisible characters';
  const parts = path.split('/');
  if (parts.includes('..')) return 'a path that stays inside the repository, without ..';
  if (parts.some((part) => part === '' || part === '.')) return 'a path without empty parts';
  if (parts.some(isGitDirectory)) return 'a path outside .git';
  return undefined;
}

/** The same for a pattern of the sandbox. */
export function whyNoPattern(pattern: string): string | undefined {
  // picomatch makes parts of a regular expression of these, and a bare | turns one pattern into two.
  if (/[!()|"]/.test(pattern)) return 'a pattern of names, *, ** and ?, without any of ! ( ) | "';
  const parts = pattern.split('/');
  if (parts.some((part) => /^\.git/i.test(part) && !/^\.github$/i.test(part)))
    return "a pattern without git's own files";
  return whyNoPath(pattern);
}

export const hasGlob = (path: string): boolean => /[*?[\]{}]/.test(path);

/**
 * Whether a pattern could match the path, something in it, or a directory it lies in; or what another pattern matches. Letters'
 * case is ignored, as some file systems do; what is uncertain counts as a match.
 */
export const mayTouch = (pattern: string, path: string): boolean => matchFrom(knownParts(pattern), knownParts(path));

/** A pattern's parts up to one that is read otherwise than by `*` and `?`: from there on it may be anything. */
function knownParts(pattern: string): readonly string[] {
  const parts = comparable(pattern).split('/');
  const wild = parts.findIndex((part) => /[[\]{}]/.test(part) || (part.includes('**') && part !== '**'));
  return wild === -1 ? parts : [...parts.slice(0, wild), '**'];
}

function matchFrom(pattern: readonly string[], path: readonly string[]): boolean {
  const [part, ...rest] = pattern;
  const [name, ...below] = path;
  if (part === undefined || name === undefined) return true;
  if (part === '**' || name === '**') return true; // It matches at any depth below, so also on the way to the path.
  return mayNameSame(part, name) && matchFrom(rest, below);
}

/** Two parts that both hold `*` or `?` can name the same where what stands before the first and after the last of them agrees. */
function mayNameSame(one: string, other: string): boolean {
  if (!/[*?]/.test(other)) return matchName(one, other);
  if (!/[*?]/.test(one)) return matchName(other, one);
  const ends = (part: string): readonly [string, string] => [part.replace(/[*?].*$/, ''), part.replace(/^.*[*?]/, '')];
  const [[before, after], [otherBefore, otherAfter]] = [ends(one), ends(other)];
  return (
    (before.startsWith(otherBefore) || otherBefore.startsWith(before)) &&
    (after.endsWith(otherAfter) || otherAfter.endsWith(after))
  );
}

/** One part of a pattern, which holds no special characters but `*` and `?`. Never slower than the product of lengths. */
function matchName(part: string, name: string): boolean {
  let at = 0;
  let position = 0;
  let star = -1;
  let resume = 0;
  while (position < name.length) {
    if (part[at] === '*') {
      star = at++;
      resume = position;
    } else if (part[at] === '?' || (at < part.length && part[at] === name[position])) {
      at += 1;
      position += 1;
    } else if (star >= 0) {
      at = star + 1;
      position = ++resume;
    } else {
      return false;
    }
  }
  return /^\**$/.test(part.slice(at));
}

const comparable = (path: string): string => path.normalize('NFC').toLowerCase();

/** Also as file systems spell it that ignore case or cut off dots and blanks. */
const isGitDirectory = (part: string): boolean => /^(?:\.git|git~[0-9]+)$/i.test(part.replace(/[. ]+$/, ''));

/** Which paths a list of the brief's patterns names, and which directories are on the way to one. */
export interface Globs {
  readonly names: (path: string) => boolean;
  readonly leadsTo: (dir: string) => boolean;
}

/** `sandbox/**`, `src/*.js`, `train.py`; a plain path names the file, or everything below the directory. */
export function readGlobs(patterns: readonly string[]): Globs {
  const matchers = patterns.map((pattern) => picomatch([pattern, `${pattern}/**`], { dot: true, nonegate: true }));
  const bases = patterns.map((pattern) => picomatch.scan(pattern).base);
  return {
    names: (path) => matchers.some((matches) => matches(path)),
    leadsTo: (dir) =>
      bases.some((base) => base === '' || dir === base || base.startsWith(`${dir}/`) || dir.startsWith(`${base}/`)),
  };
}

/** The longest path that a candidate may add: beyond it file systems and their tools begin to fail. */
export const longestPath = 1_000;

/**
 * Why a path may not be added to a tree, as the end of a sentence, or undefined when it may: what a reader of a diff
 * would not see, and what git, a shell or another file system would take for something else.
 */
export function whyBadPath(path: string): string | undefined {
  if (path.length > longestPath) return `a path longer than ${longestPath} characters`;
  if (isUnseen(path)) return 'a name with invisible characters';
  if (path.includes('\\')) return 'a name with a backslash';
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return 'no name of a file';
  return parts.some(isReadByGit) ? 'a name that git reads' : undefined;
}

/** Whether a path holds what nobody sees. */
export const isUnseen = (path: string): boolean => unseen.test(path);

/**
 * The name as file systems that ignore case, composition or a tail of dots and blanks would look it up: of two names
 * that fold to the same, one overwrites the other there.
 */
export const foldName = (name: string): string =>
  name
    .normalize('NFD')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFC')
    .replace(ignored, '')
    .replace(/[. ]+$/, '');

/** A path as a message shows it: on one line, with nothing in it that a terminal obeys or a reader cannot see. */
export const showPath = (path: string): string =>
  JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}...` : path)
    .slice(1, -1)
    .replace(ignored, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);

/**
 * `.git` and every file whose name begins with it, in the spellings of Windows (`git~1`, `.git::$INDEX_ALLOCATION`,
 * `.git. `), of HFS (ignorable characters between the letters) and of full-width letters.
 */
function isReadByGit(part: string): boolean {
  const plain = foldName(part.normalize('NFKC'));
  return plain.startsWith('.git') || /^gi[a-z0-9]{0,4}~[0-9]/.test(plain);
}

// Controls, marks of direction, zero-width and other characters that are not drawn; and what stands for unreadable bytes.
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufffd]/u;
const ignored = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
