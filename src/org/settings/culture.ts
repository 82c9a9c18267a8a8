import type { Culture, CulturePreset } from '../../domain/staff/charter.ts';

/** What a culture decides, without where it was said. */
export interface CultureValues {
  readonly communication: Culture['communication']['value'];
  readonly escalation: Culture['escalation']['value'];
  readonly progress: Culture['progress']['value'];
  readonly ack: boolean;
  readonly ackWithinMs: number;
  readonly hierarchy: Culture['hierarchy']['value'];
}

const minute = 60_000;
const hour = 60 * minute;

/** Where a file names no preset: what orgrepo does without a file, so that ten lines of ORG.md change nothing else. */
export const cultureDefaults: CultureValues = {
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
    communication: 'async-first',
    escalation: 'delayed',
    progress: 'on-request',
    ack: false,
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
    communication: 'async-first',
    escalation: 'delayed',
    progress: 'on-request',
    ack: false,
    ackWithinMs: 24 * hour,
    hierarchy: { min: 1, max: 2 },
  },
};
