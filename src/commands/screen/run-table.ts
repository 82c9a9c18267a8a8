import type { Experiment } from '../../domain/words/experiment.ts';
import type { Fact } from '../../domain/words/fact.ts';
import { reservedInFull } from '../../report/pages/fact-lines.ts';
import { changeWord, costCell, countOf, gainWords, scoreWord } from '../../report/words/numbers.ts';
import { verdictWords } from '../../report/words/verdict-words.ts';
import { cut, fit, fitRight, type Look, type Paint, spell, widthOf } from '../../terminal/look.ts';
import { clockWord, visible } from '../../terminal/visible.ts';

interface Table {
  readonly metric: string;
  /** Whether money can be spent at all; without it there is no column for it. */
  readonly cost: boolean;
}

/** The first line of a run on a terminal: the agents, and what will stop it. */
export function formatRunHeading(fact: Extract<Fact, { kind: 'run-start' }>, look: Look): string {
  const who = fact.agent === 'search' ? 'search agents, no model' : visible(fact.agent);
  const lanes = `${countOf(fact.juniors, 'junior')}, ${countOf(fact.slots, 'slot')}`;
  const single = fact.stages === 1 ? ' · single-stage' : '';
  const words = `run ${visible(fact.run)} · ${who} · ${lanes}${single} · seed ${visible(fact.seed)}`;
  const stop = ' · stop: Ctrl-C'; // The footer says it too.
  return spell(cut(widthOf(words + stop) <= look.columns ? words + stop : words, look.columns), look);
}

export function formatTableHeader(table: Table, look: Look): string {
  const header = {
    n: '#',
    time: 'time',
    score: visible(table.metric),
    change: 'vs base',
    status: '  status',
    agent: 'agent',
    cost: '$',
    what: 'what was tried',
  };
  return spell(look.paint.dim(layOut(header, table, look)), look);
}

/** How a win came to best that was not taken as it was offered. */
function cameBy({ alone, replaces = [] }: Extract<Fact, { kind: 'best-moved' }>): string {
  if (!alone) return 'merged and measured';
  return replaces.length === 0 ? 'alone' : `in place of ${replaces.map((n) => `#${n}`).join(', ')}`;
}

/** The row of a fact that belongs in the table, or undefined for a fact that does not. */
export function formatFactRow(fact: Fact, table: Table, look: Look): string | undefined {
  switch (fact.kind) {
    case 'experiment':
      return formatExperimentRow(fact.experiment, table, look);
    case 'baseline':
      return spell(layOut(baselineRow(fact), table, look), look);
    case 'best-moved':
      return fact.merged
        ? note(fact.at, 'best', `#${fact.n}, ${cameBy(fact)}: ${scoreWord(fact.score)}`, 'green', look)
        : undefined;
    case 'calibrating':
      return note(fact.at, 'calibrating', noisyWords(fact), 'dim', look);
    case 'calibrated':
      return note(fact.at, 'calibrated', calibratedWords(fact), 'dim', look);
    case 'gain':
      return note(fact.at, 'this night', gainWords(fact), 'bold', look);
    case 'brief':
      return note(fact.at, `brief ${fact.change}`, fact.message, fact.change === 'broken' ? 'yellow' : 'dim', look);
    case 'recovered':
      return note(fact.at, 'recovered', fact.message, 'dim', look);
    case 'reserved':
      return note(fact.at, 'reserved', reservedInFull(fact), 'yellow', look);
    case 'warning':
      return note(fact.at, 'warning', fact.message, 'yellow', look);
    default:
      return undefined;
  }
}

export function formatExperimentRow(experiment: Experiment, table: Table, look: Look): string {
  const { n, at, event, score, best, agent } = experiment;
  const words = verdictWords[event];
  const row = {
    n: String(n),
    time: clockWord(at),
    score: scoreWord(score),
    change: changeWord(best, score),
    status: `${words.sign} ${words.word}`,
    agent: visible(agent),
    cost: costCell(experiment.spent),
    what: whatWords(experiment),
  };
  const line = layOut(row, table, look);
  return spell(words.paint === undefined ? line : look.paint[words.paint](line), look);
}

function baselineRow({ at, score, samples, again }: Extract<Fact, { kind: 'baseline' }>): Row {
  const equal = samples.every((sample) => sample === samples[0]);
  const spread = Math.max(...samples) - Math.min(...samples);
  const runs = countOf(samples.length, 'run');
  return {
    n: '0',
    time: clockWord(at),
    score: scoreWord(score),
    change: '–',
    status: '  baseline',
    agent: '',
    cost: '–',
    what: [
      again ? 'measured again, the rules changed' : 'as it stands',
      ...(samples.length < 2 ? [] : [equal ? `${runs}, all equal` : `${runs}, ${scoreWord(spread)} apart`]),
    ].join(', '),
  };
}

/** A verdict that is not a comparison needs its reason first; the others have their numbers. */
function whatWords({ event, score, title, reason }: Experiment): string {
  const words = visible(title);
  const compared = score !== undefined && (event === 'keep' || event === 'discard');
  if (compared || reason === '') return words;
  return words === '' ? visible(reason) : `${visible(reason)} (${words})`;
}

type Row = Readonly<Record<'n' | 'time' | 'score' | 'change' | 'status' | 'agent' | 'cost' | 'what', string>>;

/** A narrow terminal loses the columns that a reader misses least: the footer names the agents, and what was tried needs room. */
function layOut(row: Row, table: Table, look: Look): string {
  const cells = [
    fitRight(row.n, 5),
    ...(hasTimes(look) ? [fit(row.time, 5)] : []),
    fitRight(row.score, Math.min(14, Math.max(9, visible(table.metric).length))),
    fitRight(row.change, 9),
    fit(row.status, 12),
    ...(look.columns < 90 ? [] : [fit(row.agent, 9)]),
    ...(table.cost ? [fitRight(row.cost, 6)] : []),
    row.what,
  ];
  return cut(cells.join('  '), look.columns).trimEnd();
}

const hasTimes = ({ columns }: Look): boolean => columns >= 96;

const noisyWords = ({ metric, measurements }: Extract<Fact, { kind: 'calibrating' }>): string =>
  `${metric} is not the same twice; ${countOf(measurements, 'more measurement')} to learn how noisy it is`;

const calibratedWords = ({ metric, measurements, spread }: Extract<Fact, { kind: 'calibrated' }>): string =>
  spread === 0
    ? `${metric} was the same ${measurements} times: compared exactly`
    : `${metric} differs by about ${scoreWord(spread)} from one time to the next: compared in pairs`;

function note(at: number, word: string, message: string, colour: keyof Paint, look: Look): string {
  const start = hasTimes(look) ? `       ${clockWord(at)}  ` : '       ';
  return spell(look.paint[colour](cut(`${start}${word}: ${visible(message)}`, look.columns)), look);
}
