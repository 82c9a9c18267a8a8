import { wipRef } from '../../git/refs/ref-names.ts';
import { type BookEntry, readEntry } from '../../records/entry.ts';
import type { Notebook } from '../../records/notebook/notebook.ts';
import type { Org } from '../../records/org.ts';

/** What a spec's wip ref holds although it does not belong to the notebook that is here. */
export interface Stray {
  readonly spec: string;
  readonly commit: string;
  /** Why it cannot be judged here. */
  readonly why: string;
}

/** Refs of what another clone saved. They are outside refs/orgrepo/, so nobody pushes or verifies them, and no gc takes them. */
const asideRef = (spec: string, commit: string): string => `refs/orgrepo-aside/${spec}-${commit.slice(0, 12)}`;

/**
 * Finds out whether what is saved for a spec comes from another history. A push that is not atomic leaves such refs: its
 * notebooks are refused and its saved candidates are not. To judge one would give its number a second time.
 */
export async function findStray(
  org: Org,
  notebook: Notebook,
  given: ReadonlyMap<number, string>,
): Promise<Stray | undefined> {
  const tip = await readEntry(org, wipRef(notebook.spec));
  if (tip === undefined) return undefined;
  const tried = tip.event === 'wip' ? await readEntry(org, tip.commit.parents[0] ?? '') : tip;
  const isTry = tried?.event === 'try';
  if (isTry && notebook.experiments.some((one) => one.tried === tried.commit.oid)) return undefined; // It was judged here.
  const base = isTry ? (tried.commit.parents[0] ?? '') : (tried?.commit.oid ?? '');
  const stray = { spec: notebook.spec, commit: tip.commit.oid };
  const found = await pageOf(org, notebook, base);
  if (found === undefined) return { ...stray, why: `it was built on ${short(base)}, which is not in its notebook` };
  if (!isTry) return undefined;
  if (found.commit.tree !== notebook.line.tree)
    return { ...stray, why: `its notebook has gone on since ${short(base)}, on which it was built` };
  const other = given.get(tried.number('Experiment') ?? 0);
  return other === undefined
    ? undefined
    : { ...stray, why: `#${tried.get('Experiment')} is an experiment of ${other} here` };
}

/** The line of a notebook with this id. */
async function pageOf(org: Org, { line, base }: Notebook, id: string): Promise<BookEntry | undefined> {
  let entry = await readEntry(org, line.tip);
  while (entry !== undefined && entry.commit.oid !== base) {
    if (entry.commit.oid === id) return entry;
    entry = await readEntry(org, entry.commit.parents[0] ?? '');
  }
  return undefined;
}

/** Puts strays out of the way of what will be saved next. Returns what a person should know of it. */
export async function setAside({ repo }: Org, strays: readonly Stray[]): Promise<string | undefined> {
  if (strays.length === 0) return undefined;
  const said: string[] = [];
  for (const { spec, commit, why } of strays) {
    const ref = asideRef(spec, commit);
    if ((await repo.reader.resolve(ref)) === undefined) await repo.refs.move(ref, commit, undefined);
    await repo.refs.remove(wipRef(spec), commit);
    said.push(`${wipRef(spec)} (${why}; it is kept as ${ref})`);
  }
  const cause = 'Another clone pushed without --atomic. Push with git push --atomic (docs/git.md)';
  return `saved work of another clone is not taken up: ${said.join(', ')}. ${cause}`;
}

const short = (id: string): string => id.slice(0, 7);
