import { ordersAfter } from '../../domain/staff/presence.ts';
import { addTallies, tallyOf, type VerdictEvent, verdictEvents } from '../../domain/words/experiment.ts';
import { emptyLedger, formatLedger, type Ledger, parseLedger } from '../../domain/words/ledger.ts';
import { readTree, type TreeEntry } from '../../git/objects/tree.ts';
import { reportsRef } from '../../git/refs/ref-names.ts';
import { presenceEventOf } from '../../records/queue/agent-book.ts';
import { actEvents } from '../../records/requests/requests.ts';
import { type Books, type NotebookPages, rejectedIn } from '../audit-books.ts';
import { type AuditPage, about, unequal } from '../audit-library.ts';

/** The state that an event puts a run into; any other leaves it as it is. */
const stateAfter: Readonly<Record<string, Ledger['state']>> = {
  ...{ run: 'running', end: 'ended', pause: 'paused', resume: 'running', stop: 'stopping' },
};

const known = new Set([
  ...Object.keys(stateAfter),
  ...['spec', 'refuse', 'failed', 'claim', 'done', 'calibrate', 'halt', 'approve', 'deny', 'offer', 'close', 'alert'],
  ...['limit', 'freeze', 'thaw', 'delegate', 'unrouted', 'closed', 'progress', 'pay', 'unpaid', 'need'],
  ...actEvents,
]);

/** What orgrepo changes on the queue; people may change what they like. */
const files = new Set(['specs', 'inbox', 'approvals', 'branches.md']);

/** The queue's ledger is what one counts when one reads every notebook, and each of its commits did what it says. */
export async function* checkQueue(books: Books) {
  const { notebooks } = books;
  const closed = new Set<string>();
  let ledger = emptyLedger;
  for (const page of books.queue) {
    if (!page.ours) continue;
    const text = page.get('Ledger') ?? '';
    const now = parseLedger(text);
    yield* unequal(page, 'its ledger cannot be read', formatLedger(now), text);
    if (!known.has(page.event))
      yield about(page, 'no such thing happens on a queue', [...known].join(', '), page.event);
    const parents = page.event === 'offer' ? 2 : 1; // The queue keeps what is offered.
    yield* unequal(page, 'it follows one commit', parents, page.parents.length);
    yield* checkLedger(page, ledger, now, page.event === 'done' ? notebooks.get(page.get('Spec') ?? '') : undefined);
    if (page.event === 'done') yield* checkDone(page, notebooks, closed);
    yield* checkFiles(books, page);
    ledger = now;
  }
}

function* checkLedger(page: AuditPage, before: Ledger, now: Ledger, notebook: NotebookPages | undefined) {
  for (const key of ['specs', 'experiments', 'runFrom'] as const)
    if (now[key] < before[key]) yield about(page, `the ledger's ${key} went down`, `at least ${before[key]}`, now[key]);
  const state = stateAfter[page.event] ?? before.state;
  // A pause, resume or stop of one agent does not apply to the run.
  const ofSome = page.get('Target') !== undefined || page.event === 'resume';
  if (now.state !== state && !(ofSome && now.state === before.state))
    yield about(page, 'the ledger says another state', state, now.state);
  if (page.event !== 'run' && (now.run !== before.run || now.runFrom !== before.runFrom))
    yield about(
      page,
      'the ledger tells of another run',
      `${before.run} from ${before.runFrom}`,
      `${now.run} from ${now.runFrom}`,
    );
  const [were, are] = [before, now].map(({ halted }) => halted.join(' ') || 'nobody');
  if (were !== are && !['run', 'halt', 'resume'].includes(page.event))
    yield about(page, 'the ledger says that others are stopped', were, are);
  const isNewRun = page.event === 'run' && now.run !== before.run;
  const needs = isNewRun ? 0 : before.needs + (page.event === 'need' ? 1 : 0);
  yield* unequal(page, 'the ledger counts other needs of the run', needs, now.needs);
  const said = isNewRun ? ({ kind: 'run' } as const) : presenceEventOf(page);
  const frozen = page.event === 'freeze' || (before.frozen && page.event !== 'thaw');
  yield* unequal(page, 'the ledger says of a freeze what nobody ordered', frozen, now.frozen);
  const orders = said === undefined ? before.orders : ordersAfter(before.orders, said);
  const [wanted, found] = [orders, now.orders].map((words) => words.join(' '));
  if (wanted !== found) yield about(page, 'the ledger says that other words are in force', wanted || 'none', found);
  const rejected = rejectedIn(notebook?.pages ?? []);
  const verdicts = (notebook?.verdicts ?? []).map(({ page: one }) =>
    rejected.has(one.id) ? 'rejected' : (one.event as VerdictEvent),
  );
  const expected = addTallies(before.closed, tallyOf(verdicts));
  for (const event of verdictEvents)
    yield* unequal(
      page,
      `the ledger does not count what the notebooks hold: ${event}`,
      expected[event],
      now.closed[event],
    );
}

function* checkDone(page: AuditPage, notebooks: ReadonlyMap<string, NotebookPages>, closed: Set<string>) {
  const spec = page.get('Spec') ?? '';
  const notebook = notebooks.get(spec);
  if (closed.has(spec)) yield about(page, `${spec} is closed again`, 'once', 'twice');
  closed.add(spec);
  if (notebook === undefined) return; // A missing one is reported with the refs.
  const tip = notebook.pages.at(-1);
  if (tip?.event !== 'done' || page.get('Cause') !== tip.id)
    yield about(
      page,
      `the notebook of ${spec} does not end where it was closed`,
      page.get('Cause'),
      `${tip?.id} ${tip?.title}`,
    );
}

async function* checkFiles(books: Books, page: AuditPage) {
  const before = books.library.below(page);
  if (before === undefined || before.tree === page.tree) return;
  const { repo } = books.library.org;
  const [old, now] = await Promise.all([readTree(repo, before.tree), readTree(repo, page.tree)]);
  const id = (entry: TreeEntry | undefined): string => `${entry?.mode} ${entry?.oid}`;
  for (const name of new Set([...old.keys(), ...now.keys()]))
    if (!files.has(name) && id(old.get(name)) !== id(now.get(name)))
      yield about(page, `orgrepo does not change ${name} on the queue`, id(old.get(name)), id(now.get(name)));
}

/** Reports tell of commits that the queue has. */
export async function* checkReports(books: Books) {
  const queue = new Set(books.queue.map((page) => page.id));
  const { repo } = books.library.org;
  for (const page of books.lines.get(reportsRef) ?? []) {
    const cause = page.get('Cause');
    if (cause !== undefined && !queue.has(cause))
      yield about(page, 'it tells of a commit that the queue does not have', cause, books.queue.at(-1)?.id);
    const before = books.library.below(page);
    const [old, now] = await Promise.all([before?.tree ?? '', page.tree].map((tree) => readTree(repo, tree)));
    for (const [name, entry] of now ?? [])
      if (name !== 'reports' && old?.get(name)?.oid !== entry.oid)
        yield about(page, `a report does not change ${name}`, old?.get(name)?.oid, entry.oid);
  }
}
