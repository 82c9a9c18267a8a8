import type { Experiment } from '../domain/experiment.ts';
import { type Look, spell } from './look.ts';
import { changeWord, countOf, scoreWord, shortCommit } from './numbers.ts';
import { singleStageWords } from './single-stage.ts';
import { isoTime } from './times.ts';
import { verdictWords } from './verdict-words.ts';
import { visible } from './visible.ts';
import { cut, fit, fitRight, widthOf } from './width.ts';

export interface LogOptions extends Look {
  /** How many experiments are older than the last one shown, or were left out by a filter. */
  readonly hidden: number;
}

/** Experiments, newest first: what was kept in the first column, what was not hanging beside what it set out from. */
export function formatLog(experiments: readonly Experiment[], options: LogOptions): string {
  if (experiments.length === 0) return `${hiddenLine(options.hidden) ?? 'No experiments yet. Start: orgrepo run'}\n`;
  const sizes = sizesOf(experiments);
  const single = experiments.some(({ stages }) => stages === 1) ? cut(`† ${singleStageWords}`, options.columns) : '';
  const lines: string[] = [cut(legend, options.columns), single];
  let keptAbove = false;
  let hanging = false;
  for (const experiment of experiments) {
    if (experiment.event === 'keep') {
      if (hanging) lines.push(keptAbove ? '├─╯' : '╭─╯');
      lines.push(lineOf(experiment, '', sizes, options));
      keptAbove = true;
      hanging = false;
    } else {
      lines.push(lineOf(experiment, keptAbove ? '│ ' : '  ', sizes, options));
      hanging = true;
    }
  }
  lines.push(cut(hiddenLine(options.hidden) ?? '', options.columns));
  return spell(`${lines.filter((line) => line !== '').join('\n')}\n`, options);
}

/** `orgrepo/experiment@1`: what is not known is left out. */
export function experimentJson(experiment: Experiment): Record<string, unknown> {
  const { n, commit, spec, agent, event, metric, score, samples, against, best, numbers, seconds, at, title, reason } =
    experiment;
  const { stages } = experiment;
  return {
    schema: 'orgrepo/experiment@1',
    n,
    commit,
    spec,
    agent,
    event,
    metric,
    ...(score === undefined ? {} : { score }),
    samples,
    ...(against.length === 0 ? {} : { against }),
    ...(best === undefined ? {} : { best }),
    guards: numbers,
    ...(seconds === undefined ? {} : { seconds }),
    ...(stages === undefined ? {} : { stages }),
    at: isoTime(at),
    title,
    reason,
  };
}

const legend = '◆ kept   ○ discarded   ? unclear   × crashed, timed out, failed   ! blocked, confounded   · other';

interface Sizes {
  readonly n: number;
  readonly score: number;
  readonly change: number;
  readonly agent: number;
  readonly spec: number;
}

function sizesOf(experiments: readonly Experiment[]): Sizes {
  const widest = (wordOf: (experiment: Experiment) => string, most: number): number =>
    Math.min(
      most,
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
  const words = verdictWords[experiment.event];
  const mark = fit(`${branch}${words.sign}`, 3);
  const numbers = [
    fit(`#${experiment.n}`, sizes.n),
    fitRight(resultWord(experiment), sizes.score),
    fitRight(changeWord(experiment.best, experiment.score), sizes.change),
  ].join('  ');
  const by = `${fit(visible(experiment.agent), sizes.agent)}  ${shortCommit(experiment.commit)}`;
  const spec = fit(visible(experiment.spec), sizes.spec);
  const room = options.columns - 4 - widthOf(numbers) - widthOf(by) - sizes.spec - 6;
  const painted = words.paint === undefined ? mark : options.paint[words.paint](mark);
  if (room < 12)
    return `${painted} ${cut(`${numbers}  ${visible(experiment.title)}`, Math.max(1, options.columns - 4))}`;
  return `${painted} ${numbers}  ${options.paint.dim(by)}  ${fit(visible(experiment.title), room)}  ${options.paint.dim(spec)}`;
}

/** A candidate without a score has the word for it in its place. */
const resultWord = ({ score, event, stages }: Experiment): string =>
  score === undefined ? verdictWords[event].word.toLowerCase() : `${scoreWord(score)}${stages === 1 ? '†' : ''}`;

const hiddenLine = (hidden: number): string | undefined =>
  hidden > 0 ? `~   ${countOf(hidden, 'experiment')} not shown: orgrepo log --all` : undefined;
