import type { Books, Verdict } from './books.ts';
import { type Circumstances, name } from './check-notebooks.ts';
import { git } from './history.ts';

/** The ledger that the queue's last commit carries is what one counts when one reads every notebook. */
export function* checkQueue(dir: string, books: Books, { memory, settled }: Circumstances): Generator<string> {
  const tip = books.queue.at(-1);
  if (tip === undefined) return;
  const open = openSpecs(dir, tip.id);
  const closed = books.notebooks.filter(({ spec }) => !open.has(spec));
  for (const notebook of closed) if (!notebook.done) yield `queue: ${notebook.spec} was taken off and is not done`;
  const ledger = new Map(
    (tip.trailers.get('Org-Ledger') ?? '').split(' ').map((part) => part.split('=') as [string, string]),
  );
  yield* checkTally(
    ledger,
    closed.flatMap(({ verdicts }) => verdicts).map(({ commit }) => commit.event),
  );
  const highest = (numbers: readonly number[]): number => numbers.reduce((most, n) => Math.max(most, n), 0);
  const given = highest((settled ? books.notebooks : closed).flatMap(({ verdicts }) => verdicts.map(numberOf)));
  const n = Number(ledger.get('n'));
  if (settled ? n !== given : n < given) yield `ledger: n is ${n}, the highest number in a notebook is ${given}`;
  const specs = highest([...open, ...books.notebooks.map(({ spec }) => spec)].map(Number));
  if (Number(ledger.get('specs')) < specs) yield `ledger: specs is ${ledger.get('specs')}, there is a spec ${specs}`;
  if (settled && ledger.get('state') !== 'ended')
    yield `ledger: the run has ended and its state is ${ledger.get('state')}`;
  yield* checkEvents(books);
  const chain = new Set(books.queue.map((commit) => commit.id));
  for (const id of memory.tips.get('refs/heads/orgrepo/queue') ?? [])
    if (!chain.has(id)) yield `lost: orgrepo/queue stood at ${id} once`;
  for (const title of memory.submitted)
    if (!books.queue.some((commit) => commit.event === 'spec' && commit.title.endsWith(title)))
      yield `lost: a person submitted "${title}", and it was never on the queue`;
}

const numberOf = ({ commit }: Verdict): number => Number(commit.trailers.get('Org-Experiment'));

function openSpecs(dir: string, commit: string): Set<string> {
  const names = git(dir, ['ls-tree', '--name-only', commit, 'specs/']).toString('utf8').split('\n');
  return new Set(names.flatMap((file) => /^specs\/(\d+)-.*\.md$/.exec(file)?.[1] ?? []));
}

function* checkTally(ledger: ReadonlyMap<string, string>, events: readonly string[]): Generator<string> {
  const fields = new Set(['specs', 'n', 'run', 'from', 'state', 'halted', 'needs']);
  for (const event of new Set([...events, ...[...ledger.keys()].filter((key) => !fields.has(key))])) {
    const counted = events.filter((one) => one === event).length;
    if (Number(ledger.get(event) ?? 0) !== counted)
      yield `ledger: ${event} is ${ledger.get(event) ?? 0}, the closed notebooks hold ${counted}`;
  }
}

function* checkEvents(books: Books): Generator<string> {
  const closed = new Set<string | undefined>();
  for (const commit of books.queue.filter(({ event }) => event === 'done')) {
    const spec = commit.trailers.get('Org-Spec');
    if (closed.has(spec)) yield `doubled: ${name(commit)} closes ${spec} again`;
    closed.add(spec);
  }
  const titles = new Set<string>();
  for (const { claim } of books.notebooks) {
    const title = claim?.title.replace(/^claim: \d+ /, '') ?? '';
    if (titles.has(title)) yield `doubled: two specs are called "${title}"`;
    titles.add(title);
  }
}
