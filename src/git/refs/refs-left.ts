import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { orElse } from '../../text/problem.ts';

/*
 * Where orgrepo's refs stood when a process of ours last closed in this clone. A ref that is moved back by one commit looks
 * just like a run that was killed before it made that commit; only somebody who was there can tell. The file is worth
 * nothing once it is gone: then nobody can tell.
 */

const fileIn = (gitDir: string): string => path.join(gitDir, 'orgrepo', 'left');

/** The latest ones: what is older is pinned by commits that came after it. */
const mostRefs = 1_000;

/**
 * Adds to the memory where orgrepo's own refs were moved to. They only grow, so the last writer writes nothing false;
 * a branch that was made for a person is theirs, to be moved and deleted as they like.
 */
export function rememberLeft(gitDir: string, all: ReadonlyMap<string, string>): void {
  const moved = new Map([...all].filter(([ref]) => /^refs\/(heads\/)?orgrepo\//.test(ref)));
  if (moved.size === 0) return;
  const before = [...readLeft(gitDir)].filter(([ref]) => !moved.has(ref));
  const there = [...moved].filter(([, id]) => !/^0+$/.test(id)); // Those that orgrepo took away itself are not missed.
  const lines = [...before, ...there].slice(-mostRefs).map(([ref, id]) => `${id} ${ref}\n`);
  const mine = `${fileIn(gitDir)}.${process.pid}`;
  try {
    mkdirSync(path.dirname(mine), { recursive: true });
    writeFileSync(mine, lines.join(''));
    renameSync(mine, fileIn(gitDir));
  } catch {
    // What is worth nothing when it is gone is not worth a failure either.
  }
}

export function readLeft(gitDir: string): ReadonlyMap<string, string> {
  const text = orElse(() => readFileSync(fileIn(gitDir), 'utf8'), ''); // Never written, or gone: nothing is known.
  const lines = text.split('\n').map((line) => /^([0-9a-f]{40,64}) (refs\/\S+)$/.exec(line));
  return new Map(lines.flatMap((match) => (match === null ? [] : [[match[2] ?? '', match[1] ?? ''] as const])));
}
