import type { Experiment, SpentOnTry } from '../../domain/words/experiment.ts';
import type { Fact } from '../../domain/words/fact.ts';
import { sumOf } from '../../domain/words/spending.ts';
import { type Spent, spentOf } from '../../domain/words/spent.ts';
import { cut } from '../../terminal/look.ts';
import { isoTime, visible } from '../../terminal/visible.ts';
import {
  changeWord,
  costCell,
  isBySubscription,
  plainNumber,
  reservedWords,
  shortCommit,
  spentJson,
  usdWord,
} from '../words/numbers.ts';
import { verdictWords } from '../words/verdict-words.ts';

/** One line per fact for logs, pipes and screen readers, or undefined for what is of no interest afterwards. */
export function formatFactLine(fact: Fact): string | undefined {
  const words = wordsOf(fact);
  return words === undefined ? undefined : [isoTime(Math.floor(fact.at)), ...words].join(' ');
}

/** The same fact for a program: one line of NDJSON. */
export function factJson(fact: Fact): Record<string, unknown> {
  const { kind, at, ...rest } = fact;
  return { schema: 'orgrepo/fact@1', fact: kind, at: isoTime(at), ...jsonFields(rest) };
}

/** `orgrepo/experiment@1`: what is not known is left out. */
export function experimentJson(experiment: Experiment): Record<string, unknown> {
  const { n, commit, spec, agent, event, metric, score, samples, against, best, spent } = experiment;
  return {
    schema: 'orgrepo/experiment@1',
    n,
    commit,
    spec,
    agent,
    model: spent?.model,
    event,
    metric,
    score,
    samples,
    against: against.length === 0 ? undefined : against,
    best,
    guards: experiment.numbers,
    tests: experiment.tests,
    seconds: experiment.seconds,
    stages: experiment.stages,
    usd: spent?.usd,
    tokens_in: spent?.tokensIn,
    tokens_out: spent?.tokensOut,
    subscription: spent?.subscription,
    waits: experiment.waits ? true : undefined,
    at: isoTime(experiment.at),
    title: experiment.title,
    reason: experiment.reason,
  };
}

function wordsOf(fact: Fact): readonly string[] | undefined {
  switch (fact.kind) {
    case 'run-start':
      return [
        'run start',
        ...pairsOf(fact, ['run', 'pid', 'juniors', 'slots', 'agent', 'metric', 'stages']),
        ...(fact.until === undefined ? [] : [pair('until', isoTime(Math.floor(fact.until)))]),
        ...pairsOf(fact, ['max', 'seed']),
        ...(fact.usd === undefined ? [] : [pair('usd', usdWord(fact.usd))]),
      ];
    case 'baseline':
      return [
        fact.again ? 'baseline again' : 'baseline',
        pair('score', plainNumber(fact.score)),
        pair('runs', fact.samples.length),
        pair('sha', shortCommit(fact.commit)),
      ];
    case 'calibrating':
      return ['calibrating', ...pairsOf(fact, ['metric', 'measurements'])];
    case 'calibrated':
      return ['calibrated', ...pairsOf(fact, ['metric', 'measurements']), pair('noise', plainNumber(fact.spread))];
    case 'gain':
      return [
        'gain',
        pair('metric', fact.metric),
        pair('mean', plainNumber(fact.mean)),
        pair('from', plainNumber(fact.low)),
        pair('to', plainNumber(fact.high)),
        pair('pairs', fact.pairs),
      ];
    case 'experiment':
      return experimentWords(fact);
    case 'best-moved':
      return [
        `best #${fact.n}`,
        pair('score', plainNumber(fact.score)),
        pair('sha', shortCommit(fact.commit)),
        pair('by', fact.alone ? 'alone' : fact.merged ? 'merge' : 'take'),
        ...(fact.replaces?.length ? [pair('replaces', fact.replaces.join(','))] : []),
      ];
    case 'spec':
      return [`spec ${visible(fact.id)}`, pair('by', fact.by), quote(fact.title)];
    case 'claim':
      return [`claim ${visible(fact.spec)}`, pair('agent', fact.agent)];
    case 'doing':
    case 'spent':
      return undefined;
    case 'reserved':
      return ['reserved', pair('agent', fact.agent), quote(reservedInFull(fact))];
    case 'brief':
      return [fact.change === 'broken' ? 'BRIEF BROKEN' : 'brief changed', quote(fact.message)];
    case 'said':
      return [
        `${fact.event} ${visible(fact.spec)}`,
        ...(fact.n === undefined ? [] : [`#${fact.n}`]),
        ...(fact.approves === undefined ? [] : [fact.approves ? 'APPROVED' : 'REJECTED']),
        pair('agent', fact.agent),
        quote(fact.text),
      ];
    case 'recovered':
      return ['recovered', quote(fact.message)];
    case 'warning':
      return ['WARNING', quote(fact.message)];
    case 'tool':
      return [
        `tool ${visible(fact.tool)}${fact.failed ? ' failed' : ''}`,
        ...pairsOf(fact, ['agent', 'spec', 'ms', 'bytes']),
      ];
    case 'heartbeat':
      return ['heartbeat', ...countPairs(fact), pair('open', fact.open), ...spentPairs(fact)];
    case 'run-stop':
      return [
        'run stop',
        pair('reason', fact.reason),
        ...countPairs(fact),
        ...spentPairs(fact),
        ...pairsOf(fact, ['report', 'exit']),
      ];
  }
}

function experimentWords(fact: Extract<Fact, { kind: 'experiment' }>): readonly string[] {
  const { experiment, best } = fact;
  // Of one exact number each, the two numbers are the reason; where there is noise they are not.
  const plain = experiment.event === 'discard' && experiment.score !== undefined && experiment.samples.length < 2;
  return [
    `exp #${experiment.n} ${verdictWords[experiment.event].word}`,
    pair(experiment.metric, plainNumber(experiment.score)),
    pair('best', plainNumber(best)),
    ...(experiment.score === undefined || experiment.best === undefined
      ? []
      : [pair('delta', changeWord(experiment.best, experiment.score).replaceAll(' ', ''))]),
    pair('agent', experiment.agent),
    ...(experiment.spent === undefined ? [] : [costPair(experiment.spent)]),
    pair('spec', experiment.spec),
    pair('sha', shortCommit(experiment.commit)),
    quote(experiment.title),
    ...(plain || experiment.event === 'keep' ? [] : [`reason=${quote(experiment.reason)}`]),
  ];
}

const countPairs = (fact: Extract<Fact, { kind: 'heartbeat' | 'run-stop' }>): readonly string[] => [
  pair('tried', fact.tried),
  pair('won', fact.kept),
  ...pairsOf(fact, ['taken']),
  pair('best', plainNumber(fact.best)),
];

/** `usd=0.61`, with a question mark where nobody knows the price; `subscription=12300` in the place of dollars. */
const costPair = (spent: SpentOnTry): string =>
  isBySubscription(spent) ? pair('subscription', spent.tokensIn + spent.tokensOut) : pair('usd', costCell(spent));

const spentPairs = ({ spent, reserved }: Extract<Fact, { kind: 'heartbeat' | 'run-stop' }>): readonly string[] =>
  [['', spent] as const, ['reserved_', reserved] as const].flatMap(([of, sum]) =>
    sum === undefined
      ? []
      : [
          ...(isBySubscription(sum) ? [] : [pair(`${of}usd`, costCell(sum))]),
          pair(`${of}tokens`, sum.tokensIn + sum.tokensOut),
          ...(sum.subscription === 0 ? [] : [pair(`${of}subscription`, sum.subscription)]),
        ],
  );

/** What is said of a program that was ended before it told what it used. */
export function reservedInFull({ model, ...most }: Extract<Fact, { kind: 'reserved' }>): string {
  const words = reservedWords(spentOf(sumOf(most)));
  return `${words}: ${visible(model)} was ended before it said what it used`;
}

/** Fields by their own names; what is not known is left out. */
const pairsOf = <F extends Fact>(fact: F, names: readonly (keyof F & string)[]): readonly string[] =>
  names.flatMap((name) => (fact[name] === undefined ? [] : [pair(name, String(fact[name]))]));

const pair = (name: string, value: string | number): string => {
  const text = cut(visible(String(value)), 200);
  return `${visible(name)}=${/^[^\s"=]+$/.test(text) ? text : quote(text)}`;
};

const quote = (text: string): string => `"${cut(visible(text), 200).replaceAll('"', "'")}"`;

function jsonFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known.map(([name, value]) => [snakeCase(name), jsonValue(name, value)]));
}

function jsonValue(name: string, value: unknown): unknown {
  if (name === 'experiment') return experimentJson(value as Experiment);
  if (['spent', 'reserved', 'night'].includes(name) && typeof value === 'object') return spentJson(value as Spent);
  return name === 'until' ? isoTime(value as number) : value;
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
