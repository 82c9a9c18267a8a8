import { type Commit, firstParents, type History, readObjects } from './history.ts';

/** A line of a notebook that judges a candidate. */
export interface Verdict {
  readonly commit: Commit;
  readonly spec: string;
  readonly tried: Commit | undefined;
  readonly below: Commit | undefined;
}

/** One spec's branch, from its claim on. */
export interface Notebook {
  readonly ref: string;
  readonly spec: string;
  /** Oldest first; undefined when the first parents do not lead to a claim of this spec. */
  readonly claim: Commit | undefined;
  readonly verdicts: readonly Verdict[];
  readonly done: boolean;
  readonly ids: ReadonlySet<string>;
}

/** What a tree would be measured as: the parts of it that the harness and its score depend on. */
export interface Measured {
  readonly harness: string;
  readonly target: string;
  readonly numbers: string;
}

/** The org's branches, sorted into what they mean. */
export interface Books {
  readonly history: History;
  readonly notebooks: readonly Notebook[];
  readonly verdicts: readonly Verdict[];
  /** orgrepo/best, oldest first, without what lies below its first commit. */
  readonly best: readonly Commit[];
  /** orgrepo/queue, oldest first. */
  readonly queue: readonly Commit[];
  readonly trees: ReadonlyMap<string, Measured>;
}

export const branch = (name: string): string => `refs/heads/orgrepo/${name}`;
export const workPrefix = branch('work/');
export const wipPrefix = 'refs/orgrepo/wip/';

const events = [
  ...['keep', 'discard', 'inconclusive', 'crash', 'timeout'],
  ...['tampered', 'unchanged', 'failed', 'confounded', 'void'],
];

export function openBooks(dir: string, history: History, known: Map<string, Measured>): Books {
  const notebooks = [...history.refs.keys()]
    .filter((ref) => ref.startsWith(workPrefix))
    .map((ref) => readNotebook(history, ref));
  const verdicts = notebooks.flatMap((notebook) => notebook.verdicts);
  const ours = (name: string): Commit[] =>
    firstParents(history, history.refs.get(branch(name)))
      .filter((commit) => commit.event !== '')
      .reverse();
  const best = ours('best');
  const wanted = [...verdicts.map(({ tried }) => tried), ...best, ...savedIn(history)].flatMap(
    (commit) => commit?.tree ?? [],
  );
  readTrees(dir, wanted, known);
  return { history, notebooks, verdicts, best, queue: ours('queue'), trees: known };
}

/** The candidates that stand on wip refs; edits that were never offered may lie on top of one. */
export function savedIn(history: History): Commit[] {
  return [...history.refs].flatMap(([ref, id]) => {
    if (!ref.startsWith(wipPrefix)) return [];
    const top = history.commits.get(id);
    const candidate = top?.event === 'wip' ? history.commits.get(top.parents[0] ?? '') : top;
    return candidate?.event === 'try' ? [candidate] : [];
  });
}

function readNotebook(history: History, ref: string): Notebook {
  const spec = ref.slice(workPrefix.length);
  const chain = firstParents(history, history.refs.get(ref));
  const end = chain.findIndex((commit) => commit.event === 'claim');
  const own = chain.slice(0, end + 1);
  const claim = own.every((commit) => commit.trailers.get('Org-Spec') === spec) ? own.at(-1) : undefined;
  const verdicts = own
    .filter((commit) => events.includes(commit.event))
    .reverse()
    .map((commit) => ({
      ...{ commit, spec },
      tried: history.commits.get(commit.parents[1] ?? ''),
      below: history.commits.get(commit.parents[0] ?? ''),
    }));
  const ids = new Set(own.map((commit) => commit.id));
  return { ref, spec, claim, verdicts, done: own[0]?.event === 'done', ids };
}

const parts = ['harness', 'harness/target', 'sandbox/one.txt', 'sandbox/two.txt'];

/** A tree never changes under its id, so what is known of one stays known. */
function readTrees(dir: string, wanted: readonly string[], known: Map<string, Measured>): void {
  const fresh = [...new Set(wanted)].filter((tree) => !known.has(tree));
  if (fresh.length === 0) return;
  const found = readObjects(
    dir,
    fresh.flatMap((tree) => parts.map((part) => `${tree}:${part}`)),
  );
  fresh.forEach((tree, at) => {
    const [harness, target, one, two] = found.slice(at * parts.length, (at + 1) * parts.length);
    known.set(tree, {
      harness: harness?.id ?? '',
      target: target?.content.toString('utf8').trim() ?? '',
      numbers: `${one?.content.toString('utf8') ?? ''}${two?.content.toString('utf8') ?? ''}`,
    });
  });
}
