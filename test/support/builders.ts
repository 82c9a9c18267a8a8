import { after } from 'node:test';
import type { Charter } from '../../src/domain/staff/charter.ts';
import type { Brief } from '../../src/domain/words/brief.ts';
import type { Experiment } from '../../src/domain/words/experiment.ts';
import type { JailChoice } from '../../src/jail/jail.ts';
import { readCharter } from '../../src/org/read/org-file.ts';
import { briefText, makeOrg, quadratic, type TestOrg } from './org.ts';

/** What tests begin with: each value is whole and plain, and a test names only what it is about. */

export const aBrief = (given: Partial<Brief> = {}): Brief => ({
  metric: 'loss',
  pattern: undefined,
  direction: 'minimize',
  target: undefined,
  sandbox: ['sandbox/**'],
  allow: [],
  harness: 'harness',
  run: undefined,
  score: 'sh harness/score.sh',
  tests: undefined,
  include: [],
  holdout: [],
  show: [],
  rehearsal: 'output',
  risk: 'low',
  budget: {
    experimentMs: 300_000,
    agentMs: 600_000,
    nightMs: 28_800_000,
    testsMs: 600_000,
    attempts: 5,
    patience: 25,
    usd: undefined,
    tokensIn: undefined,
    tokensOut: undefined,
  },
  caps: {},
  prices: new Map(),
  samples: { min: 1, max: 8 },
  minEffect: 0,
  guards: [],
  slots: 1,
  juniors: 3,
  staff: { chief: { kind: 'search' }, juniors: [{ kind: 'search' }], checkers: [], critics: [] },
  prose: '',
  ...given,
});

/** Its ids and its time follow from its number, its samples from its score. */
export function anExperiment(given: Partial<Experiment> = {}): Experiment {
  const { n = 1, score } = given;
  const digits = n.toString(16).padStart(4, '0');
  return {
    n,
    commit: `c0${digits}e`.padEnd(40, '0'),
    tried: `7a${digits}d`.padEnd(40, '0'),
    tree: `72ee${digits}`.padEnd(40, '0'),
    spec: '0001',
    agent: 'junior-1',
    event: 'discard',
    metric: 'waste_pct',
    score: undefined,
    samples: score === undefined ? [] : [score],
    seeds: score === undefined ? [] : [n],
    against: [],
    noise: undefined,
    carried: 0,
    best: undefined,
    numbers: {},
    seconds: 0.25,
    at: Date.UTC(2026, 10, 15, 22, 41, 0) / 1000 + n * 20,
    title: `try ${n}`,
    notes: '',
    reason: 'not better',
    harness: '9c1f4e2'.padEnd(40, '0'),
    brief: 'b1e1f'.padEnd(40, '0'),
    jail: 'bubblewrap',
    part: undefined,
    merged: false,
    lineTree: '11fe'.padEnd(40, '0'),
    continues: undefined,
    ...given,
  };
}

/** An ORG.md as it is read, with its models as they are written. */
export const aCharter = (orgMd: string): Charter => readCharter({ orgMd }, { resolve: false }).charter;

export interface OrgWanted {
  /** What the brief says besides the usual; an empty text leaves a key out. */
  readonly brief?: Readonly<Record<string, string>>;
  /** What there is besides the ground, or in place of a file of it. */
  readonly files?: Readonly<Record<string, string>>;
  /** What it stands on: four numbers and a harness that wants them to be 3, unless another is given. */
  readonly ground?: Readonly<Record<string, string>>;
  readonly jail?: JailChoice;
  /** The directory in which it is made. */
  readonly place?: string;
  /** A program that starts orgrepo, for who must be somebody else. */
  readonly starter?: readonly string[];
}

/** A real org in a directory of its own, which is gone when the tests of this file have ended, with what still runs in it. */
export function anOrg({ brief, files, ground = quadratic, jail, place, starter }: OrgWanted = {}): TestOrg {
  const written = brief === undefined ? {} : { 'program.md': briefText(brief) };
  const org = makeOrg({ ...ground, ...written, ...files }, jail, place, starter);
  after(() => org.remove());
  return org;
}
