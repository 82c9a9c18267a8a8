import type { Culture, CulturePreset, Setting, ValuesOf } from '../../domain/staff/charter.ts';
import { formatDuration } from '../../text/quantity.ts';
import { describing, noteUnknown } from '../read/org-limits.ts';
import {
  contextOf,
  fromPlace,
  type Known,
  mergeFacts,
  type OrgNotes,
  type PlacedText,
  paragraphs,
  takeFacts,
} from '../read/org-metadata.ts';
import { type Section, withChildren } from '../read/org-sections.ts';
import { choice, readLevels, readTime, yesNo } from '../read/org-values.ts';
import { formatLines, keysOf, type Lines, presetLine, readSettings, settingsFrom } from './org-settings.ts';

/**
 * `## Culture`: a preset, and what single lines say instead. `override` is what `--culture` says, for one run: its preset, and
 * nothing of what the file says beside its own. `preset` is what org.yaml or the front matter says.
 */
export function readCulture(
  section: Section | undefined,
  override: CulturePreset | undefined,
  preset: PlacedText | undefined,
  notes: OrgNotes,
): Culture {
  const parts = (section === undefined ? [] : withChildren(section)).map((one) => {
    const taken = takeFacts(one, known);
    noteUnknown(taken.unknown, 'culture', known, notes);
    return { section: one, ...taken };
  });
  const context = contextOf(parts);
  const facts = mergeFacts(parts);
  const file = readSettings(table, facts, preset, (usual) => ({
    ...usual,
    ackWithinMs: ackTime(facts.get('ack_required'), usual.ackWithinMs),
  }));
  if (override === undefined) return { ...file, context };
  const from = '--culture';
  const values = settingsFrom<CultureSettings>(cultureValues[override], from);
  return { preset: { value: override, from }, ...values, context };
}

/** The lines that readCulture would read this culture from again; nothing where nothing was said. */
export const formatCulture = (culture: Culture): string =>
  paragraphs(presetLine(culture.preset), culture.context, formatLines(cultureLines, culture).join('\n'));

/** `Ack required: yes, within 10 minutes`. */
function ackTime(ack: PlacedText | undefined, usual: Setting<number>): Setting<number> {
  const within = /\bwithin\s[^,;]{1,30}$/i.exec(ack?.text ?? '')?.[0];
  if (ack === undefined || within === undefined) return usual;
  return { value: readTime({ ...ack, text: within }, 'Ack required'), from: fromPlace(ack.place) };
}

/** What a culture decides beside its preset. */
type CultureSettings = Omit<Culture, 'preset' | 'context'>;
type CultureValues = ValuesOf<CultureSettings>;

export const cultureLines: Lines<CultureSettings> = {
  communication: { label: 'Communication', read: ({ text }) => text, write: String },
  escalation: {
    label: 'Escalation',
    also: ['escalations'],
    ...choice({
      immediate: /^(?:immediate|immediately|at once|instant)\b/,
      hourly: /^(?:hourly|batched|every hour)\b/,
      delayed: /^delayed\b/,
    }),
  },
  progress: {
    label: 'Progress updates',
    also: ['progress'],
    ...choice({
      'every-attempt': /^(?:(?:on |at )?every[ -](?:tick|attempt|cycle)|frequent)/,
      'phase-change': /^(?:on )?phase[ -]changes?\b/,
      'on-request': /^(?:on|by)?[ -]?request\b/,
    }),
    write: (value) =>
      ({ 'every-attempt': 'every attempt', 'phase-change': 'on phase change', 'on-request': 'on request' })[value],
    show: String,
  },
  ack: {
    label: 'Ack required',
    also: ['ack', 'acks', 'acknowledgement', 'acks_required'],
    ...yesNo('yes', 'no'),
  },
  ackWithinMs: { label: 'Ack within', read: readTime, write: formatDuration },
  hierarchy: {
    label: 'Hierarchy depth',
    also: ['hierarchy', 'max_depth', 'depth'],
    read: readLevels,
    write: ({ min, max }) => (min === 1 ? `${max} levels` : `${min}-${max} levels`),
    show: ({ min, max }) => (min === max ? `${max}` : `${min} to ${max}`),
  },
};

const known: Known = new Map([...describing, ['preset', 'preset'], ...keysOf(cultureLines)]);

const minute = 60_000;
const hour = 60 * minute;

/** Where a file names no preset: what orgrepo does without a file, so that ten lines of ORG.md change nothing else. */
const cultureDefaults: CultureValues = {
  communication: 'async-first',
  escalation: 'delayed',
  progress: 'phase-change',
  ack: false,
  ackWithinMs: hour,
  hierarchy: { min: 1, max: 10 },
};

/**
 * The presets' values. `ackWithinMs` counts where an ack is required, also by a line of the file. A strict chain may be as
 * long as there are levels; a flat org has agents and one above them.
 */
export const cultureValues: Readonly<Record<CulturePreset, CultureValues>> = {
  startup: {
    communication: 'open',
    escalation: 'immediate',
    progress: 'every-attempt',
    ack: true,
    ackWithinMs: 5 * minute,
    hierarchy: { min: 2, max: 3 },
  },
  enterprise: {
    ...cultureDefaults,
    communication: 'through the chart',
    escalation: 'hourly',
    ack: true,
    hierarchy: { min: 5, max: 8 },
  },
  agency: {
    communication: 'visible to clients',
    escalation: 'immediate',
    progress: 'every-attempt',
    ack: true,
    ackWithinMs: 10 * minute,
    hierarchy: { min: 3, max: 4 },
  },
  research: {
    ...cultureDefaults,
    progress: 'on-request',
    ackWithinMs: 4 * hour,
    hierarchy: { min: 2, max: 3 },
  },
  military: {
    communication: 'through the chain of command',
    escalation: 'immediate',
    progress: 'every-attempt',
    ack: true,
    ackWithinMs: minute,
    hierarchy: { min: 1, max: 10 },
  },
  'remote-async': { ...cultureDefaults, progress: 'on-request', ackWithinMs: 24 * hour, hierarchy: { min: 1, max: 2 } },
};

const table = {
  name: 'culture',
  lines: cultureLines,
  presets: cultureValues,
  defaults: cultureDefaults,
};
