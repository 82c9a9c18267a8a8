import { accessSync, constants, existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { formatAutoresearchBrief } from '../../brief/read/autoresearch-brief.ts';
import { parseBrief } from '../../brief/read/brief-text.ts';
import { hasFrontMatter } from '../../text/front-matter.ts';
import { Problem } from '../../text/problem.ts';

/** How autoresearch itself starts a training. */
export const usualScore = 'uv run train.py';

const brief = 'orgrepo.md';
const theirs = ['program.md', 'prepare.py', 'train.py'];
/** What a training reads beside its own code, where it is there. */
const beside = ['pyproject.toml', 'uv.lock', '.python-version'];

/** Writes a brief around an autoresearch repository; nothing that is there is changed. */
export function adoptAutoresearch(
  root: string,
  score: string,
): { readonly written: string; readonly warnings: readonly string[] } {
  const missing = theirs.filter((file) => !isFile(root, file));
  if (missing.length > 0)
    throw new Problem(
      'file/missing',
      `this is no autoresearch repository: ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing`,
      `It has ${theirs.join(', ')} at its root. For anything else: npx orgrepo init`,
      { file: missing[0] ?? '' },
    );
  refuseOtherBrief(root);
  const include = ['program.md', ...beside.filter((file) => isFile(root, file))];
  const text = formatAutoresearchBrief(score, include, placesIn(root));
  parseBrief(text, brief); // A --score that a brief cannot hold is refused before anything is written.
  writeFileSync(path.join(root, brief), text, { flag: 'wx' });
  return { written: brief, warnings: warningsAbout(root, score) };
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

/** Also a link that leads nowhere is there. */
function refuseOtherBrief(root: string): void {
  const ours = lstatSync(path.join(root, brief), { throwIfNoEntry: false }) !== undefined;
  if (!ours && !hasFrontMatter(readFileSync(path.join(root, 'program.md'), 'utf8'))) return;
  const file = ours ? brief : 'program.md';
  throw new Problem(
    'file/exists',
    `there is a brief already: ${file}`,
    `Look at it, and start: npx orgrepo plan. To have a new one, take ${ours ? 'it away' : 'its front matter out'} first.`,
    { file },
  );
}

function warningsAbout(root: string, score: string): string[] {
  const [program = ''] = score.trim().split(/\s+/);
  const warnings: string[] = [];
  if (/^\w+$/.test(program) && !isInstalled(program)) {
    const other = program === 'uv' && isInstalled('python3');
    const instead = other ? `; python3 is: to use it, write score: python3 train.py in ${brief}` : '';
    warnings.push(`${program} is not installed here, and ${brief} says score: ${score}${instead}`);
  }
  const train = readFileSync(path.join(root, 'train.py'), 'utf8');
  if (!train.includes('val_bpb'))
    warnings.push('train.py never says val_bpb: the metric must be on a line "val_bpb: number" that it prints');
  return warnings;
}

const isFile = (root: string, file: string): boolean =>
  lstatSync(path.join(root, file), { throwIfNoEntry: false })?.isFile() === true;

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '').split(path.delimiter).some((dir) => {
    try {
      accessSync(path.join(dir, program), constants.X_OK);
      return dir !== '';
    } catch {
      return false;
    }
  });
}
