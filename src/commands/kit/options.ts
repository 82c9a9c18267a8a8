import { createInterface } from 'node:readline/promises';
import type { RunLimits } from '../../domain/rules/stopping-rules.ts';
import { type CulturePreset, culturePresets } from '../../domain/staff/charter.ts';
import { type JailChoice, jailChoices } from '../../jail/jail.ts';
import { nearestName, Problem } from '../../text/problem.ts';
import { dashed, type Option, type VerbCall } from './command.ts';

/** An option with a value, by what the value is called. */
export const textOption = (value: string, help: string): Option => ({ type: 'string', value, help });

export const flagOption = (help: string): Option => ({ type: 'boolean', help });

/** For every verb that asks a person first. */
export const yesOption = (help = 'do not ask'): Readonly<Record<string, Option>> => ({
  yes: { ...flagOption(help), short: 'y' },
});

/** For every verb that measures. */
export const jailOption: Readonly<Record<string, Option>> = {
  jail: textOption(
    'level',
    'the jail for candidates: auto, require, bubblewrap, namespaces, none ($ORGREPO_JAIL, auto)',
  ),
};

export const reasonOption: Readonly<Record<string, Option>> = {
  reason: textOption('text', 'why, for the log'),
};

export const asOption: Readonly<Record<string, Option>> = {
  as: textOption('person', 'the person in ORG.md you speak for; your git address must be listed there'),
};

/** The jail that a person wants for candidates: as typed, else as their environment says, else the best there is. */
export function readJail(typed: string | undefined): JailChoice {
  const chosen = typed ?? (process.env.ORGREPO_JAIL || 'auto');
  const known = jailChoices.find((one) => one === chosen);
  if (known !== undefined) return known;
  const where = typed === undefined ? '$ORGREPO_JAIL' : '--jail';
  throw new Problem('usage/option', `${where} is ${JSON.stringify(chosen)}`, `It can be ${jailChoices.join(', ')}.`);
}

export const cultureOption: Readonly<Record<string, Option>> = {
  culture: textOption('preset', "this culture instead of ORG.md's, for one run"),
};

/** The culture that was asked for. */
export const readCultureOption = (call: VerbCall): CulturePreset | undefined =>
  readWordOption(
    call,
    'culture',
    culturePresets,
    nearChoice(call, 'culture', culturePresets) ?? 'What each of them means: docs/org.md',
  );

/** What was typed for an option, if anything; an unknown word is refused. */
export function readWordOption<Word extends string>(
  call: VerbCall,
  option: string,
  words: readonly Word[],
  hint: string,
  expected = words.join(', '),
): Word | undefined {
  const typed = call.value(option);
  const known = words.find((one) => one === typed);
  if (typed === undefined || known !== undefined) return known;
  throw wrongOption(option, typed, expected, hint);
}

/** What was typed for an option, without blanks around it; nothing but blanks is refused. */
export function readText(call: VerbCall, option: string, hint: string): string | undefined {
  const text = call.value(option)?.trim();
  if (text === '') throw new Problem('usage/option', `--${option} is empty`, hint);
  return text;
}

/** The known word that a person most likely meant, as a hint. */
export function nearChoice(call: VerbCall, option: string, words: readonly string[]): string | undefined {
  const near = nearestName(call.value(option) ?? '', words);
  return near && `Did you mean --${option} ${near}?`;
}

/** `--hours is "x", expected a number of hours above 0`. */
export const wrongOption = (option: string, typed: string, expected: string, hint: string): Problem =>
  new Problem('usage/option', `${dashed(option)} is ${JSON.stringify(typed)}, expected ${expected}`, hint);

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
  const count = Number(text);
  if (/^[0-9]{1,9}$/.test(text) && count > 0 && count <= most) return count;
  const expected = `a whole number from 1 to ${most.toLocaleString('en')}`;
  throw wrongOption(option, text, expected, `For example: ${dashed(option)} ${example}`);
}

function readHours(text: string): number {
  const hours = Number(text);
  if (/^[0-9]+(\.[0-9]+)?$/.test(text) && hours > 0 && hours <= 24 * 30) return hours;
  throw wrongOption('hours', text, 'a number of hours above 0', 'For example: --hours 8 or --hours 0.5');
}

/** The next time that the clock on the wall says this. */
function timeOfDay(text: string, now: number): number {
  const match = /^([01]?[0-9]|2[0-3]):([0-5][0-9])$/.exec(text);
  if (match === null) throw wrongOption('until', text, 'a time of day', 'For example: --until 07:00');
  const at = new Date(now);
  at.setHours(Number(match[1]), Number(match[2]), 0, 0);
  if (at.getTime() <= now) at.setDate(at.getDate() + 1);
  return at.getTime();
}

/** Asks a person once, unless `--yes` said so beforehand. Where nobody can be asked that is the only yes. A no is reported with `otherwise`. */
export async function agreesTo(call: VerbCall, what: string, question: string, otherwise: string): Promise<boolean> {
  const agrees = call.flag('yes') || (await askPerson(call, what, question));
  if (!agrees) call.say(`${otherwise}\n`);
  return agrees;
}

async function askPerson(call: VerbCall, what: string, question: string): Promise<boolean> {
  const { stdin } = call.streams;
  if (!call.mayAsk || call.json || stdin.isTTY !== true)
    throw new Problem('usage/option', `${what}, and nobody can be asked here`, 'Say that you agree: --yes');
  const lines = createInterface({ input: stdin, output: process.stderr });
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT')); // An interrupt of one question interrupts all of them.
  const left = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  try {
    const said = await Promise.race([lines.question(`${question} [y/N] `), left]);
    return /^y(es)?$/i.test(said.trim());
  } finally {
    lines.close();
  }
}
