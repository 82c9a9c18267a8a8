import { type Culture, type CulturePreset, culturePresets, type Setting } from '../../domain/staff/charter.ts';
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
} from '../read/org-values.ts';
import { type CultureValues, cultureDefaults, cultureValues } from './culture.ts';

export interface CultureOptions {
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
  return { preset: { value: options.override, from }, ...every(values, from), context };
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

/** What an org without a word about it has. */
export const defaultCulture: Culture = {
  preset: { value: undefined, from: 'default' },
  ...every(cultureDefaults, 'default'),
  context: '',
};

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
  const usual = every(
    preset.value === undefined ? cultureDefaults : cultureValues[preset.value],
    preset.value === undefined ? 'default' : `preset ${preset.value}`,
  );
  const read: ReadFact = (key, reader, otherwise) => settingOf(facts.get(key), reader, otherwise);
  const ack = facts.get('ack_required');
  return {
    preset,
    communication: read('communication', (fact) => fact.text, usual.communication),
    escalation: read(
      'escalation',
      (fact) => readChoice('Escalation', fact, escalations, ['immediate', 'hourly', 'delayed']),
      usual.escalation,
    ),
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
  readChoice(
    'Progress updates',
    fact,
    {
      'every-attempt': /^(?:(?:on |at )?every[ -](?:tick|attempt|cycle)|frequent)/,
      'phase-change': /^(?:on )?phase[ -]changes?\b/,
      'on-request': /^(?:on|by)?[ -]?request\b/,
    },
    ['every-attempt', 'phase-change', 'on-request'],
  );

function every(values: CultureValues, from: string): Omit<Culture, 'preset' | 'context'> {
  return {
    communication: { value: values.communication, from },
    escalation: { value: values.escalation, from },
    progress: { value: values.progress, from },
    ack: { value: values.ack, from },
    ackWithinMs: { value: values.ackWithinMs, from },
    hierarchy: { value: values.hierarchy, from },
  };
}
