import { mkdirSync } from 'node:fs';
import { isProblem } from '../domain/problem.ts';
import { openRepo } from '../git/repo.ts';
import { formatJson } from '../views/json.ts';
import type { Call, Command } from './command.ts';
import { copyTemplate, requireTemplate } from './templates.ts';

export const command: Command = {
  name: 'init',
  summary: 'Makes program.md, harness/, sandbox/, specs/ and branches.md here; never overwrites a file.',
  arguments: [],
  options: { template: { type: 'string', value: 'name', help: 'pack, tinylm or blank (blank)' } },
  examples: ['npx orgrepo init --template tinylm'],
  run: async (call) => {
    const name = call.value('template') ?? 'blank';
    requireTemplate(name); // Before anything is made.
    const root = await ensureRepository(call);
    const { written, kept } = copyTemplate(name, root);
    if (call.json) {
      call.out(`${formatJson({ schema: 'orgrepo/init@1', root, template: name, written, kept })}\n`);
      return 0;
    }
    for (const file of written) call.out(`wrote  ${file}\n`);
    for (const file of kept) call.out(`kept   ${file}  (yours, left as it is)\n`);
    call.say(
      written.length === 0
        ? 'nothing to do: every file is there already\n'
        : '\nNothing is committed yet. Look at program.md, then:\n  git add -A && git commit -m "orgrepo"      and      npx orgrepo run\n',
    );
    return 0;
  },
};

/** The repository's root; a directory that is in none becomes one. */
async function ensureRepository(call: Call): Promise<string> {
  mkdirSync(call.dir, { recursive: true });
  try {
    const repo = await openRepo(call.dir);
    await repo.close();
    return repo.root;
  } catch (error) {
    if (!isProblem(error) || error.code !== 'repo/none') throw error;
  }
  const { initRepository } = await import('../git/person.ts');
  await initRepository(call.dir);
  call.say(`made ${call.dir} a git repository\n`);
  return call.dir;
}
