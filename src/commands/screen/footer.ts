import { type Tally, triedIn } from '../../domain/words/experiment.ts';
import type { Doing } from '../../domain/words/fact.ts';
import type { Spent } from '../../domain/words/spent.ts';
import { countOf, reservedWords, scoreWord, spentWords } from '../../report/words/numbers.ts';
import { winWords } from '../../report/words/verdict-words.ts';
import { cut, fit, type Look, spell, widthOf } from '../../terminal/look.ts';
import { spanWord, stopwatch, visible } from '../../terminal/visible.ts';

export interface AgentNow {
  readonly id: string;
  readonly doing: Doing;
  readonly detail: string;
  /** When it began this, in seconds since 1970. */
  readonly since: number | undefined;
}

/** What the lines below the table say; they are drawn again whenever it changes. */
export interface FooterState {
  readonly now: number;
  readonly agents: readonly AgentNow[];
  readonly best: { readonly score: number; readonly n: number } | undefined;
  /** The best score after each experiment so far, oldest first; the baseline comes first. */
  readonly course: readonly number[];
  readonly tally: Tally;
  /** How many of those that won wait for a person, how many are on best, and how many won once more on best. */
  readonly waiting?: number | undefined;
  readonly taken?: number | undefined;
  readonly again?: number | undefined;
  /** Specs that nobody has claimed. */
  readonly open: number;
  readonly until: number | undefined;
  /** How many more experiments `--max` allows. */
  readonly left: number | undefined;
  readonly stopping: boolean;
  /** What the night has spent, and may; undefined where no model is asked. */
  readonly spent?: Spent | undefined;
  readonly reserved?: Spent | undefined;
  readonly usd?: number | undefined;
}

/** No line is wider than the terminal, because a wrapped line cannot be drawn over. */
export function formatFooter(state: FooterState, look: Look): readonly string[] {
  const lines = [
    look.paint.dim('─'.repeat(Math.max(0, look.columns))),
    ...agentLines(state, look),
    look.paint.bold(cut(bestLine(state), look.columns)),
    look.paint.dim(cut(look.typed(hintLine(state)), look.columns)),
  ];
  return lines.map((line) => spell(line, look));
}

/** More agents than this are counted in one line. */
const most = 8;

function agentLines(state: FooterState, look: Look): readonly string[] {
  const shown = state.agents.length > most ? state.agents.slice(0, most - 1) : state.agents;
  const others = state.agents.slice(shown.length);
  const width = Math.min(14, Math.max(8, ...shown.map(({ id }) => widthOf(visible(id)))));
  const lines = shown.map((agent) => agentLine(agent, state.now, width, look.columns));
  return others.length === 0 ? lines : [...lines, look.paint.dim(cut(` ${othersWords(others)}`, look.columns))];
}

function agentLine(agent: AgentNow, now: number, width: number, columns: number): string {
  const start = ` ${fit(visible(agent.id), width)}  ${fit(agent.doing, 9)}  `;
  const elapsed = agent.since === undefined ? '' : stopwatch(now - agent.since);
  const room = columns - widthOf(start) - elapsed.length - 2;
  if (room < 8) return cut(`${start}${visible(agent.detail)}`, columns);
  return `${start}${fit(visible(agent.detail), room)}  ${elapsed}`.trimEnd();
}

function othersWords(agents: readonly AgentNow[]): string {
  const counts = new Map<Doing, number>();
  for (const { doing } of agents) counts.set(doing, (counts.get(doing) ?? 0) + 1);
  return `${countOf(agents.length, 'more agent')}: ${[...counts].map(([doing, count]) => `${count} ${doing}`).join(', ')}`;
}

function bestLine(state: FooterState): string {
  const { best, course, tally, waiting = 0, taken, again, until, left, spent, reserved } = state;
  const failed = tally.crash + tally.timeout + tally.failed;
  const counts = [
    `${triedIn(tally)} tried`,
    ...winWords({ ...tally, keep: Math.max(0, tally.keep - waiting) }, { waiting, taken, again }, ' for you'),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(tally.tampered > 0 ? [`${tally.tampered} blocked`] : []),
  ].join(', ');
  const ends = [
    ...(until === undefined ? [] : [spanWord(until - state.now)]),
    ...(left === undefined ? [] : [countOf(left, 'try', 'tries')]),
  ];
  return [
    best === undefined
      ? ' no best yet'
      : ` best ${scoreWord(best.score)}${best.n > 0 ? ` (#${best.n})` : ' (baseline)'}`,
    ...(course.length < 2 ? [] : [sparkline(course, 10)]),
    counts,
    ...(spent === undefined ? [] : [spentWords(spent, state.usd)]),
    ...(reserved === undefined ? [] : [reservedWords(reserved)]),
    ...(ends.length === 0 ? [] : [`${ends.join(' or ')} left`]),
    countOf(state.open, 'open spec'),
  ].join('   ');
}

const hintLine = ({ stopping }: FooterState): string =>
  stopping
    ? ' Stopping after this measurement. Ctrl-C again kills it now; it will be measured at the next start.'
    : ' Ctrl-C stops after this measurement   elsewhere: orgrepo status | pause | stop';

/** The course of a number in at most this many signs, low values low. */
function sparkline(values: readonly number[], most: number): string {
  const count = Math.min(most, values.length);
  const picked = Array.from({ length: count }, (_, index) =>
    Number(values[Math.round((index * (values.length - 1)) / Math.max(1, count - 1))]),
  );
  const low = Math.min(...picked);
  const span = Math.max(...picked) - low;
  return picked
    .map((value) => signs[span === 0 ? 0 : Math.round(((value - low) / span) * (signs.length - 1))])
    .join('');
}

const signs = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
