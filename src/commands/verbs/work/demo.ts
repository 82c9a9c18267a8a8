import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Problem } from '../../../text/problem.ts';
import type { Command } from '../../kit/command.ts';
import { jailOption, readCountOption, textOption } from '../../kit/options.ts';
import { copyTemplate, makeDirectory, requireTemplate, templateList } from '../../kit/templates.ts';
import { runHere } from './run.ts';

/** Long enough to see real gains, short enough to watch. */
const demoSeconds = 35;
const demoAttempts = 120;

export const command: Command = {
  name: 'demo',
  summary: 'The whole thing in a new directory, in under a minute: no key, no network.',
  arguments: ['[directory]'],
  options: {
    template: textOption('name', `what to show (pack):\n${templateList}`),
    max: textOption('n', `stop after this many attempts (${demoAttempts})`),
    ...jailOption,
    ui: textOption('kind', 'live, lines or json'),
  },
  goesOnUnread: true,
  examples: ['npx orgrepo demo', 'npx orgrepo demo /tmp/try'],
  run: async (call) => {
    const name = call.words[0] ?? 'orgrepo-demo';
    const dir = path.resolve(call.dir, name);
    const max = readCountOption(call, 'max') ?? demoAttempts;
    if (existsSync(dir) && (!statSync(dir).isDirectory() || readdirSync(dir).length > 0)) {
      throw new Problem(
        'file/exists',
        `${dir} is there already`,
        `Go on in it: cd ${name} && npx orgrepo run. Or take another: npx orgrepo demo ${name}-2`,
        { file: dir },
      );
    }
    const template = call.value('template') ?? 'pack';
    requireTemplate(template); // Before anything is made.
    if (template === 'watcher')
      throw new Problem(
        'usage/option',
        'the brief of watcher names a model, which a demo never asks',
        'See it in a directory of its own: npx orgrepo init --template watcher',
      );
    makeDirectory(dir, 'Name another: npx orgrepo demo /tmp/try');
    const { written } = copyTemplate(template, dir);
    nameScripts(dir, written);
    const sandbox = written.find((file) => file.startsWith('sandbox/')) ?? 'sandbox';
    const { startRepository } = await import('../../../git/persons-git.ts');
    await startRepository(dir, 'the org as it starts');
    call.say(`in ${dir}: ${hasModels(written) ? 'scripted' : 'search'} agents, no model, no key, no network\n\n`);
    const limits = { max, patience: undefined, until: Date.now() + demoSeconds * 1000 };
    const code = await runHere({ ...call, dir }, { seed: '1', limits, fromTrunk: false });
    if (code !== 0) return code;
    if (!call.isTerminal && !call.json) await printReport({ ...call, dir });
    call.say(
      `\nnow type\n  cd ${name}\n  git log --first-parent orgrepo/best\n  git blame orgrepo/best -- ${sandbox}\n  $EDITOR program.md       commit it, and: npx orgrepo run\nyour own repository: npx orgrepo init\n`,
    );
    return 0;
  },
};

/** A demo spends nothing, also where there is a key: its brief names the scripts themselves. */
function nameScripts(dir: string, files: readonly string[]): void {
  const brief = path.join(dir, 'program.md');
  const scripts = files.filter((file) => file.startsWith('models/'));
  const named = scripts.reduce(
    (text, file) => text.replaceAll(`model: ${path.basename(file, '.json')}`, `model: scripted:${file}`),
    readFileSync(brief, 'utf8'),
  );
  if (scripts.length > 0) writeFileSync(brief, named);
}

const hasModels = (files: readonly string[]): boolean => files.some((file) => file.startsWith('models/'));

async function printReport(call: Parameters<Command['run']>[0]): Promise<void> {
  const { command: report } = await import('../read/report.ts');
  await report.run({ ...call, value: () => undefined, flag: () => false });
}
