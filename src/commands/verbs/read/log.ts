import { type Experiment, isWin, verdictEvents } from '../../../domain/words/experiment.ts';
import { gainOver } from '../../../domain/words/score.ts';
import type { WinPlace } from '../../../domain/words/taken.ts';
import { placesIn } from '../../../records/notebook/best-line.ts';
import { allExperiments, experimentsAbove, liveNotebooks } from '../../../records/notebook/history.ts';
import type { Org } from '../../../records/org.ts';
import { readQueue } from '../../../records/queue/queue.ts';
import { metricOf, readStatus } from '../../../report/facts/read-overview.ts';
import { experimentJson } from '../../../report/pages/fact-lines.ts';
import { formatLog, formatNone, formatResults } from '../../../report/pages/log-page.ts';
import { takenJson } from '../../../report/words/verdict-words.ts';
import { formatJson } from '../../../terminal/visible.ts';
import type { Command, VerbCall } from '../../kit/command.ts';
import { flagOption, readCountOption, readWordOption, textOption } from '../../kit/options.ts';
import { withOrg } from '../../kit/with-org.ts';

export const command: Command = {
  name: 'log',
  summary: 'The experiments, newest first: what was tried, what it scored, what won, what is on best.',
  options: {
    n: { type: 'string', short: 'n', value: 'count', help: 'how many (20; as tsv all)' },
    all: flagOption('every experiment there ever was'),
    kept: flagOption('only what won'),
    taken: flagOption('only the wins that are on best'),
    event: textOption('word', 'only this verdict: keep, discard, crash, tampered, ...'),
    agent: textOption('name', 'only this agent'),
    spec: textOption('id', 'only this spec'),
    grep: textOption('text', 'only titles, notes and reasons with this text'),
    since: textOption('n', 'only experiments above this number'),
    sort: textOption('order', 'n (newest first) or delta (largest gain first)'),
    format: textOption('kind', "text, json (NDJSON) or tsv (autoresearch's results.tsv, oldest first)"),
  },
  examples: ['orgrepo log --kept', 'orgrepo log --format tsv > results.tsv'],
  run: (call) =>
    withOrg(call, async (org) => {
      const typed = call.json ? 'json' : readOneOf(call, 'format', ['text', 'json', 'tsv']);
      const format = typed ?? 'text';
      readOneOf(call, 'event', verdictEvents);
      const order = readOneOf(call, 'sort', ['n', 'delta']);
      const usual = format === 'tsv' ? Number.POSITIVE_INFINITY : 20;
      const most = call.flag('all') ? Number.POSITIVE_INFINITY : (readCountOption(call, 'n') ?? usual);
      const { found, total, all, places } = await select(org, call, most, order === 'delta');
      const filters = filterWords(call);
      const none = all === 0 || filters.length === 0 ? undefined : { all, filters };
      if (found.length === 0 && none !== undefined && format !== 'text') call.say(formatNone(none, call.look));
      if (format === 'tsv') call.out(formatResults([...found].reverse(), await metricOf(org, found)));
      else if (format === 'json')
        for (const one of found)
          call.out(`${formatJson({ ...experimentJson(one), ...takenJson(places.get(one.n)) })}\n`);
      else call.out(formatLog(found, { ...call.look, hidden: Math.max(0, total - found.length), none, places }));
      return 0;
    }),
};

/** Reads no more of the history than the question needs. */
async function select(org: Org, call: VerbCall, most: number, byGain: boolean) {
  const queue = await readQueue(org);
  if (queue === undefined) return { found: [], total: 0, all: 0, places: new Map<number, WinPlace>() };
  const since = readCountOption(call, 'since');
  const filtered =
    ['agent', 'spec', 'grep', 'event'].some((name) => call.value(name) !== undefined) ||
    ['kept', 'taken'].some((name) => call.flag(name)) ||
    byGain;
  const live = await liveNotebooks(org, queue);
  const total = live
    .flatMap((notebook) => notebook.experiments)
    .reduce((top, one) => Math.max(top, one.n), queue.ledger.experiments);
  const wholeHistory = since === undefined && (filtered || most === Number.POSITIVE_INFINITY);
  const read = wholeHistory
    ? await allExperiments(org)
    : await experimentsAbove(org, queue, since ?? Math.max(0, total - most));
  const places = await placesIn(org, read);
  const wanted = read.filter((one) => matches(one, call, places.get(one.n))).reverse();
  if (byGain) {
    const { direction } = await readStatus(org, 0);
    const gain = (one: Experiment): number =>
      one.score === undefined || one.best === undefined
        ? Number.NEGATIVE_INFINITY
        : gainOver(one.score, one.best, direction);
    wanted.sort((a, b) => gain(b) - gain(a));
  }
  return { found: wanted.slice(0, most), total: filtered ? wanted.length : total, all: total, places };
}

const readOneOf = <Word extends string>(call: VerbCall, option: string, words: readonly Word[]): Word | undefined =>
  readWordOption(call, option, words, `For example: --${option} ${words[0]}`);

/** The filters as they were typed. */
const filterWords = (call: VerbCall): readonly string[] => [
  ...['kept', 'taken'].flatMap((name) => (call.flag(name) ? [`--${name}`] : [])),
  ...['event', 'agent', 'spec', 'grep', 'since'].flatMap((name) => {
    const value = call.value(name);
    return value === undefined ? [] : [`--${name} ${/^[\w.-]+$/.test(value) ? value : JSON.stringify(value)}`];
  }),
];

function matches(one: Experiment, call: VerbCall, place: WinPlace | undefined): boolean {
  const [agent, spec, text] = [call.value('agent'), call.value('spec'), call.value('grep')?.toLowerCase()];
  if (call.flag('kept') && !isWin(one)) return false;
  if (call.flag('taken') && !(isWin(one) && place?.kind === 'on best')) return false;
  if (call.value('event') !== undefined && one.event !== call.value('event')) return false;
  if (agent !== undefined && one.agent !== agent) return false;
  if (spec !== undefined && one.spec !== spec) return false;
  return text === undefined || `${one.title}\n${one.notes}\n${one.reason}`.toLowerCase().includes(text);
}
