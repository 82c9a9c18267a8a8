import type { Setting, ValuesOf } from '../../domain/staff/charter.ts';
import { didYouMean, problemAt, shown } from '../../text/problem.ts';
import { type Facts, fromPlace, type Known, keyOf, type PlacedText } from '../read/org-metadata.ts';
import { plainWords } from '../read/org-sections.ts';

/** One value of a section: the line that says it, and how that line is read, written again and shown. */
interface Line<T> {
  /** As people know it: `Ack required`. */
  readonly label: string;
  /** Other keys that mean the same. */
  readonly also?: readonly string[];
  readonly read: (said: PlacedText, label: string) => T;
  readonly write: (value: T) => string;
  /** What `plan --settings` says, where that is not what the file says. */
  readonly show?: (value: T) => string;
}

/** A section as one table: reading, writing and showing follow its order. */
export type Lines<Settings> = { readonly [Key in keyof Settings]: Line<ValuesOf<Settings>[Key]> };

/** A section that begins with a preset. */
interface SettingsTable<Settings, Preset extends string> {
  /** `culture`, `SDLC`. */
  readonly name: string;
  readonly lines: Lines<Settings>;
  readonly presets: Readonly<Record<Preset, ValuesOf<Settings>>>;
  /** Where a file names no preset. */
  readonly defaults: ValuesOf<Settings>;
}

type Presettled<Settings, Preset> = Settings & { readonly preset: Setting<Preset | undefined> };

/** The keys of a section, each with the one that it stands for. */
export const keysOf = <Settings>(lines: Lines<Settings>): Known =>
  new Map(
    entriesOf(lines).flatMap(([, { label, also = [] }]) => [keyOf(label), ...also].map((key) => [key, keyOf(label)])),
  );

/** What the lines say, and else what holds anyway. */
export const readLines = <Settings>(lines: Lines<Settings>, facts: Facts, usual: Settings): Settings =>
  Object.fromEntries(
    entriesOf(lines).map(([key, { label, read }]) => {
      const said = facts.get(keyOf(label));
      return [key, said === undefined ? usual[key] : saidSetting(read(said, label), said)];
    }),
  ) as Settings;

/** A section with its preset, which its own line or org.yaml's key names. `adjust` changes what holds where no line says it. */
export function readSettings<Settings, Preset extends string>(
  table: SettingsTable<Settings, Preset>,
  facts: Facts,
  yaml: PlacedText | undefined,
  adjust: (usual: Settings) => Settings = (usual) => usual,
): Presettled<Settings, Preset> {
  const preset = presetOf(table.name, Object.keys(table.presets) as Preset[], facts.get('preset'), yaml);
  const usual =
    preset.value === undefined
      ? settingsFrom<Settings>(table.defaults, 'default')
      : settingsFrom<Settings>(table.presets[preset.value], `preset ${preset.value}`);
  return { preset, ...readLines(table.lines, facts, adjust(usual)) };
}

/** Values of a preset or a default as settings. */
export const settingsFrom = <Settings>(values: ValuesOf<Settings>, from: string): Settings =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { value, from }])) as Settings;

/** A value that the file itself says. */
export const saidSetting = <T>(value: T, said: PlacedText): Setting<T> => ({
  value,
  ...(said.why === undefined ? {} : { why: said.why }),
  from: fromPlace(said.place),
});

/** Whether the file itself says it: neither a preset, nor a default, nor an option of one run. */
export const isSaid = ({ from }: Setting<unknown>): boolean => from !== 'default' && !/^(?:preset |--)/.test(from);

/** The lines of a section that the file itself said; those said `elsewhere` are written there. */
export const formatLines = <Settings>(
  lines: Lines<Settings>,
  settings: Settings,
  elsewhere: ReadonlySet<string> = new Set(),
): readonly string[] =>
  entriesOf(lines).flatMap(([key, { label, write }]) => {
    const setting = settings[key] as Setting<unknown> | undefined;
    if (setting === undefined || !isSaid(setting) || elsewhere.has(setting.from)) return [];
    return [factLine(label, write(setting.value), setting.why)];
  });

/** `- **Key:** value — why`. */
export const factLine = (label: string, value: string, why: string | undefined): string =>
  `- **${label}:** ${value}${why === undefined ? '' : ` — ${why}`}`;

/** `preset: startup`, or nothing where none was named. */
export const presetLine = ({ value, why }: Setting<string | undefined>): string =>
  value === undefined ? '' : `preset: ${value}${why === undefined ? '' : ` — ${why}`}`;

/** One value of the org, for people: `culture.escalation` is `immediate`, said in `ORG.md:12`. */
export interface ShownSetting {
  readonly what: string;
  readonly value: string;
  /** `ORG.md:12`, `preset startup`, `default`, `--culture`. */
  readonly from: string;
  readonly why?: string | undefined;
}

export const showLines = <Settings>(
  section: string,
  lines: Lines<Settings>,
  settings: Settings,
): readonly ShownSetting[] =>
  entriesOf(lines).flatMap(([key, { write, show = write }]) => {
    const name = key.replace(/Ms$/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return showSetting(`${section}.${name}`, settings[key] as Setting<unknown> | undefined, show);
  });

export function showSetting<T>(
  what: string,
  setting: Setting<T> | undefined,
  words: (value: T) => string,
): readonly ShownSetting[] {
  if (setting === undefined) return [];
  const { value, from, why } = setting;
  return [{ what, value: words(value), from, ...(why === undefined ? {} : { why }) }];
}

const entriesOf = <Settings>(lines: Lines<Settings>) =>
  Object.entries(lines) as unknown as readonly (readonly [keyof Settings & string, Line<unknown>])[];

/** The preset of a section, by its own line or by org.yaml's key; both must say the same. */
function presetOf<Preset extends string>(
  name: string,
  known: readonly Preset[],
  fact: PlacedText | undefined,
  yaml: PlacedText | undefined,
): Setting<Preset | undefined> {
  const read = (said: PlacedText): Preset => {
    const text = plainWords(said.text).toLowerCase();
    const preset = known.find((one) => one === text);
    if (preset !== undefined) return preset;
    const hint = didYouMean(text, known, `The presets are ${known.join(', ')}.`);
    throw problemAt('org/value', said.place, `${shown(said.text)} is not a preset of ${name}`, hint);
  };
  const said = fact ?? yaml;
  if (said === undefined) return { value: undefined, from: 'default' };
  const value = read(said);
  if (fact !== undefined && yaml !== undefined && read(yaml) !== value) {
    const words = `the ${name} is ${shown(yaml.text)} here and ${value} at ${fromPlace(fact.place)}`;
    throw problemAt('org/value', yaml.place, words, 'Take one of the two out.');
  }
  return saidSetting(value, said);
}
