import { homedir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { cleanLine, didYouMean, Problem } from '../../../text/problem.ts';
import type { Command, VerbCall } from '../../kit/command.ts';
import { type LineToComplete, readTypedLine } from '../../kit/complete-line.ts';
import { completionScripts, shells } from '../../kit/completion-scripts.ts';
import type { Completion } from '../../kit/names-now.ts';
import type { OrgNames } from '../../kit/offers.ts';

/** Completion of the verbs of the list. The list is given, because it is where this file is loaded. */
export function completionOf(verbs: Verbs, find: (name: string) => Verbs[string] | undefined): Command {
  return {
    name: 'completion',
    summary: 'Prints what bash, zsh or fish needs to complete commands, options, experiments, specs and agents.',
    arguments: ['<shell>', '[word...]'],
    options: {},
    examples: [
      'eval "$(orgrepo completion bash)"',
      'eval "$(orgrepo completion zsh)"',
      'orgrepo completion fish > ~/.config/fish/completions/orgrepo.fish',
      'orgrepo completion bash -- show 1',
    ],
    run: async (call) => {
      const [typed = '', ...line] = call.words;
      const shell = shells.find((one) => one === typed);
      if (shell === undefined) {
        const hint = didYouMean(typed, shells, `It can be ${shells.join(', ')}.`);
        throw new Problem('usage/argument', `there is no completion for ${JSON.stringify(typed)}`, hint);
      }
      const script = completionScripts[shell];
      if (line.length === 0) {
        call.answer({ schema: 'orgrepo/completion@1', shell, script }, script);
        return 0;
      }
      const candidates = await complete(call, await readTypedLine(line, find), verbs);
      const text = candidates.map(({ value, about }) => `${value}${about === '' ? '' : `\t${cleanLine(about, 60)}`}\n`);
      call.answer({ schema: 'orgrepo/completion@1', shell, candidates }, text.join(''));
      return 0;
    },
  };
}

type Verbs = Readonly<Record<string, () => Promise<Command>>>;

/** A person waits for the answer with a finger on the key; a slow disk or a damaged repository gives none. */
const mostMs = 2_000;

async function complete(call: VerbCall, wanted: LineToComplete, verbs: Verbs): Promise<readonly Completion[]> {
  const names = wanted.offers.filter(isOrgName);
  const [fixed, now] = await Promise.all([
    offered(wanted, verbs),
    names.length === 0 ? [] : namesIn(call, wanted, names),
  ]);
  const options = [...wanted.options].map(([value, about]) => ({ value, about }));
  return [...now, ...fixed, ...options]
    .filter(({ value }) => value.startsWith(':') || (value.startsWith(wanted.typed) && !wanted.used.has(value)))
    .map(({ value, about }) => ({ value: value.startsWith(':') ? value : `${wanted.prefix}${value}`, about }));
}

const isOrgName = (offer: LineToComplete['offers'][number]): offer is OrgNames =>
  typeof offer === 'string' && !['verbs', 'files', 'directories'].includes(offer);

async function offered({ offers }: LineToComplete, verbs: Verbs): Promise<readonly Completion[]> {
  const found: Completion[] = [];
  for (const offer of offers) {
    if (typeof offer !== 'string') found.push(...offer.map((value) => ({ value, about: '' })));
    else if (offer === 'verbs') {
      const commands = await Promise.all(Object.values(verbs).map((load) => load()));
      found.push(...commands.map(({ name, summary }) => ({ value: name, about: summary })));
    } else if (!isOrgName(offer)) found.push({ value: `:${offer}`, about: '' });
  }
  return found;
}

/** Nothing where there is no org: a line that is being typed is not the place for an error. */
async function namesIn(
  call: VerbCall,
  { dir = '.', typed }: LineToComplete,
  kinds: readonly OrgNames[],
): Promise<readonly Completion[]> {
  const { namesNow } = await import('../../kit/names-now.ts');
  const there = path.resolve(call.dir, dir.replace(/^~(?=\/|$)/, homedir()));
  const none = (): readonly Completion[] => [];
  return Promise.race([namesNow(there, kinds, typed).catch(none), wait(mostMs, undefined, { ref: false }).then(none)]);
}
