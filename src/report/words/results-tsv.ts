import type { Experiment, VerdictEvent } from '../../domain/words/experiment.ts';
import { cleanLine } from '../../text/clean.ts';

/** autoresearch's five columns. What is not known is empty, never 0: in a column where lower is better 0 would win. */
export function formatResults(experiments: Iterable<Experiment>, metric: string): string {
  let text = `commit\t${metric}\tmemory_gb\tstatus\tdescription\n`;
  for (const experiment of experiments) text += `${row(experiment).join('\t')}\n`;
  return text;
}

function row(experiment: Experiment): readonly string[] {
  const { commit, score, numbers, event, title } = experiment;
  const status = statusOf[event];
  const description = cleanLine(title);
  return [
    commit.slice(0, 7),
    score === undefined ? '' : score.toFixed(6),
    numbers.memory_gb === undefined ? '' : numbers.memory_gb.toFixed(1),
    status,
    status === event ? description : `${description} (${event})`,
  ];
}

/** The original knows three words; the description keeps ours where it says more. */
const statusOf: Readonly<Record<VerdictEvent, 'keep' | 'discard' | 'crash'>> = {
  keep: 'keep',
  discard: 'discard',
  inconclusive: 'discard',
  unchanged: 'discard',
  confounded: 'discard',
  rejected: 'discard',
  crash: 'crash',
  timeout: 'crash',
  tampered: 'crash',
  failed: 'crash',
  void: 'crash',
};
