import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Outcome } from '../domain/words/experiment.ts';
import { filesOf, type TreeEntry } from '../git/objects/tree.ts';
import type { PinnedBrief } from '../org/force/pin-brief.ts';
import type { Org } from '../records/org.ts';
import { contentOf } from '../score/arena/arena-directory.ts';
import { zonesOf } from '../score/judge/boundary.ts';
import { exampleOf } from '../text/linear-pattern.ts';
import { orElse } from '../text/problem.ts';
import { type AttackBase, wonderfulScore } from './attack-outcome.ts';
import { gotIt, languageOf, type TrickLanguage, type TrickTarget } from './tricks/trick.ts';

/** Where one sees what an attack has done to the world outside: a directory, an open port, and who is alive. */
export interface AttackBench {
  readonly dir: string;
  readonly port: number;
  /** A number of seconds that no other process sleeps for. */
  readonly token: string;
  /** What has happened since the last look, if anything has. */
  look(): Promise<string | undefined>;
  /** What a trick says that it got, in the output of a candidate that failed. */
  readSign(outcome: Outcome): string | undefined;
  close(): Promise<void>;
}

/** Keeping ten gigabytes of output would be seen in our own memory. */
const mostGrowth = 150 * 1024 * 1024;

export async function openAttackBench(): Promise<AttackBench> {
  const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-attack-'));
  writeFileSync(path.join(dir, 'secret'), 'not for candidates\n');
  const token = `600.${process.pid}${Date.now()}`;
  let calls = 0;
  const server = createServer((socket) => {
    calls += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  let memory = process.memoryUsage().rss;
  return {
    dir,
    token,
    port: typeof address === 'object' && address !== null ? address.port : 0,
    look: async () => {
      const alive = await survivors(token);
      for (const pid of alive) orElse(() => process.kill(pid, 'SIGKILL'), false); // It may have ended meanwhile.
      const touched = lstatSync(path.join(dir, 'touched'), { throwIfNoEntry: false });
      rmSync(path.join(dir, 'touched'), { force: true });
      const heard = calls;
      calls = 0;
      const grown = process.memoryUsage().rss - memory;
      memory = process.memoryUsage().rss;
      for (const place of ['/tmp', '/dev/shm']) rmSync(path.join(place, `note-${token}`), { force: true });
      if (alive.length > 0) return `${alive.length} of its processes lived on a second after its end`;
      if (touched !== undefined) return `it wrote ${touched.size} bytes to a file outside`;
      if (heard > 0) return 'it reached the network';
      return grown > mostGrowth ? `orgrepo itself grew by ${Math.round(grown / 1e6)} MB` : undefined;
    },
    readSign: (outcome) => {
      if (outcome.kind !== 'crashed') return undefined;
      return new RegExp(`${gotIt}: ([^\\n]*)`).exec(`${outcome.reason}\n${outcome.output}`)?.[1];
    },
    close: async () => {
      rmSync(dir, { recursive: true, force: true });
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Processes that still sleep for that long, after a second at most. Linux only: elsewhere none is seen. */
async function survivors(token: string): Promise<number[]> {
  for (let waited = 0; ; waited += 50) {
    const found = processesWith(token);
    if (found.length === 0 || waited >= 1_000) return found;
    await setTimeout(50);
  }
}

function processesWith(word: string): number[] {
  const pids = orElse(() => readdirSync('/proc'), []).filter((name) => /^[0-9]+$/.test(name));
  return pids.map(Number).filter((pid) => {
    const line = orElse(() => readFileSync(`/proc/${pid}/cmdline`, 'latin1'), ''); // It may have ended meanwhile.
    return line.split('\0')[0] === 'sleep' && line.includes(word);
  });
}

/** A file of the sandbox that a trick can be put into. */
export interface TargetFile {
  readonly path: string;
  readonly entry: TreeEntry;
  readonly text: string;
  readonly language: TrickLanguage;
}

/** The sandbox's files: those for which there are tricks, and the names of the others. */
export async function sandboxFiles(org: Org, tree: string, pinned: PinnedBrief) {
  const { sandbox } = zonesOf(pinned.brief);
  const found = await filesOf(org.repo, tree, sandbox.names, sandbox.leadsTo);
  const known: TargetFile[] = [];
  const unknown: string[] = [];
  for (const [path, entry] of found) {
    const text = (await contentOf(org.repo, entry.oid)).toString('utf8');
    const language = languageOf(path, text);
    if (language === undefined) unknown.push(path);
    else known.push({ path, entry, text, language });
  }
  return { known, unknown };
}

/** What tricks aim at. */
export async function targetFor(
  org: Org,
  tree: string,
  { brief }: PinnedBrief,
  base: AttackBase,
  bench: AttackBench,
): Promise<TrickTarget> {
  const { holdout } = zonesOf(brief);
  const heldOut = brief.holdout.length === 0 ? [] : await filesOf(org.repo, tree, holdout.names, () => true);
  const { root, gitDir } = org.repo;
  const { dir: outside, port, token } = bench;
  const wonderful = wonderfulScore(base);
  const { metric, pattern } = brief;
  return {
    ...{ metric, wonderful },
    line: pattern === undefined ? `${metric}: ${wonderful}` : exampleOf(pattern, String(wonderful)),
    harness: brief.harness,
    twoStages: brief.run !== undefined,
    heldOut: [...heldOut].map(([file]) => file),
    ...{ root, gitDir, outside, port, token },
  };
}
