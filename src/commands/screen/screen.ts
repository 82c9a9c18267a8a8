import { tallyOf, type VerdictEvent } from '../../domain/words/experiment.ts';
import type { Fact } from '../../domain/words/fact.ts';
import { noSum } from '../../domain/words/spending.ts';
import { type Spent, spentOf } from '../../domain/words/spent.ts';
import { factJson, formatFactLine } from '../../report/pages/fact-lines.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import type { Look } from '../../terminal/look.ts';
import { formatJson } from '../../terminal/visible.ts';
import type { VerbCall } from '../kit/command.ts';
import { wrongOption } from '../kit/options.ts';
import { type AgentNow, type FooterState, formatFooter } from './footer.ts';
import { formatFactRow, formatRunHeading, formatTableHeader } from './run-table.ts';

/** Where a run tells what happens. */
export interface Screen {
  tell(fact: Fact): void;
  /** Talk for the person, outside of the record. */
  note(message: string): void;
  close(): void;
}

/** A table and a footer on a terminal, one line per fact elsewhere, NDJSON for programs. */
export function openScreen(call: VerbCall): Screen {
  const kind = call.json ? 'json' : (call.value('ui') ?? process.env.ORGREPO_UI ?? 'auto');
  if (!['auto', 'live', 'lines', 'json'].includes(kind))
    throw wrongOption('ui', kind, 'live, lines or json', 'Leave it out to let the terminal decide.');
  if (kind === 'json')
    return plainScreen(
      call,
      (fact) => (fact.kind === 'doing' ? undefined : formatJson(factJson(fact))),
      () => {},
    );
  const live = kind === 'live' || (kind === 'auto' && call.isTerminal && process.env.CI === undefined);
  const screen = live ? liveScreen(call) : plainScreen(call, formatFactLine, (message) => call.say(`${message}\n`));
  return { ...screen, tell: (fact) => screen.tell(withTyped(withoutSecrets(fact), call.look)) };
}

/** What a run says in its own words shows commands as the person types them; what agents wrote stays as it is. */
function withTyped(fact: Fact, { typed }: Look): Fact {
  if (fact.kind === 'warning' || fact.kind === 'recovered') return { ...fact, message: typed(fact.message) };
  if (fact.kind === 'doing') return { ...fact, detail: typed(fact.detail) };
  return fact.kind === 'run-stop' ? { ...fact, reason: typed(fact.reason) } : fact;
}

/** Every text of it, before a line cuts it to its width: half a secret is not known again. */
function withoutSecrets<T>(value: T): T {
  if (typeof value === 'string') return hideSecrets(value) as T;
  if (Array.isArray(value)) return value.map(withoutSecrets) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inside]) => [key, withoutSecrets(inside)])) as T;
}

/** One line per fact; none for a fact without one. */
const plainScreen = (call: VerbCall, lineOf: (fact: Fact) => string | undefined, note: Screen['note']): Screen => ({
  tell: (fact) => {
    const line = lineOf(fact);
    if (line !== undefined) call.out(`${line}\n`);
  },
  note,
  close: () => {},
});

function liveScreen(call: VerbCall): Screen {
  const agents = new Map<string, AgentNow>();
  const course: number[] = [];
  const events: VerdictEvent[] = [];
  const waiting = new Set<number>(); // Wins that a person has still to let through.
  const taken = new Set<number>();
  let again = 0; // Wins that won once more, merged with best or in its place.
  let metric = '';
  let best: FooterState['best'];
  let until: number | undefined;
  let max: number | undefined;
  let open = 0;
  let usd: number | undefined;
  let spent: Spent | undefined; // Nothing at the start where a model is asked; undefined where none is.
  let reserved: Spent | undefined;
  let stopping = false;
  let drawn = 0;
  let closed = false;

  const footer = (): readonly string[] => {
    const left = max === undefined ? undefined : Math.max(0, max - events.length);
    const counts = { tally: tallyOf(events), waiting: waiting.size, taken: taken.size, again, open };
    const now = Date.now() / 1000;
    const money = { spent, reserved, usd };
    const state = { now, agents: [...agents.values()], best, course, ...counts, until, left, stopping, ...money };
    return formatFooter(state, { ...call.look, columns: call.streams.stdout.columns ?? call.look.columns });
  };
  // From the first column on: a terminal writes ^C where the cursor is.
  const erase = (): string => (drawn === 0 ? '' : `\r\u001b[${drawn}A\u001b[0J`);
  const draw = (above: string): void => {
    if (closed) return;
    const lines = metric === '' ? [] : footer(); // Before it begins there is nothing to say of the run.
    call.out(`${erase()}${above}${lines.map((line) => `${line}\n`).join('')}`);
    drawn = lines.length;
  };
  const ticking = setInterval(() => draw(''), 1_000);
  ticking.unref();

  const learn = (fact: Fact): void => {
    if (fact.kind === 'run-start') {
      ({ metric, until, max, usd, best, open = 0 } = fact);
      if (best !== undefined) course.push(best.score);
      if (fact.paid) spent = spentOf(noSum);
    } else if (fact.kind === 'spent') spent = fact.night;
    else if (fact.kind === 'reserved') reserved = fact.night;
    else if (fact.kind === 'heartbeat') ({ open } = fact);
    else if (fact.kind === 'baseline') best = { score: fact.score, n: 0 };
    else if (fact.kind === 'doing')
      agents.set(fact.agent, { id: fact.agent, doing: fact.doing, detail: fact.detail, since: fact.at });
    else if (fact.kind === 'spec') open += 1;
    else if (fact.kind === 'claim') {
      open = Math.max(0, open - 1);
      agents.set(fact.agent, { id: fact.agent, doing: 'thinking', detail: `spec ${fact.spec}`, since: fact.at });
    } else if (fact.kind === 'best-moved') {
      best = { score: fact.score, n: fact.n };
      course[Math.max(0, course.length - 1)] = fact.score;
      for (const left of fact.replaces ?? []) taken.delete(left);
      taken.add(fact.n);
    } else if (fact.kind === 'said' && fact.n !== undefined) {
      if (fact.event === 'wait') waiting.add(fact.n);
      if (fact.event === 'review') waiting.delete(fact.n);
    } else if (fact.kind === 'experiment') {
      events.push(fact.experiment.event);
      if (fact.experiment.event === 'keep' && fact.experiment.merged) again += 1;
      course.push(fact.best);
    }
  };

  return {
    tell: (fact) => {
      learn(fact);
      const table = { metric, cost: spent !== undefined };
      const row = formatFactRow(fact, table, call.look);
      const header =
        fact.kind === 'run-start'
          ? `${formatRunHeading(fact, call.look)}\n\n${formatTableHeader(table, call.look)}\n`
          : '';
      if ((fact.kind !== 'doing' && fact.kind !== 'spent') || drawn === 0)
        draw(header + (row === undefined ? '' : `${row}\n`));
    },
    note: (message) => {
      stopping ||= message.startsWith('stopping');
      draw(`${call.look.typed(message)}\n`);
    },
    close: () => {
      if (closed) return;
      clearInterval(ticking);
      call.out(erase());
      closed = true;
    },
  };
}
