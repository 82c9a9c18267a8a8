import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Books } from './books.ts';
import { name } from './check-notebooks.ts';
import type { Commit } from './history.ts';

/** A crash gives no new draw: every seed that was ever used follows from the one secret, the tree, the harness and the pair. */
export function* checkSeeds(dir: string, books: Books): Generator<string> {
  const secret = readSecret(dir);
  for (const { commit, tried } of books.verdicts) yield* redrawn(secret, commit, tried?.tree ?? '', (at) => at);
  for (const commit of books.best)
    if (commit.event === 'baseline') yield* redrawn(secret, commit, commit.tree, (at) => at >> 1);
}

function* redrawn(
  secret: Buffer | undefined,
  commit: Commit,
  tree: string,
  pairOf: (at: number) => number,
): Generator<string> {
  const seeds = (commit.trailers.get('Org-Seeds') ?? '').split(',').filter((seed) => seed !== '');
  const measured = (commit.trailers.get('Org-Samples') ?? '').split(',').filter((score) => score !== '');
  if (seeds.length !== measured.length)
    yield `seeds: ${name(commit)} has ${seeds.length} for ${measured.length} scores`;
  const harness = commit.trailers.get('Org-Harness') ?? '';
  const expected = seeds.map((_, at) =>
    secret === undefined ? '' : seedOf(secret, `${tree}:${harness}:${pairOf(at)}`),
  );
  if (seeds.join() !== expected.join()) yield `seeds: ${name(commit)} was measured with ${seeds}, not ${expected}`;
}

const seedOf = (secret: Buffer, of: string): string =>
  String(createHmac('sha256', secret).update(of).digest().readUInt32BE(0) >>> 1);

function readSecret(dir: string): Buffer | undefined {
  try {
    return readFileSync(path.join(dir, '.git/orgrepo/secret'));
  } catch {
    return undefined;
  }
}
