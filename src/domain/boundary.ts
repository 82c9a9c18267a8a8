/** A path that differs between a base and what an agent offers, with git's modes. */
export interface Difference {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/**
 * Why an agent may not make this difference, or undefined when it may: only regular files of the sandbox may differ,
 * and none that git, a shell or a file system would read as more than a file.
 */
export function breach(difference: Difference, inSandbox: (path: string) => boolean): string | undefined {
  const { path, before, after } = difference;
  const done = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  if (!inSandbox(path)) return `${done} ${show(path)}, which is outside the sandbox`;
  if (after !== undefined && after !== '100644' && after !== '100755')
    return `made ${show(path)} something other than a regular file`;
  if (before !== undefined && after !== undefined && before !== after) return `changed the mode of ${show(path)}`;
  if (after !== undefined && before === undefined) return badName(path);
  return undefined;
}

function badName(path: string): string | undefined {
  if (unprintable.test(path)) return `added ${show(path)}, a name with invisible characters`;
  const parts = path.split('/');
  if (parts.some((part) => /^\.git/i.test(part.normalize('NFKC')) || /^git~\d/i.test(part))) {
    return `added ${show(path)}, a name that git reads`;
  }
  if (path.includes('\\')) return `added ${show(path)}, a name with a backslash`;
  return path.length > 1_000 ? 'added a path longer than 1000 characters' : undefined;
}

// Control characters, soft hyphen, zero-width and bidirectional marks: what a reader of a diff would not see.
const unprintable = /[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufffd]/;

const show = (path: string): string => JSON.stringify(path).slice(1, -1);
