import type { Measured } from './books.ts';
import { wipPrefix } from './books.ts';
import { readObjects, readRefs } from './history.ts';

/** What was there after one kill or another, and must never be gone. */
export interface Memory {
  /** Every tip that a branch of orgrepo's was ever seen at, by ref. */
  readonly tips: Map<string, Set<string>>;
  /** Every candidate that was ever seen on a wip ref, with its spec. */
  readonly saved: Map<string, string>;
  /** Commits that a run said it had made: verdicts in notebooks, and best's. */
  readonly said: { readonly verdicts: Set<string>; readonly best: Set<string> };
  /** Titles of specs that people submitted and were told are on the queue. */
  readonly submitted: Set<string>;
  readonly trees: Map<string, Measured>;
}

export const newMemory = (): Memory => ({
  tips: new Map(),
  saved: new Map(),
  said: { verdicts: new Set(), best: new Set() },
  submitted: new Set(),
  trees: new Map(),
});

/** The cheap part, after every kill: remembers where the refs are, and looks that none was lost and that the trunk is a person's. */
export function lookAround(dir: string, trunk: string, memory: Memory): string[] {
  const refs = readRefs(dir);
  const findings: string[] = [];
  const main = refs.get('refs/heads/main');
  if (main !== trunk) findings.push(`trunk: it is at ${main}, a person left it at ${trunk}`);
  for (const ref of memory.tips.keys()) if (!refs.has(ref)) findings.push(`lost: ${ref} is gone`);
  for (const [ref, id] of refs) {
    if (ref === 'refs/heads/main') continue;
    if (!/^refs\/(heads\/)?orgrepo\//.test(ref)) findings.push(`refs: ${ref} is none that orgrepo may make`);
    const before = memory.tips.get(ref) ?? new Set();
    if (ref.startsWith(wipPrefix) && !before.has(id)) rememberSaved(dir, ref.slice(wipPrefix.length), id, memory);
    memory.tips.set(ref, before.add(id));
  }
  return findings;
}

/** Edits that were never offered may stand on a wip ref, on top of the candidate that counts, and only until the next one comes. */
function rememberSaved(dir: string, spec: string, id: string, memory: Memory): void {
  const [top, below] = readObjects(dir, [id, `${id}^1`]);
  const candidate = eventOf(top) === 'wip' ? below : top;
  if (candidate !== undefined && eventOf(candidate) === 'try') memory.saved.set(candidate.id, spec);
}

const eventOf = (object: { content: Buffer } | undefined): string | undefined =>
  /^Org-Event: (.*)$/m.exec(object?.content.toString('utf8') ?? '')?.[1];

/** Takes in what a run said on its standard output; a last line that was cut off is nothing said. */
export function hear(memory: Memory, line: string): string | undefined {
  let fact: { fact?: string; commit?: string; experiment?: { commit?: string } };
  try {
    fact = JSON.parse(line) as typeof fact;
  } catch {
    return undefined;
  }
  if (fact.fact === 'experiment' && fact.experiment?.commit !== undefined)
    memory.said.verdicts.add(fact.experiment.commit);
  if (fact.fact === 'best-moved' && fact.commit !== undefined) memory.said.best.add(fact.commit);
  return fact.fact;
}
