import { constants, copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Problem } from '../domain/problem.ts';
import { nearestName } from '../text/nearest.ts';

/** The templates that ship with orgrepo, beside the bundle. */
const templatesDir = (): string => {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const found = ['../templates', '../../templates'].map((up) => path.join(here, up)).find((dir) => existsSync(dir));
  if (found === undefined) throw new Error(`no templates beside ${here}`);
  return found;
};

const templateNames = (): string[] => readdirSync(templatesDir()).sort();

export function requireTemplate(name: string): void {
  if (templateNames().includes(name)) return;
  const near = nearestName(name, templateNames());
  const hint = near === undefined ? `There are: ${templateNames().join(', ')}` : `Did you mean --template ${near}?`;
  throw new Problem('usage/option', `there is no template ${JSON.stringify(name)}`, hint);
}

export interface Copied {
  readonly written: readonly string[];
  /** Files that were there already and were left as they are. */
  readonly kept: readonly string[];
  /** The file that holds the brief now. */
  readonly brief: string;
}

/**
 * Copies a template's files into a directory, and never over a file that is there. A brief that is there has a harness
 * and a sandbox of its own, or wants to: the template's would only be strangers among them.
 */
export function copyTemplate(name: string, dir: string): Copied {
  requireTemplate(name);
  const from = path.join(templatesDir(), name);
  const files = readdirSync(from, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(from, path.join(entry.parentPath, entry.name)))
    .sort();
  const beside = isThere(dir, 'orgrepo.md');
  const hasOwnBrief =
    beside || (isThere(dir, 'program.md') && !isSame(path.join(from, 'program.md'), path.join(dir, 'program.md')));
  const written: string[] = [];
  const kept: string[] = [];
  for (const file of files) {
    if (isThere(dir, file)) kept.push(file);
    else if (!hasOwnBrief || !(file.includes('/') || (beside && file === 'program.md'))) {
      mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
      copyFileSync(path.join(from, file), path.join(dir, file), constants.COPYFILE_EXCL);
      written.push(file);
    }
  }
  return { written, kept, brief: beside ? 'orgrepo.md' : 'program.md' };
}

/** Also a link that leads nowhere is there: writing through it would make a file at the other end. */
const isThere = (dir: string, file: string): boolean =>
  lstatSync(path.join(dir, file), { throwIfNoEntry: false }) !== undefined;

function isSame(template: string, file: string): boolean {
  try {
    return readFileSync(template).equals(readFileSync(file));
  } catch {
    return false;
  }
}
