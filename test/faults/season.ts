import { setTimeout as wait } from 'node:timers/promises';
import type { Caps } from '../../src/domain/words/spending.ts';
import { openOrg } from '../../src/records/org.ts';
import type { Chance } from '../kill/chance.ts';
import { processesIn } from '../kill/processes.ts';
import { askIt, providers } from '../support/model-question.ts';
import { makeOrg } from '../support/org.ts';
import { startProviderServer } from '../support/provider-server/server.ts';
import { playBatch } from './batch.ts';
import { checkBook, readBook } from './book.ts';

/** One org and its book, and batch after batch of conversations that go wrong on it. */
export interface Season {
  readonly played: number;
  readonly findings: readonly string[];
  /** How often each kind of work came of it. */
  readonly ends: ReadonlyMap<string, number>;
  readonly reservations: number;
  readonly latestMs: number;
  readonly dir: string;
}

export async function playSeason(
  numbers: readonly number[],
  size: number,
  chance: Chance,
  told: (played: number, findings: number) => boolean = () => true,
): Promise<Season> {
  const made = makeOrg();
  await made.orgrepo('run', '--max', '1'); // An org whose queue is missing is not whole.
  await warmUp();
  const before = activeNow();
  const org = await openOrg(made.dir, 'none');
  const caps = new Map<string, Caps>();
  const findings: string[] = [];
  const ends = new Map<string, number>();
  let [played, latestMs] = [0, 0];
  const lines = () => readBook(made.git);
  for (let first = 0; first < numbers.length; first += size) {
    const batch = await playBatch(org, `n${first / size + 1}`, numbers.slice(first, first + size), chance, lines);
    caps.set(batch.night, batch.caps);
    findings.push(...batch.findings);
    for (const { work, ms, script } of batch.played) {
      ends.set(work?.kind ?? 'thrown', (ends.get(work?.kind ?? 'thrown') ?? 0) + 1);
      latestMs = Math.max(latestMs, ms - script.deadlineMs);
    }
    played += batch.played.length;
    if (!told(played, findings.length)) break;
  }
  await org.repo.close();
  const book = lines();
  findings.push(...checkBook(book, (run) => caps.get(run) ?? {}));
  const verified = await made.orgrepo('verify');
  if (verified.code !== 0) findings.push(`verify: ${verified.stdout}${verified.stderr}`);
  findings.push(...(await leftovers(made.dir, before)));
  if (findings.length === 0) made.remove();
  const reservations = book.filter(({ event }) => event === 'reserve').length;
  return { played, findings, ends, reservations, latestMs, dir: made.dir };
}

/** A provider's SDK takes half a second to load, with the first question to it, and nothing else happens meanwhile. */
async function warmUp(): Promise<void> {
  const server = await startProviderServer(() => ({ text: 'here' }));
  for (const provider of providers) await askIt(server, provider);
  await server.close();
}

/** What keeps this process alive, by kind. */
function activeNow(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

async function leftovers(dir: string, before: ReadonlyMap<string, number>): Promise<readonly string[]> {
  const more = (): string[] =>
    [...activeNow()].filter(([name, count]) => count > (before.get(name) ?? 0)).map(([name, n]) => `${n} ${name}`);
  const late = performance.now() + 2_000;
  while ((more().length > 0 || processesIn(dir).length > 0) && performance.now() < late) await wait(50);
  return [
    ...more().map((handle) => `left open: ${handle}`),
    ...processesIn(dir).map(({ pid, command }) => `left running: ${pid} ${command}`),
  ];
}
