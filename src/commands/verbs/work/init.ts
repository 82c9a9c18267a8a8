import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { placeOfProgram } from '../../../agents/programs/program-place.ts';
import { formatAutoresearchBrief } from '../../../brief/read/autoresearch-brief.ts';
import { parseBrief } from '../../../brief/read/brief-text.ts';
import { openRepo } from '../../../git/repo.ts';
import { excludeOwn } from '../../../git/worktree.ts';
import { hasFrontMatter } from '../../../text/front-matter.ts';
import { isProblem, Problem } from '../../../text/problem.ts';
import type { Command, VerbCall } from '../../kit/command.ts';
import { readWordOption, textOption } from '../../kit/options.ts';
import { copyTemplate, makeDirectory, requireTemplate, templateList } from '../../kit/templates.ts';

/** How autoresearch itself starts a training. */
const usualScore = 'uv run train.py';

export const command: Command = {
  name: 'init',
  summary: 'Makes program.md, harness/, sandbox/, specs/ and branches.md here; never overwrites a file.',
  options: {
    template: textOption('name', `what to begin with (blank):\n${templateList}`),
    from: textOption('kind', 'autoresearch: a brief around the files that are here'),
    score: textOption('command', `with --from: what trains and scores (${usualScore})`),
  },
  examples: ['orgrepo init --template tinylm', 'orgrepo init --from autoresearch'],
  run: async (call) => {
    if (call.value('from') !== undefined) return adoptHere(call);
    if (call.value('score') !== undefined)
      throw new Problem('usage/option', '--score goes with --from', 'Without it, change score in program.md.');
    const name = call.value('template') ?? 'blank';
    requireTemplate(name); // Before anything is made.
    const root = await ensureRepository(call);
    const { written, kept, brief } = copyTemplate(name, root);
    const lines = [
      ...written.map((file) => `wrote  ${file}\n`),
      ...kept.map((file) => `kept   ${file}  (yours, left as it is)\n`),
    ];
    call.answer({ schema: 'orgrepo/init@1', root, template: name, written, kept }, lines.join(''));
    call.say(
      written.length === 0
        ? 'nothing to do: every file is there already\n'
        : `\nNothing is committed yet. Look at ${brief}, then:\n  git add -A && git commit -m "orgrepo"      and      orgrepo run\n`,
    );
    return 0;
  },
};

/** A brief around somebody's own files, none of which is touched. */
async function adoptHere(call: VerbCall): Promise<number> {
  readWordOption(call, 'from', ['autoresearch'], 'For example: orgrepo init --from autoresearch');
  if (call.value('template') !== undefined)
    throw new Problem('usage/option', '--from and --template both say what to make', 'Give one of them.');
  const root = await openedRoot(call);
  const warnings = adoptAutoresearch(root, call.value('score') ?? usualScore);
  const from = { root, from: 'autoresearch', written: [brief], kept: [], warnings };
  call.answer({ schema: 'orgrepo/init@1', ...from }, `wrote  ${brief}\n`);
  for (const warning of warnings) call.say(`${call.look.paint.yellow('warn')}   ${warning}\n`);
  call.say(
    `\nNothing of yours was changed, and nothing is committed yet. Look at ${brief}, then:\n  git add ${brief} && git commit -m "orgrepo"      and      orgrepo plan\n`,
  );
  return 0;
}

/** The repository's root; a directory that is in none becomes one. */
async function ensureRepository(call: VerbCall): Promise<string> {
  makeDirectory(call.dir, 'Check the path given to -C.');
  try {
    return await openedRoot(call);
  } catch (error) {
    if (!isProblem(error) || error.code !== 'repo/none') throw error;
  }
  const { initRepository } = await import('../../../git/persons-git.ts');
  await initRepository(call.dir);
  call.say(`made ${call.dir} a git repository\n`);
  return openedRoot(call);
}

/** Benches and keys stay out of the person's commits, from the first `git add -A` on. */
async function openedRoot(call: VerbCall): Promise<string> {
  const repo = await openRepo(call.dir);
  await repo.close();
  excludeOwn(repo);
  return repo.root;
}

const brief = 'orgrepo.md';
const theirs = ['program.md', 'prepare.py', 'train.py'];
/** What a training reads beside its own code, where it is there. */
const beside = ['pyproject.toml', 'uv.lock', '.python-version'];

/** Writes a brief around an autoresearch repository; nothing that is there is changed. Gives what a person should know of it. */
function adoptAutoresearch(root: string, score: string): readonly string[] {
  const missing = theirs.filter((file) => !isFile(root, file));
  if (missing.length > 0)
    throw new Problem(
      'file/missing',
      `this is not an autoresearch repository: ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing`,
      `It has ${theirs.join(', ')} at its root. For anything else: orgrepo init`,
      { file: missing[0] ?? '' },
    );
  refuseOtherBrief(root);
  const include = ['program.md', ...beside.filter((file) => isFile(root, file))];
  const text = formatAutoresearchBrief(score, include, placesIn(root));
  parseBrief(text, brief); // A --score that a brief cannot hold is refused before anything is written.
  writeFileSync(path.join(root, brief), text, { flag: 'wx' });
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

/** Also a link that leads nowhere is there. */
function refuseOtherBrief(root: string): void {
  const ours = lstatSync(path.join(root, brief), { throwIfNoEntry: false }) !== undefined;
  if (!ours && !hasFrontMatter(readFileSync(path.join(root, 'program.md'), 'utf8'))) return;
  const file = ours ? brief : 'program.md';
  throw new Problem(
    'file/exists',
    `there is a brief already: ${file}`,
    `Look at it, and start: orgrepo plan. To have a new one, take ${ours ? 'it away' : 'its front matter out'} first.`,
    { file },
  );
}

function warningsAbout(root: string, score: string): string[] {
  const [program = ''] = score.trim().split(/\s+/);
  const warnings: string[] = [];
  if (/^\w+$/.test(program) && placeOfProgram(program) === undefined) {
    const other = program === 'uv' && placeOfProgram('python3') !== undefined;
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
