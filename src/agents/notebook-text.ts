import { predictionIn } from '../domain/rules/spec-words.ts';
import type { Brief } from '../domain/words/brief.ts';
import { type Experiment, isKept, isWin, tallyOf, verdictEvents } from '../domain/words/experiment.ts';
import { gainOver } from '../domain/words/score.ts';
import type { Spec } from '../domain/words/spec.ts';
import type { AgentTask } from './agent-contract.ts';

/** What was tried before, as agents read it. */

/** For an agent that works on a spec: all tries of the spec, and what others have done lately. */
export function notebookOfSpec({ notebook, spec }: AgentTask): readonly string[] {
  const own = notebook.filter((one) => one.spec === spec?.id);
  const lately = notebook.filter((one) => one.spec !== spec?.id).slice(-20);
  return orNothing([
    ...inFull(own.slice(-mostInFull)),
    ...(lately.length === 0 ? [] : ['Elsewhere, lately:', ...inFull(lately)]),
  ]);
}

/** For a chief: the latest tries in full, all earlier ones in short, and every win. */
export function notebookOfChief({ notebook, olderWins = [] }: AgentTask): readonly string[] {
  const older = notebook.slice(0, -mostInFull);
  const wins = [...olderWins, ...older.filter(isKept).map(winInWords)];
  return orNothing([
    ...shortOf(older),
    ...(wins.length === 0 ? [] : ['What won before:', ...briefly(wins.slice(0, -mostWins)), ...wins.slice(-mostWins)]),
    ...(older.length + wins.length === 0 ? [] : ['The latest:']),
    ...inFull(notebook.slice(-mostInFull)),
  ]);
}

const mostInFull = 60;
const mostBytes = 48_000;

/** The latest as they are. Where reviews and outputs fill a request, earlier ones keep their first line. */
function inFull(tries: readonly Experiment[]): readonly string[] {
  let bytes = 0;
  const lines = tries.toReversed().map((one) => {
    const words = experimentInWords(one);
    bytes += Buffer.byteLength(words);
    return bytes <= mostBytes ? words : experimentInWords({ ...one, notes: '', review: undefined, output: undefined });
  });
  return lines.reverse();
}

const mostWins = 300;
/** So many wins that only their numbers and scores have room. */
const briefly = (wins: readonly string[]): readonly string[] =>
  wins.length === 0 ? [] : [wins.map((win) => win.replace(/:.*$/s, '')).join('; ')];

const orNothing = (lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? ['nothing was tried yet'] : lines;

const winInWords = ({ n, spec, metric, score, best, title }: Experiment): string =>
  `#${n} of ${spec} keep ${metric} ${score}${best === undefined ? '' : ` (was ${best})`}: ${title}`;

/** `#1 to #98: 98 tries of 33 specs, 12 keep, 71 discard, 15 crash`, and the specs that took most tries in vain. */
function shortOf(older: readonly Experiment[]): readonly string[] {
  if (older.length === 0) return [];
  const bySpec = new Map<string, Experiment[]>();
  for (const one of older) bySpec.set(one.spec, [...(bySpec.get(one.spec) ?? []), one]);
  const tally = tallyOf(older.map(({ event }) => event));
  const counts = verdictEvents.filter((event) => tally[event] > 0).map((event) => `${tally[event]} ${event}`);
  const vain = [...bySpec].filter(([, tries]) => !tries.some(isKept)).sort(([, a], [, b]) => b.length - a.length);
  return [
    `#${older[0]?.n} to #${older.at(-1)?.n}, in short: ${older.length} tries of ${bySpec.size} specs, ${counts.join(', ')}`,
    ...vain
      .slice(0, 5)
      .map(([id, tries]) => `${id}: ${tries.length} tries and no win, the last "${tries.at(-1)?.title}"`),
  ];
}

/** `0007 Sort by area; predicted: waste_pct falls by 2; 3 tries, none won, nearest waste_pct 6.1 against 5.29 (#12 discard)`. */
export function specsInWords({ specs, notebook, brief }: AgentTask): readonly string[] {
  return specs.slice(-mostInFull).map((spec) => {
    const tries = notebook.filter((one) => one.spec === spec.id && !one.merged);
    return `${spec.id} ${spec.title}; predicted: ${claimOf(spec)}; ${resultOf(tries, brief)}`;
  });
}

const claimOf = (spec: Spec): string =>
  predictionIn(spec)
    ?.slice(0, 160)
    .replace(/[.\s]+$/, '') || 'nothing';

function resultOf(tries: readonly Experiment[], { direction }: Pick<Brief, 'direction'>): string {
  if (tries.length === 0) return 'not tried yet';
  const count = `${tries.length} ${tries.length === 1 ? 'try' : 'tries'}`;
  const scoreOf = ({ n, event, metric, score, best }: Experiment): string =>
    `${metric} ${score}${best === undefined ? '' : ` against ${best}`} (#${n} ${event})`;
  const won = tries.findLast(isWin);
  if (won !== undefined) return `${count}, won with ${scoreOf(won)}`;
  const [nearest] = tries
    .filter(({ score }) => score !== undefined)
    .sort((a, b) => gainOver(b.score ?? 0, a.score ?? 0, direction));
  if (nearest !== undefined) return `${count}, none won, nearest ${scoreOf(nearest)}`;
  return `${count}, none measured: ${[...new Set(tries.map(({ event }) => event))].join(', ')}`;
}

/** One experiment for the next agent. Neither the judge's own words nor what it printed are among it. */
export function experimentInWords(one: Experiment): string {
  const reason = one.judgesWords === true ? (one.reason.split(':')[0] ?? '') : one.reason;
  const review = (one.review ?? '').trim().slice(0, mostReview);
  const printed = (one.output ?? '').trimEnd().slice(-mostOutput);
  return [
    `#${one.n} ${one.event}${one.score === undefined ? '' : ` ${one.metric} ${one.score}`}: ${one.title}. ${reason}`,
    ...(one.notes === '' ? [] : [` Notes: ${one.notes.slice(0, 400)}`]),
    ...(review === '' ? [] : [`\n  The review:\n${review.replaceAll(/^/gm, '  | ')}`]),
    ...(printed === '' ? [] : [`\n  It printed last:\n${printed.replaceAll(/^/gm, '  | ')}`]),
  ].join('');
}

const mostOutput = 800;
const mostReview = 4_000;
