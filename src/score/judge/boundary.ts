import { isUnseen, showPath, whyBadPath } from '../../text/file-name.ts';
import { steeringFile } from './steering-file.ts';

/** A path that differs between a base and what an agent offers, with git's modes. */
export interface PathDifference {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** How large it is now, where that is known. */
  readonly bytes?: number | undefined;
}

/** Whose file a path is, by the brief. */
export interface Boundary {
  readonly inSandbox: (path: string) => boolean;
  /** Files that steer other agents or tools, which the brief lets agents write all the same. */
  readonly isAllowed: (path: string) => boolean;
}

/** What one candidate may bring: a notebook is history for ever, and a room is filled with it for every measurement. */
export const caps = { fileBytes: 10_000_000, bytes: 50_000_000, files: 2_000 } as const;

/** Everything that an agent may not have done, in words; empty when the candidate may be measured. */
export function breaches(differences: readonly PathDifference[], boundary: Boundary): string[] {
  const brought = differences.filter(({ after }) => after !== undefined);
  const bytes = brought.reduce((sum, one) => sum + (one.bytes ?? 0), 0);
  return [
    ...differences.flatMap((difference) => breach(difference, boundary) ?? []),
    ...(brought.length > caps.files ? [`changed more than ${caps.files} files`] : []),
    ...(bytes > caps.bytes ? [`changed files of ${bytes} bytes in all, more than ${caps.bytes}`] : []),
  ];
}

/**
 * Why an agent may not make this difference, or undefined when it may: only regular files of the sandbox may differ,
 * and none that git, a tool or the next agent would read as more than a file.
 */
export function breach(difference: PathDifference, boundary: Boundary): string | undefined {
  const { path, before, after, bytes = 0 } = difference;
  const shown = showPath(path);
  const done = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  // First: no pattern of a sandbox matches a line break, so such a name would be outside wherever it is.
  if (before === undefined && isUnseen(path)) return `added ${shown}, a name with invisible characters`;
  if (!boundary.inSandbox(path)) return `${done} ${shown}, which is outside the sandbox`;
  if (after !== undefined && after !== '100644' && after !== '100755')
    return `made ${shown} something other than a regular file`;
  if (before !== undefined && after !== undefined && before !== after) return `changed the mode of ${shown}`;
  const bad = before === undefined ? whyBadPath(path) : undefined;
  if (bad !== undefined) return `added ${shown}, ${bad}`;
  if (bytes > caps.fileBytes) return `${done} ${shown}, ${bytes} bytes, more than ${caps.fileBytes}`;
  const steering = boundary.isAllowed(path) ? undefined : steeringFile(path);
  if (steering === undefined) return undefined;
  const wrote = after === undefined ? 'removed' : 'wrote';
  return `${wrote} ${shown}, which ${steering.does}; program.md may allow it: allow: [${steering.allow}]`;
}

/** A list of breaches as one reason: the first few in full, and how many more there are. */
export function breachesInWords(found: readonly string[]): string {
  const more = found.length > 5 ? `, and ${found.length - 5} more` : '';
  return found.slice(0, 5).join('; ') + more;
}
