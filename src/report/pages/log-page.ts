import { type Experiment, isKept } from '../../domain/words/experiment.ts';
import type { WinPlace } from '../../domain/words/taken.ts';
import { cut, fit, fitRight, type Look, mostOf, pad, spell, widthOf } from '../../terminal/look.ts';
import { visible } from '../../terminal/visible.ts';
import { cleanLine } from '../../text/problem.ts';
import { changeWord, countOf, scoreWord, shortCommit, singleStageWords } from '../words/numbers.ts';
import { verdictWords, wordsFor } from '../words/verdict-words.ts';

interface LogOptions extends Look {
  /** How many experiments are older than the last one shown, or were left out by a filter. */
  readonly hidden: number;
  /** What was asked for, where nothing that there is may match it. */
  readonly none?: Unmatched | undefined;
  /** Where each win is now, by its number. */
  readonly places?: ReadonlyMap<number, WinPlace> | undefined;
}

/** How many experiments there are, and the filters that none of them passed. */
interface Unmatched {
  readonly all: number;
  readonly filters: readonly string[];
}

export function formatNone({ all, filters }: Unmatched, { typed }: Look): string {
  const who = all === 1 ? 'The only experiment does not match' : `None of the ${all} experiments matches`;
  return `${who} ${visible(filters.join(' '))}. All of them: ${typed('orgrepo log --all')}\n`;
}

/** Experiments, newest first: what won in the first column, what did not hanging beside what it set out from. */
export function formatLog(experiments: readonly Experiment[], options: LogOptions): string {
  if (experiments.length === 0 && options.none !== undefined) return formatNone(options.none, options);
  if (experiments.length === 0)
    return `${hiddenLine(options) ?? options.typed('No experiments yet. Start: orgrepo run')}\n`;
  const sizes = sizesOf(experiments, options);
  const single = experiments.some(({ stages }) => stages === 1) ? cut(`† ${singleStageWords}`, options.edge) : '';
  const signs = experiments.some(({ waits }) => waits) ? legendWithWaits : legend;
  const lines: string[] = [cut(signs, options.edge), single];
  let keptAbove = false;
  let hanging = false;
  for (const experiment of experiments) {
    if (isKept(experiment)) {
      if (hanging) lines.push(keptAbove ? '├─╯' : '╭─╯');
      lines.push(lineOf(experiment, '', sizes, options));
      keptAbove = true;
      hanging = false;
    } else {
      lines.push(lineOf(experiment, keptAbove ? '│ ' : '  ', sizes, options));
      hanging = true;
    }
  }
  lines.push(cut(hiddenLine(options) ?? '', options.edge));
  return spell(`${lines.filter((line) => line !== '').join('\n')}\n`, options);
}

const legend = '● taken  ◆ won  ○ discarded  ? unclear  × no score  ! blocked, confounded, rejected  · other';

/** As much as fits on a line of 100. */
const legendWithWaits = legend.replace('blocked', 'waits, blocked');

type Sizes = Readonly<Record<'n' | 'score' | 'change' | 'agent' | 'spec', number>>;

function sizesOf(experiments: readonly Experiment[], look: Look): Sizes {
  const widest = (wordOf: (experiment: Experiment) => string, most: number): number =>
    Math.min(
      mostOf(look, most),
      experiments.reduce((width, experiment) => Math.max(width, wordOf(experiment).length), 1),
    );
  return {
    n: widest(({ n }) => `#${n}`, 8),
    score: widest(resultWord, 12),
    change: widest(({ best, score }) => changeWord(best, score), 10),
    agent: widest(({ agent }) => agent, 12),
    spec: widest(({ spec }) => spec, 10),
  };
}

/** Every line has the same columns, whether it hangs or not: the graph takes four. */
function lineOf(experiment: Experiment, branch: string, sizes: Sizes, options: LogOptions): string {
  const words = wordsFor(experiment);
  const taken = options.places?.get(experiment.n)?.kind === 'on best';
  const mark = fit(`${branch}${taken ? '●' : words.sign}`, 3);
  const numbers = [
    fit(`#${experiment.n}`, sizes.n),
    fitRight(resultWord(experiment), sizes.score),
    fitRight(changeWord(experiment.best, experiment.score), sizes.change),
  ].join('  ');
  const by = `${fit(visible(experiment.agent), sizes.agent)}  ${shortCommit(experiment.commit)}`;
  const spec = fit(visible(experiment.spec), sizes.spec);
  const room = options.columns - 4 - widthOf(numbers) - widthOf(by) - sizes.spec - 6;
  const painted = words.paint === undefined ? mark : options.paint[words.paint](mark);
  if (room < 12 && options.edge <= options.columns)
    return `${painted} ${cut(`${numbers}  ${visible(experiment.title)}`, Math.max(1, options.columns - 4))}`;
  return `${painted} ${numbers}  ${options.paint.dim(by)}  ${pad(cut(visible(experiment.title), mostOf(options, room)), room)}  ${options.paint.dim(spec)}`;
}

/** A candidate without a score has the word for it in its place. */
const resultWord = ({ score, event, stages }: Experiment): string =>
  score === undefined ? verdictWords[event].word.toLowerCase() : `${scoreWord(score)}${stages === 1 ? '†' : ''}`;

const hiddenLine = ({ hidden, typed }: LogOptions): string | undefined =>
  hidden > 0 ? `~   ${countOf(hidden, 'experiment')} not shown: ${typed('orgrepo log --all')}` : undefined;

/** autoresearch's five columns. What is not known is empty, never 0: in a column where lower is better 0 would win. */
export function formatResults(experiments: Iterable<Experiment>, metric: string): string {
  let text = `commit\t${metric}\tmemory_gb\tstatus\tdescription\n`;
  for (const experiment of experiments) text += `${row(experiment).join('\t')}\n`;
  return text;
}

function row(experiment: Experiment): readonly string[] {
  const { commit, score, numbers, event, title } = experiment;
  const status = verdictWords[event].inResults;
  const description = cleanLine(title);
  return [
    commit.slice(0, 7),
    score === undefined ? '' : score.toFixed(6),
    numbers.memory_gb === undefined ? '' : numbers.memory_gb.toFixed(1),
    status,
    // The description keeps our word where it says more.
    status === event ? description : `${description} (${event})`,
  ];
}
