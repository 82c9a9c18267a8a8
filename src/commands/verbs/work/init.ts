import { openRepo } from '../../../git/repo.ts';
import { excludeOwn } from '../../../git/worktree.ts';
import { formatJson } from '../../../terminal/visible.ts';
import { isProblem, Problem } from '../../../text/problem.ts';
import { adoptAutoresearch, usualScore } from '../../kit/adopt-autoresearch.ts';
import type { Command, VerbCall } from '../../kit/command.ts';
import { makeDirectory } from '../../kit/make-directory.ts';
import { copyTemplate, requireTemplate, templateList } from '../../kit/templates.ts';

export const command: Command = {
  name: 'init',
  summary: 'Makes program.md, harness/, sandbox/, specs/ and branches.md here; never overwrites a file.',
  arguments: [],
  options: {
    template: { type: 'string', value: 'name', help: `what to begin with (blank):\n${templateList}` },
    from: { type: 'string', value: 'kind', help: 'autoresearch: a brief around the files that are here' },
    score: { type: 'string', value: 'command', help: `with --from: what trains and scores (${usualScore})` },
  },
  examples: ['npx orgrepo init --template tinylm', 'npx orgrepo init --from autoresearch'],
  run: async (call) => {
    if (call.value('from') !== undefined) return adoptHere(call);
    if (call.value('score') !== undefined)
      throw new Problem('usage/option', '--score goes with --from', 'Without it, change score in program.md.');
    const name = call.value('template') ?? 'blank';
    requireTemplate(name); // Before anything is made.
    const root = await ensureRepository(call);
    const { written, kept, brief } = copyTemplate(name, root);
    if (call.json) {
      call.out(`${formatJson({ schema: 'orgrepo/init@1', root, template: name, written, kept })}\n`);
      return 0;
    }
    for (const file of written) call.out(`wrote  ${file}\n`);
    for (const file of kept) call.out(`kept   ${file}  (yours, left as it is)\n`);
    call.say(
      written.length === 0
        ? 'nothing to do: every file is there already\n'
        : `\nNothing is committed yet. Look at ${brief}, then:\n  git add -A && git commit -m "orgrepo"      and      npx orgrepo run\n`,
    );
    return 0;
  },
};

/** A brief around somebody's own files, none of which is touched. */
async function adoptHere(call: VerbCall): Promise<number> {
  const kind = call.value('from');
  if (kind !== 'autoresearch')
    throw new Problem(
      'usage/option',
      `--from is ${JSON.stringify(kind)}, expected autoresearch`,
      'For example: npx orgrepo init --from autoresearch',
    );
  if (call.value('template') !== undefined)
    throw new Problem('usage/option', '--from and --template both say what to make', 'Give one of them.');
  const root = await openedRoot(call);
  const { written, warnings } = adoptAutoresearch(root, call.value('score') ?? usualScore);
  if (call.json) {
    call.out(`${formatJson({ schema: 'orgrepo/init@1', root, from: kind, written: [written], kept: [], warnings })}\n`);
    return 0;
  }
  call.out(`wrote  ${written}\n`);
  for (const warning of warnings) call.say(`${call.look.paint.yellow('warn')}   ${warning}\n`);
  call.say(
    `\nNothing of yours was changed, and nothing is committed yet. Look at ${written}, then:\n  git add ${written} && git commit -m "orgrepo"      and      npx orgrepo plan\n`,
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

/** Benches and keys are none of the person's commits, from the first `git add -A` on. */
async function openedRoot(call: VerbCall): Promise<string> {
  const repo = await openRepo(call.dir);
  await repo.close();
  excludeOwn(repo);
  return repo.root;
}
