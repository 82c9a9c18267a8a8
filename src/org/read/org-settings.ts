import type { Setting } from '../../domain/staff/charter.ts';
import { shown } from '../../text/clean.ts';
import { nearestName } from '../../text/nearest.ts';
import { problemAt } from '../../text/problem-at.ts';
import type { OrgFact } from './org-metadata.ts';
import { fromPlace, type PlacedText } from './org-notes.ts';
import { plainWords } from './org-sections.ts';

/** Reads one fact by its key, or keeps what preset and default say. */
export type ReadFact = <T>(key: string, reader: (fact: OrgFact) => T, otherwise: Setting<T>) => Setting<T>;

export function settingOf<T>(
  fact: OrgFact | undefined,
  reader: (fact: OrgFact) => T,
  otherwise: Setting<T>,
): Setting<T> {
  return fact === undefined ? otherwise : saidSetting(reader(fact), fact);
}

/** A value that the file itself says. */
export const saidSetting = <T>(value: T, said: PlacedText): Setting<T> => ({
  value,
  ...(said.why === undefined ? {} : { why: said.why }),
  from: fromPlace(said.place),
});

/** Whether the file itself says it: neither a preset, nor a default, nor an option of one run. */
export const isSaid = ({ from }: Setting<unknown>): boolean => from !== 'default' && !/^(?:preset |--)/.test(from);

/** `- **Key:** value — why` for what the file itself said. */
export function factLine<T>(
  label: string,
  setting: Setting<T> | undefined,
  words: (value: T) => string,
): string | undefined {
  if (setting === undefined || !isSaid(setting)) return undefined;
  return `- **${label}:** ${words(setting.value)}${setting.why === undefined ? '' : ` — ${setting.why}`}`;
}

/** `preset: startup`, where one was named. */
export const presetLine = ({ value, why }: Setting<string | undefined>): readonly string[] =>
  value === undefined ? [] : [`preset: ${value}${why === undefined ? '' : ` — ${why}`}`];

/** The preset of a section, by its own line or by org.yaml's key; both must say the same. */
export function presetOf<Preset extends string>(
  what: string,
  fact: OrgFact | undefined,
  yaml: PlacedText | undefined,
  presets: readonly Preset[],
): Setting<Preset | undefined> {
  const read = (said: PlacedText): Preset => {
    const text = plainWords(said.text).toLowerCase();
    const preset = presets.find((one) => one === text);
    if (preset !== undefined) return preset;
    const near = nearestName(text, presets);
    const hint = near === undefined ? `The presets are ${presets.join(', ')}.` : `Did you mean ${near}?`;
    throw problemAt('org/value', said.place, `${shown(said.text)} is no ${what} preset`, hint);
  };
  const said = fact ?? yaml;
  if (said === undefined) return { value: undefined, from: 'default' };
  const value = read(said);
  if (fact !== undefined && yaml !== undefined && read(yaml) !== value) {
    const words = `the ${what} is ${shown(yaml.text)} here and ${value} at ${fromPlace(fact.place)}`;
    throw problemAt('org/value', yaml.place, words, 'Take one of the two out.');
  }
  return saidSetting(value, said);
}
