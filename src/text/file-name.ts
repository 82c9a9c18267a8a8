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
