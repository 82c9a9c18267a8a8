import { readdirSync } from 'node:fs';
import { openRepo } from '../../../git/repo.ts';
import { excludeOwn } from '../../../git/worktree.ts';
import { adoptAutoresearch, besideBrief, presentBrief } from '../../../setup/adopt-autoresearch.ts';
import { isProject } from '../../../setup/project-offers.ts';
import { isProblem, orElse, Problem, unlessProblem } from '../../../text/problem.ts';
import type { Command, VerbCall } from '../../kit/command.ts';
import { flagOption, jailOption, readWordOption, textOption } from '../../kit/options.ts';
import { copyTemplate, makeDirectory, requireTemplate, templateList } from '../../kit/templates.ts';

/** How autoresearch itself starts a training. */
const usualScore = 'uv run train.py';

/** What says something about a project that is here. */
const ofProject = {
  score: textOption('command', 'what prints the score of your project: "python3 tests/evaluate.py"'),
  metric: textOption('name', 'the number that it prints, as name: number'),
  pattern: textOption('regex', "how to find it in other output: 'x ([\\d,.]+) ops/sec'"),
  minimize: flagOption('lower is better'),
  maximize: flagOption('higher is better'),
  edit: textOption('files', 'what agents may edit: src/rank.py, or "src/**,data/weights.json"'),
  tests: textOption('command', 'what must pass before a win counts: "npm test"'),
  harness: textOption('path', "what scores, where it is not the directory of the command's script"),
};

export const command: Command = {
  name: 'init',
  summary: 'Writes a brief for the project that is here, or an example to begin with; never overwrites a file.',
  options: {
    ...ofProject,
    ...jailOption,
    template: textOption('name', `an example to begin with (blank):\n${templateList}`),
    from: textOption('kind', `autoresearch: a brief around the files that are here; --score (${usualScore})`),
  },
  examples: [
    'orgrepo init',
    'orgrepo init --score "python3 tests/evaluate.py" --metric error_rate --minimize --edit spam/score.py',
    'orgrepo init --template tinylm',
    'orgrepo init --from autoresearch',
  ],
  run: async (call) => {
    const given = Object.keys(ofProject).filter((name) => call.flag(name) || call.value(name) !== undefined);
    if (call.value('from') !== undefined) return adoptHere(call, given);
    const template = call.value('template');
    if (template !== undefined && given[0] !== undefined) throw both('template', given[0]);
    if (given.length === 0 && (template !== undefined || !(await findProject(call))))
      return beginWith(call, template ?? 'blank');
    const { setUpHere } = await import('../../kit/set-up-here.ts');
    return setUpHere(call);
  },
};

const both = (one: string, other: string): Problem =>
  new Problem('usage/option', `--${one} and --${other} both say what to make`, 'Give one of them.');

/** Whether there are files of a project here, and no brief yet. */
async function findProject(call: VerbCall): Promise<boolean> {
  const repo = await unlessProblem(openRepo(call.dir));
  if (repo === undefined) return isProject(orElse(() => readdirSync(call.dir), []));
  await repo.close();
  const { filesInWorkTree } = await import('../../../git/persons-git.ts');
  return presentBrief(repo.root) === undefined && isProject(await filesInWorkTree(repo.root));
}

/** An example, with nothing overwritten that is there. */
async function beginWith(call: VerbCall, name: string): Promise<number> {
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
}

/** A brief around somebody's own files, none of which is touched. */
async function adoptHere(call: VerbCall, given: readonly string[]): Promise<number> {
  readWordOption(call, 'from', ['autoresearch'], 'For example: orgrepo init --from autoresearch');
  const other = call.value('template') === undefined ? given.find((name) => name !== 'score') : 'template';
  if (other !== undefined) throw both('from', other);
  const root = await openedRoot(call);
  const warnings = adoptAutoresearch(root, call.value('score') ?? usualScore);
  const from = { root, from: 'autoresearch', written: [besideBrief], kept: [], warnings };
  call.answer({ schema: 'orgrepo/init@1', ...from }, `wrote  ${besideBrief}\n`);
  for (const warning of warnings) call.say(`${call.look.paint.yellow('warn')}   ${warning}\n`);
  call.say(
    `\nNothing of yours was changed, and nothing is committed yet. Look at ${besideBrief}, then:\n  git add ${besideBrief} && git commit -m "orgrepo"      and      orgrepo plan\n`,
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
