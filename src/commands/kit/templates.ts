import {
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { nearestName, orElse, Problem } from '../../text/problem.ts';

/** Finds what ships with orgrepo: beside the bundle, which runs from dist/ or dist/chunks/, or above the source. */
const shipped = (kind: 'templates' | 'examples'): string => {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const found = ['..', '../..', '../../../..'].map((up) => path.join(here, up, kind)).find((dir) => existsSync(dir));
  if (found === undefined) throw new Error(`no ${kind} beside ${here}`);
  return found;
};

/** What each of them shows, in one line; a test holds this list against the directory. */
export const templates: Readonly<Record<string, string>> = {
  blank: 'the least that runs, to be replaced by a project of your own',
  bugfix: 'a report becomes a plan, a critique, a fix, a review: by models, hidden tests',
  pack: 'a rule that packs items into fewer bins: the search agent, no model',
  prompt: 'a prompt for a small model that stands in on loopback: by a model',
  tinylm: 'autoresearch in miniature: two seconds of training, the search agent',
  watcher: 'a competitor-watcher: a brief in plain sections, and a weekly report',
};

/** Whole organisations: an ORG.md and what it needs, on top of a template. */
const examples: Readonly<Record<string, { readonly on: string; readonly shows: string }>> = {
  'bug-fix-factory': { on: 'bugfix', shows: 'bugfix with an ORG.md: a department, a budget, policies, playbooks' },
  'research-lab': { on: 'tinylm', shows: 'tinylm with an ORG.md: a chief, six juniors and a checker' },
};

const shownBy: Readonly<Record<string, string>> = {
  ...templates,
  ...Object.fromEntries(Object.entries(examples).map(([name, { shows }]) => [name, shows])),
};

export const templateNames: readonly string[] = Object.keys(shownBy);

/** A list of them to choose from. */
export const templateList = Object.entries(shownBy)
  .map(([name, shows]) => `${name.padEnd(15)} ${shows}`)
  .join('\n');

export function requireTemplate(name: string): void {
  if (Object.hasOwn(shownBy, name)) return;
  const near = nearestName(name, templateNames);
  const hint = near === undefined ? templateList : `Did you mean --template ${near}?`;
  throw new Problem('usage/option', `there is no template ${JSON.stringify(name)}`, hint);
}

/**
 * Copies a template's files into a directory, and never over a file that is there. A brief that is there has a harness
 * and a sandbox of its own, or wants to: the template's would only be strangers among them. `kept` are files that were there already
 * and were left as they are, and `brief` is the file that holds the brief now.
 */
export function copyTemplate(name: string, dir: string) {
  requireTemplate(name);
  const sources = filesOf(name);
  const files = [...sources.keys()].sort();
  const from = (file: string): string => sources.get(file) ?? '';
  const beside = isThere(dir, 'orgrepo.md');
  const hasOwnBrief =
    beside || (isThere(dir, 'program.md') && !isSame(from('program.md'), path.join(dir, 'program.md')));
  const written: string[] = [];
  const kept: string[] = [];
  for (const file of files) {
    if (isThere(dir, file)) kept.push(file);
    else if (!hasOwnBrief || !(file.includes('/') || (beside && file === 'program.md'))) {
      mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
      copyFileSync(from(file), path.join(dir, file), constants.COPYFILE_EXCL);
      written.push(file);
    }
  }
  return { written, kept, brief: beside ? 'orgrepo.md' : 'program.md' };
}

/** Each file by its place in the new org and where it is taken from. An example's own go before those of the template below it. */
function filesOf(name: string): ReadonlyMap<string, string> {
  const example = examples[name];
  if (example === undefined) return filesIn(path.join(shipped('templates'), name));
  const own = new Map(filesIn(path.join(shipped('examples'), name)));
  own.delete('README.md'); // It is about the example.
  return new Map([...filesOf(example.on), ...own]);
}

const filesIn = (dir: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [path.relative(dir, file), file]),
  );

/** Also a link that leads nowhere is there: writing through it would make a file at the other end. */
const isThere = (dir: string, file: string): boolean =>
  lstatSync(path.join(dir, file), { throwIfNoEntry: false }) !== undefined;

const isSame = (template: string, file: string): boolean =>
  orElse(() => readFileSync(template).equals(readFileSync(file)), false);

/** Makes a directory that a person has named, where there is none; a file in its place, or on the way to it, is theirs to see to. */
export function makeDirectory(dir: string, hint: string): void {
  try {
    mkdirSync(dir, { recursive: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' && code !== 'ENOTDIR') throw error;
    throw new Problem('file/missing', `${dir} is not a directory, and cannot be made one`, hint, { file: dir });
  }
}

/** A demo spends nothing, also where there is a key: its brief names the scripts themselves. */
export function nameScripts(dir: string, files: readonly string[]): void {
  const brief = path.join(dir, 'program.md');
  const scripts = files.filter((file) => file.startsWith('models/'));
  const named = scripts.reduce(
    (text, file) => text.replaceAll(`model: ${path.basename(file, '.json')}`, `model: scripted:${file}`),
    readFileSync(brief, 'utf8'),
  );
  if (scripts.length > 0) writeFileSync(brief, named);
}
