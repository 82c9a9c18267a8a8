import { createInterface } from 'node:readline/promises';
import type { RunLimits } from '../../domain/rules/ending.ts';
import { type CulturePreset, culturePresets } from '../../domain/staff/charter.ts';
import { type JailWish, jailWishes } from '../../jail/jail-level.ts';
import { nearestName } from '../../text/nearest.ts';
import { Problem } from '../../text/problem.ts';
import type { Option, VerbCall } from './command.ts';

/** For every verb that measures. */
export const jailOption: Readonly<Record<string, Option>> = {
  jail: {
    type: 'string',
    value: 'level',
    help: 'how candidates are held: auto, require, bubblewrap, namespaces, none ($ORGREPO_JAIL, auto)',
  },
};

/** How well a person wants candidates held: as typed, else as their environment says, else as well as can be. */
export function readJail(call: VerbCall): JailWish {
  const typed = call.value('jail');
  const wish = typed ?? (process.env.ORGREPO_JAIL || 'auto');
  const known = jailWishes.find((one) => one === wish);
  if (known !== undefined) return known;
  const where = typed === undefined ? '$ORGREPO_JAIL' : '--jail';
  throw new Problem('usage/option', `${where} is ${JSON.stringify(wish)}`, `It can be ${jailWishes.join(', ')}.`);
}

export const cultureOption: Readonly<Record<string, Option>> = {
  culture: { type: 'string', value: 'preset', help: "this culture instead of ORG.md's, for one run" },
};

/** The culture that was asked for; one that does not exist is said with the one that was meant. */
export function readCultureOption(call: VerbCall): CulturePreset | undefined {
  const word = call.value('culture');
  const preset = culturePresets.find((one) => one === word);
  if (word === undefined || preset !== undefined) return preset;
  const near = nearestName(word, culturePresets);
  throw new Problem(
    'usage/option',
    `--culture is ${JSON.stringify(word)}, expected one of ${culturePresets.join(', ')}`,
    near === undefined ? 'What each of them means: docs/org.md' : `Did you mean --culture ${near}?`,
  );
}

/** What `--max`, `--until`, `--hours` and `--patience` allow. */
export function readLimits(call: VerbCall, now: number): RunLimits {
  const until = call.value('until');
  const hours = call.value('hours');
  if (until !== undefined && hours !== undefined)
    throw new Problem('usage/option', '--until and --hours both say when to stop', 'Give one of them.');
  return {
    max: readCountOption(call, 'max'),
    patience: readCountOption(call, 'patience'),
    until:
      until !== undefined
        ? timeOfDay(until, now)
        : hours !== undefined
          ? now + readHours(hours) * 3_600_000
          : undefined,
  };
}

/** A whole number above zero, or undefined when the option was not given. */
export function readCountOption(call: VerbCall, option: string, example = 300, most = 999_999_999): number | undefined {
  const text = call.value(option);
  if (text === undefined) return undefined;
  const name = option.length === 1 ? `-${option}` : `--${option}`;
  const count = Number(text);
  if (/^[0-9]{1,9}$/.test(text) && count > 0 && count <= most) return count;
  throw new Problem(
    'usage/option',
    `${name} is ${JSON.stringify(text)}, expected a whole number from 1 to ${most.toLocaleString('en')}`,
    `For example: ${name} ${example}`,
  );
}

function readHours(text: string): number {
  const hours = Number(text);
  if (/^[0-9]+(\.[0-9]+)?$/.test(text) && hours > 0 && hours <= 24 * 30) return hours;
  throw new Problem(
    'usage/option',
    `--hours is ${JSON.stringify(text)}, expected a number of hours above 0`,
    'For example: --hours 8 or --hours 0.5',
  );
}

/** The next time that the clock on the wall says this. */
function timeOfDay(text: string, now: number): number {
  const match = /^([01]?[0-9]|2[0-3]):([0-5][0-9])$/.exec(text);
  if (match === null)
    throw new Problem(
      'usage/option',
      `--until is ${JSON.stringify(text)}, expected a time of day`,
      'For example: --until 07:00',
    );
  const at = new Date(now);
  at.setHours(Number(match[1]), Number(match[2]), 0, 0);
  if (at.getTime() <= now) at.setDate(at.getDate() + 1);
  return at.getTime();
}

/** Asks a person once, unless `--yes` said so beforehand. Where nobody can be asked that is the only yes. */
export async function agreesTo(call: VerbCall, what: string, question: string): Promise<boolean> {
  if (call.flag('yes')) return true;
  const { stdin } = call.streams;
  if (!call.mayAsk || call.json || stdin.isTTY !== true)
    throw new Problem('usage/option', `${what}, and nobody can be asked here`, 'Say that you agree: --yes');
  const lines = createInterface({ input: stdin, output: process.stderr });
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT')); // Whoever interrupts a question interrupts all of it.
  const left = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  try {
    const said = await Promise.race([lines.question(`${question} [y/N] `), left]);
    return /^y(es)?$/i.test(said.trim());
  } finally {
    lines.close();
  }
}
