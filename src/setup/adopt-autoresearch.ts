import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { placeOfProgram } from '../agents/programs/program-place.ts';
import { formatAutoresearchBrief } from '../brief/read/autoresearch-brief.ts';
import { parseBrief } from '../brief/read/brief-text.ts';
import { hasFrontMatter } from '../text/front-matter.ts';
import { Problem } from '../text/problem.ts';

const usualBrief = 'program.md';
/** The brief's file in a repository whose program.md is somebody else's. */
export const besideBrief = 'orgrepo.md';

const theirs = ['program.md', 'prepare.py', 'train.py'];
/** What a training reads beside its own code, where it is there. */
const beside = ['pyproject.toml', 'uv.lock', '.python-version'];

/** Writes a brief around an autoresearch repository; nothing that is there is changed. Gives what a person should know of it. */
export function adoptAutoresearch(root: string, score: string): readonly string[] {
  const missing = theirs.filter((file) => !isFile(root, file));
  if (missing.length > 0)
    throw new Problem(
      'file/missing',
      `this is not an autoresearch repository: ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing`,
      `It has ${theirs.join(', ')} at its root. For anything else: orgrepo init`,
      { file: missing[0] ?? '' },
    );
  fileForBrief(root);
  const include = ['program.md', ...beside.filter((file) => isFile(root, file))];
  const text = formatAutoresearchBrief(score, include, placesIn(root));
  parseBrief(text, besideBrief); // A --score that a brief cannot hold is refused before anything is written.
  writeFileSync(path.join(root, besideBrief), text, { flag: 'wx' });
  return warningsAbout(root, score);
}

/** Where the scripts look in the home, if they do: the data that prepare.py made, and the python that uv installed. */
function placesIn(root: string): string[] {
  const scripts = ['prepare.py', 'train.py'].map((file) => readFileSync(path.join(root, file), 'utf8')).join('\n');
  if (!/expanduser|Path\.home\(|["']~\/|environ\W+HOME/.test(scripts)) return [];
  return [
    '~/.cache/autoresearch',
    ...(existsSync(path.join(homedir(), '.local/share/uv')) ? ['~/.local/share/uv'] : []),
  ];
}

/** The brief that a repository has already, committed or not. A link that leads nowhere is a file too. */
export function presentBrief(root: string): string | undefined {
  if (isThere(root, besideBrief)) return besideBrief;
  return isThere(root, usualBrief) && hasFrontMatter(readFileSync(path.join(root, usualBrief), 'utf8'))
    ? usualBrief
    : undefined;
}

/** The file that a first brief may be written to. */
export function fileForBrief(root: string): string {
  const file = presentBrief(root);
  if (file === undefined) return isThere(root, usualBrief) ? besideBrief : usualBrief;
  throw new Problem(
    'file/exists',
    `there is a brief already: ${file}`,
    `Look at it, and start: orgrepo plan. To have a new one, take ${file === besideBrief ? 'it away' : 'its front matter out'} first.`,
    { file },
  );
}

const isThere = (root: string, file: string): boolean =>
  lstatSync(path.join(root, file), { throwIfNoEntry: false }) !== undefined;

function warningsAbout(root: string, score: string): string[] {
  const [program = ''] = score.trim().split(/\s+/);
  const warnings: string[] = [];
  if (/^\w+$/.test(program) && placeOfProgram(program) === undefined) {
    const other = program === 'uv' && placeOfProgram('python3') !== undefined;
    const instead = other ? `; python3 is: to use it, write score: python3 train.py in ${besideBrief}` : '';
    warnings.push(`${program} is not installed here, and ${besideBrief} says score: ${score}${instead}`);
  }
  const train = readFileSync(path.join(root, 'train.py'), 'utf8');
  if (!train.includes('val_bpb'))
    warnings.push('train.py never says val_bpb: the metric must be on a line "val_bpb: number" that it prints');
  return warnings;
}

const isFile = (root: string, file: string): boolean =>
  lstatSync(path.join(root, file), { throwIfNoEntry: false })?.isFile() === true;
