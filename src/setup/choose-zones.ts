import { hasGlob, mayTouch, readGlobs, whyNoPath } from '../text/paths.ts';
import { isAbout } from './project-offers.ts';

/** What scores, and what else is there to be read. */
export interface ChosenZones {
  readonly harness: string;
  readonly include: readonly string[];
}

/**
 * Divides a project around what agents may edit: the harness is where the scoring command's own script is, and all else that
 * may be needed is included. `mentioned` are the files that the command names. Undefined where nothing is left for a harness.
 */
export function chooseZones(
  paths: readonly string[],
  sandbox: readonly string[],
  mentioned: readonly string[],
  wanted: { readonly harness?: string | undefined; readonly all: boolean },
): ChosenZones | undefined {
  const isFree = (path: string): boolean => !sandbox.some((pattern) => mayTouch(pattern, path));
  const script = mentioned.find(isFree);
  const dir = script?.includes('/') ? script.slice(0, script.lastIndexOf('/')) : undefined;
  const harness =
    wanted.harness ??
    (dir !== undefined && isFree(dir) ? dir : script) ??
    manifests.find((file) => paths.includes(file) && isFree(file)) ??
    paths.find((file) => isFree(file) && !isAbout(file));
  if (harness === undefined) return undefined;
  const isNeeded = (path: string): boolean =>
    !/^\.git|^\.worktrees(\/|$)|^(program|orgrepo)\.md$/.test(path) && (wanted.all || !isAbout(path));
  const { names } = readGlobs(sandbox);
  const include = cover(
    paths.filter((file) => isNeeded(file) && !names(file) && file !== harness && !file.startsWith(`${harness}/`)),
    '',
    (path) => isFree(path) && path !== harness && !harness.startsWith(`${path}/`),
  );
  return { harness, include };
}

const manifests = ['Makefile', 'makefile', 'package.json', 'pyproject.toml', 'Cargo.toml', 'go.mod', 'setup.py'];

/** The fewest paths that name these files and no others that are not to be named. */
function cover(files: readonly string[], below: string, mayName: (path: string) => boolean): string[] {
  const parts = new Map<string, string[]>();
  for (const file of files) {
    const rest = file.slice(below.length);
    const path = below + (rest.includes('/') ? rest.slice(0, rest.indexOf('/')) : rest);
    parts.set(path, [...(parts.get(path) ?? []), file]);
  }
  return [...parts].flatMap(([path, inside]) => {
    if (hasGlob(path) || whyNoPath(path) !== undefined) return []; // include could not name it.
    if (mayName(path)) return [path];
    return inside.length === 1 && inside[0] === path ? [] : cover(inside, `${path}/`, mayName);
  });
}
