import {
  type Culture,
  type CulturePreset,
  culturePresets,
  type Setting,
  type ValuesOf,
} from '../../domain/staff/charter.ts';
import { formatDuration } from '../../text/duration.ts';
import {
  contextOf,
  type Facts,
  fromPlace,
  knownKeys,
  mergeFacts,
  type OrgFact,
  type OrgNotes,
  type PlacedText,
  takeFacts,
} from '../read/org-metadata.ts';
import { type Section, withChildren } from '../read/org-sections.ts';
import {
  factLine,
  presetLine,
  presetOf,
  type ReadFact,
  readChoice,
  readLevels,
  readTime,
  readYesNo,
  settingOf,
  settingsFrom,
  usualSettings,
} from '../read/org-values.ts';

interface CultureOptions {
  /** What `--culture` says, for one run: its preset, and nothing of what the file says beside its own. */
  readonly override?: CulturePreset | undefined;
  /** What org.yaml or the front matter says. */
  readonly preset?: PlacedText | undefined;
}

/** `## Culture`: a preset, and what single lines say instead. */
export function readCulture(section: Section | undefined, options: CultureOptions, notes: OrgNotes): Culture {
  const parts = (section === undefined ? [] : withChildren(section)).map((one) => ({
    section: one,
    ...takeFacts(one, known, notes),
  }));
  const context = contextOf(parts);
  const facts = mergeFacts(parts);
  const file = cultureOf(facts, options.preset, context);
  if (options.override === undefined) return file;
  const from = '--culture';
  const values = cultureValues[options.override];
  return { preset: { value: options.override, from }, ...settingsFrom<CultureSettings>(values, from), context };
}

/** The lines that readCulture would read this culture from again; nothing where nothing was said. */
export function formatCulture(culture: Culture): string {
  const lines = [
    factLine('Communication', culture.communication, (value) => value),
    factLine('Escalation', culture.escalation, (value) => value),
    factLine('Progress updates', culture.progress, (value) => progressWords[value]),
    factLine('Ack required', culture.ack, (value) => (value ? 'yes' : 'no')),
    factLine('Ack within', culture.ackWithinMs, formatDuration),
    factLine('Hierarchy depth', culture.hierarchy, ({ min, max }) =>
      min === 1 ? `${max} levels` : `${min}-${max} levels`,
    ),
  ].filter((line) => line !== undefined);
  const preset = presetLine(culture.preset);
  return [
    ...preset,
    ...(culture.context === '' ? [] : [culture.context]),
    ...(lines.length === 0 ? [] : [lines.join('\n')]),
  ].join('\n\n');
}

const known = knownKeys({
  preset: [],
  communication: [],
  escalation: ['escalations'],
  progress_updates: ['progress'],
  ack_required: ['ack', 'acks', 'acknowledgement', 'acks_required'],
  ack_within: [],
  hierarchy_depth: ['hierarchy', 'max_depth', 'depth'],
});

function cultureOf(facts: Facts, yaml: PlacedText | undefined, context: string): Culture {
  const preset = presetOf('culture', facts.get('preset'), yaml, culturePresets);
  const usual = usualSettings<CultureSettings, CulturePreset>(preset.value, cultureValues, cultureDefaults);
  const read: ReadFact = (key, reader, otherwise) => settingOf(facts.get(key), reader, otherwise);
  const ack = facts.get('ack_required');
  return {
    preset,
    communication: read('communication', (fact) => fact.text, usual.communication),
    escalation: read('escalation', (fact) => readChoice('Escalation', fact, escalations), usual.escalation),
    progress: read('progress_updates', readProgress, usual.progress),
    ack: read('ack_required', (fact) => readYesNo('Ack required', fact), usual.ack),
    ackWithinMs: read('ack_within', (fact) => readTime('Ack within', fact), ackTime(ack, usual.ackWithinMs)),
    hierarchy: read('hierarchy_depth', readLevels, usual.hierarchy),
    context,
  };
}

/** `Ack required: yes, within 10 minutes`. */
function ackTime(ack: OrgFact | undefined, usual: Setting<number>): Setting<number> {
  const within = /\bwithin\s[^,;]{1,30}$/i.exec(ack?.text ?? '')?.[0];
  if (ack === undefined || within === undefined) return usual;
  return { value: readTime('Ack required', { ...ack, text: within }), from: fromPlace(ack.place) };
}

const escalations = {
  immediate: /^(?:immediate|immediately|at once|instant)\b/,
  hourly: /^(?:hourly|batched|every hour)\b/,
  delayed: /^delayed\b/,
};

const progressWords = {
  'every-attempt': 'every attempt',
  'phase-change': 'on phase change',
  'on-request': 'on request',
};

const readProgress = (fact: OrgFact): Culture['progress']['value'] =>
  readChoice('Progress updates', fact, {
    'every-attempt': /^(?:(?:on |at )?every[ -](?:tick|attempt|cycle)|frequent)/,
    'phase-change': /^(?:on )?phase[ -]changes?\b/,
    'on-request': /^(?:on|by)?[ -]?request\b/,
  });

/** What a culture decides beside its preset. */
type CultureSettings = Omit<Culture, 'preset' | 'context'>;
type CultureValues = ValuesOf<CultureSettings>;

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
    communication: 'through the chart',
    escalation: 'hourly',
    progress: 'phase-change',
    ack: true,
    ackWithinMs: hour,
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
  'remote-async': {
    ...cultureDefaults,
    progress: 'on-request',
    ack: false,
    ackWithinMs: 24 * hour,
    hierarchy: { min: 1, max: 2 },
  },
};

/** What an org without a word about it has. */
export const defaultCulture: Culture = {
  preset: { value: undefined, from: 'default' },
  ...settingsFrom<CultureSettings>(cultureDefaults, 'default'),
  context: '',
};
