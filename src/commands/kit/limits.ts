import type { RunLimits } from '../../domain/rules/ending.ts';
import { Problem } from '../../text/problem.ts';
import type { VerbCall } from './command.ts';

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
