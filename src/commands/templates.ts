import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
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
}

/** Copies a template's files into a directory, and never over a file that is there. */
export function copyTemplate(name: string, dir: string): Copied {
  requireTemplate(name);
  const from = path.join(templatesDir(), name);
  const files = readdirSync(from, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(from, path.join(entry.parentPath, entry.name)))
    .sort();
  const written: string[] = [];
  const kept: string[] = [];
  for (const file of files) {
    const target = path.join(dir, file);
    if (existsSync(target)) {
      kept.push(file);
      continue;
    }
    mkdirSync(path.dirname(target), { recursive: true });
    copyFileSync(path.join(from, file), target);
    written.push(file);
  }
  return { written, kept };
}
