import { openBooks } from './books.ts';
import { checkBest } from './check-best.ts';
import { type Circumstances, checkNotebooks } from './check-notebooks.ts';
import { checkQueue } from './check-queue.ts';
import { checkObjects, checkTidy } from './check-repository.ts';
import { checkSeeds } from './check-seeds.ts';
import { firstParents, GitFailed, type History, readHistory, readObjects } from './history.ts';
import { lookAround, type Memory } from './memory.ts';
import { readWitness, type Scene } from './scene.ts';

export interface Checked {
  readonly findings: readonly string[];
  readonly experiments: number;
  readonly keeps: number;
  /** Claims that a later run took up. */
  readonly recoveries: number;
}

/**
 * Reads the whole org with code of its own and says what is lost, doubled, measured by the wrong harness or damaged.
 * `settled` after a run that ended by itself, when nothing may be open any more.
 */
export function checkOrg(scene: Scene, memory: Memory, settled: boolean): Checked {
  const { dir } = scene.org;
  const findings: string[] = [];
  try {
    findings.push(...lookAround(dir, scene.trunk, memory));
    const history = readHistory(dir);
    const books = openBooks(dir, history, memory.trees);
    const around: Circumstances = {
      memory,
      witness: readWitness(scene),
      ...onTrunk(dir, history, scene.trunk),
      settled,
    };
    findings.push(...checkNotebooks(books, around), ...checkBest(books, around), ...checkQueue(dir, books, around));
    findings.push(...checkSeeds(dir, books), ...checkObjects(dir), ...(settled ? checkTidy(scene) : []));
    return {
      findings,
      experiments: books.verdicts.length,
      keeps: books.verdicts.filter(({ commit }) => commit.event === 'keep').length,
      recoveries: [...history.commits.values()].filter(({ event }) => event === 'takeover').length,
    };
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    return { findings: [...findings, `git: ${error.message}`], experiments: 0, keeps: 0, recoveries: 0 };
  }
}

/** Every harness and every brief that people ever had on the trunk. */
function onTrunk(dir: string, history: History, trunk: string): Pick<Circumstances, 'harnesses' | 'briefs'> {
  const trees = firstParents(history, trunk).map((commit) => commit.tree);
  const ids = (part: string): Set<string> =>
    new Set(
      readObjects(
        dir,
        trees.map((tree) => `${tree}:${part}`),
      ).flatMap((object) => object?.id ?? []),
    );
  return { harnesses: ids('harness'), briefs: ids('program.md') };
}
