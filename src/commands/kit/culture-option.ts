import { type CulturePreset, culturePresets } from '../../domain/staff/charter.ts';
import { nearestName } from '../../text/nearest.ts';
import { Problem } from '../../text/problem.ts';
import type { Option, VerbCall } from './command.ts';

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
