import type { Direction } from '../domain/words/brief.ts';
import { formatFields } from '../text/front-matter.ts';
import { formatDuration } from '../text/quantity.ts';
import type { ChosenZones } from './choose-zones.ts';

/** What the brief of a project says. */
export interface BriefDraft extends ChosenZones {
  readonly metric: string;
  readonly pattern: string | undefined;
  readonly direction: Direction;
  readonly sandbox: readonly string[];
  readonly score: string;
  readonly tests: string | undefined;
  /** How long the start takes. */
  readonly seconds: number;
  /** Whether there is nothing that the search agent could change. */
  readonly forPeople: boolean;
}

/** About ten lines, each with what it is for. */
export function draftBrief(draft: BriefDraft): string {
  const { metric, pattern, direction, sandbox, harness, include, score, tests, seconds, forPeople } = draft;
  const lines: readonly (readonly [line: string, comment: string] | undefined)[] = [
    [metricLine(metric, pattern), ''],
    [formatFields({ direction }), ''],
    [listLine('sandbox', sandbox), 'the only files that agents may change'],
    [formatFields({ harness }), 'what scores them, as it is in your last commit'],
    [formatFields({ score }), 'prints the metric'],
    tests === undefined ? undefined : [formatFields({ tests }), 'must pass before a win counts'],
    include.length === 0 ? undefined : [listLine('include', include), 'to be read'],
    [`budget: { experiment: ${limitFor(seconds)}, night: 8h }`, ''],
    forPeople ? ['agent: human', 'you; or name a model, such as model: claude-sonnet-4-6'] : undefined,
  ];
  const wide = Math.min(40, Math.max(...lines.map((one) => (one === undefined || one[1] === '' ? 0 : one[0].length))));
  const written = lines.flatMap((one) => {
    if (one === undefined) return [];
    const [line, comment] = one;
    return [comment === '' ? line : `${line.padEnd(wide)}  # ${comment}`];
  });
  const [way, what] = [direction === 'minimize' ? 'lower' : 'higher', sandbox.join(', ')];
  return `---\n${written.join('\n')}\n---\nMake ${metric} ${way} by editing ${what}. Write here what agents should know.\n`;
}

/** Without the blanks that stand inside the brackets. */
const listLine = (key: string, list: readonly string[]): string =>
  formatFields({ [key]: list }).replace(/^(\w+: \[) (.*) \]$/, '$1$2]');

/** In single quotes a backslash stands for itself. */
const metricLine = (name: string, pattern: string | undefined): string =>
  pattern === undefined
    ? formatFields({ metric: name })
    : `metric: { name: ${name}, pattern: '${pattern.replaceAll("'", "''")}' }`;

/** Ten times what the start takes, which is five minutes at the most where nothing else is said. */
function limitFor(seconds: number): string {
  const most = Math.min(seconds * 10, seconds + 900);
  return most <= 300 ? '10x' : `10x up to ${formatDuration(Math.ceil(most / 300) * 300_000)}`;
}
