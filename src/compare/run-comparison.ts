import { createHmac, randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseJson } from '../agents/json-value.ts';
import { readKeysFile } from '../agents/keys-file.ts';
import { isWin } from '../domain/words/experiment.ts';
import { type Ran, removeTree, runCommand, startCompanion } from '../process/run-process.ts';
import { readBest } from '../records/notebook/best-line.ts';
import { allExperiments } from '../records/notebook/history.ts';
import { type Org, openOrg } from '../records/org.ts';
import { queueHistory, readQueue } from '../records/queue/queue.ts';
import { closeOrg } from '../score/arena/measuring-room.ts';
import { measure } from '../score/measure/trial.ts';
import { readSpent } from '../spend/books/spent-so-far.ts';
import { orElse, Problem } from '../text/problem.ts';
import { layGround, refuseIncomparable, type Side, type Variant } from './compare-ground.ts';
import type { PairedStart, StartResult } from './compare-verdict.ts';

/** Two orgs that are ready to work the same specs from the same base. */
export interface Ground {
  readonly a: Side;
  readonly b: Side;
  /** What a person should know of it before they believe it. */
  readonly warnings: readonly string[];
  remove(): Promise<void>;
}

/** Everything that could be refused is refused here, before anybody works. Nothing of the person's repository is written. */
export async function prepareComparison(org: Org, one: Variant, other: Variant, signal: AbortSignal): Promise<Ground> {
  const scratch = openScratch();
  try {
    const a = await layGround(org, 'A', one, scratch.dir, signal);
    const b = await layGround(org, 'B', other, scratch.dir, signal);
    refuseIncomparable(a, b);
    const warnings = [
      ...(a.tree === b.tree ? ['A and B are the same, to the byte'] : []),
      ...(a.included === b.included
        ? []
        : ['what the briefs include is not the same in A and B: scores may depend on it']),
    ];
    return { a, b, warnings, remove: scratch.remove };
  } catch (error) {
    await scratch.remove();
    throw error;
  }
}

export interface CompareOptions {
  readonly runs: number;
  readonly seed: number;
  /** Experiments of each start. */
  readonly max: number;
  /** Our own program, as it was started. */
  readonly program: readonly [string, ...string[]];
}

/**
 * Pair after pair: a night of A and one of B with the same seed, in copies that are gone when they were read. Where the
 * brief has slots for it the two run side by side; else in turn, each as often first as the other.
 */
export async function runPairs(
  org: Org,
  ground: Ground,
  options: CompareOptions,
  say: (pair: PairedStart, n: number) => void,
  signal: AbortSignal,
): Promise<readonly PairedStart[]> {
  const { a, b } = ground;
  // Seeds of measurements follow from this, so that nobody inside can know them, and the same comparison has them again.
  const secret = orElse(() => readFileSync(path.join(org.repo.gitDir, 'orgrepo', 'secret')), randomBytes(32));
  const keys = Object.fromEntries(await readKeysFile(org));
  const together = Math.min(a.pinned.brief.slots, b.pinned.brief.slots) >= 2;
  const pairs: PairedStart[] = [];
  for (let n = 1; n <= options.runs && !signal.aborted; n++) {
    const run = (side: Side) => runStart(org, side, n, { ...options, secret, keys }, signal);
    const inTurn = async (first: Side, second: Side) => [await run(first), await run(second)] as const;
    const [one, other] = together
      ? await Promise.all([run(a), run(b)])
      : n % 2 === 1
        ? await inTurn(a, b)
        : [...(await inTurn(b, a))].reverse();
    if (one === undefined || other === undefined) break; // Broken off.
    const pair = [one, other] as const;
    pairs.push(pair);
    say(pair, n);
  }
  return pairs;
}

/** How many seconds one measurement of the common start takes; undefined where it gives no score. */
export async function timeStart(org: Org, { a }: Ground, signal: AbortSignal): Promise<number | undefined> {
  const place = path.join(path.dirname(path.dirname(a.dir)), 'timed');
  const dir = path.join(place, path.basename(a.dir));
  cpSync(a.dir, dir, { recursive: true });
  const copy = await openOrg(dir, org.jail);
  try {
    const { outcome, seconds } = await measure({ org: copy, pinned: a.pinned, signal }, a.tree, 0);
    return outcome.kind === 'scored' ? seconds : undefined;
  } finally {
    await closeOrg(copy);
    removeTree(place);
  }
}

interface Means extends CompareOptions {
  readonly secret: Buffer;
  readonly keys: Readonly<Record<string, string>>;
}

/** A night like any other, by our own program in a process of its own. Undefined when it was broken off. */
async function runStart(
  org: Org,
  side: Side,
  n: number,
  { seed, max, program, secret, keys }: Means,
  signal: AbortSignal,
): Promise<StartResult | undefined> {
  const place = path.join(path.dirname(path.dirname(side.dir)), `${side.name}-${n}`);
  const dir = path.join(place, path.basename(side.dir));
  cpSync(side.dir, dir, { recursive: true });
  mkdirSync(path.join(dir, '.git', 'orgrepo'), { recursive: true });
  const own = createHmac('sha256', secret).update(`compare ${seed} ${n}`).digest();
  writeFileSync(path.join(dir, '.git', 'orgrepo', 'secret'), own, { mode: 0o600 });
  const temporary = path.join(place, 'tmp'); // What a night that is killed leaves there goes with the rest.
  mkdirSync(temporary);
  const [file, ...first] = program;
  const limits = ['--seed', String(seedOf(seed, n)), '--max', String(max), '--jail', org.jail];
  const night = ['run', '--json', '--no-input', ...limits];
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const env = { ...keys, ...Object.fromEntries(inherited), TMPDIR: temporary };
  const deadlineMs = 2 * side.pinned.brief.budget.nightMs + 600_000; // The night keeps its own; this is for one that hangs.
  const ran = await runCommand({ file, args: [...first, ...night], cwd: dir, env, deadlineMs }, signal);
  try {
    if (signal.aborted) return undefined;
    if (!wasWorked(ran)) throw whyNot(ran, side, n);
    return await readStart(dir, ran);
  } finally {
    removeTree(place);
  }
}

/** After the largest seed that there is comes the first. */
const seedOf = (seed: number, n: number): number => ((seed + n - 2) % 999_999_999) + 1;

/** Done, stopped by a cap, or somebody is needed: all of them are nights. */
const wasWorked = ({ code }: Ran): boolean => code === 0 || code === 2 || code === 3;

function whyNot(ran: Ran, { name, variant }: Side, n: number): Problem {
  const said = errorIn(ran.stdout.text);
  const what = said?.message ?? (ran.stderr.text.trim().slice(-500) || `it ended with ${ran.code ?? ran.signal}`);
  return new Problem(
    said?.code ?? 'experiment/differs',
    `${name} (${variant.typed}), start ${n}: ${what}`,
    said?.hint ?? 'Try a night of it by itself: orgrepo run --max 3',
  );
}

function errorIn(text: string): Pick<Problem, 'code' | 'message' | 'hint'> | undefined {
  const line = parseJson(text.trimEnd().split('\n').at(-1) ?? '');
  return (line as { error?: Problem } | undefined)?.error;
}

/** What a night came to, from its commits. */
async function readStart(dir: string, ran: Ran): Promise<StartResult> {
  const org = await openOrg(dir);
  try {
    const [best, experiments, queue] = await Promise.all([readBest(org), allExperiments(org), readQueue(org)]);
    const specs = new Set<string>();
    let escalations = experiments.filter(({ waits }) => waits === true).length;
    for await (const entry of queueHistory(org)) {
      if (entry.event === 'done') specs.add(entry.get('Spec') ?? '');
      if (entry.event.startsWith('escalat') || entry.event === 'halt') escalations += 1;
    }
    const spent = await readSpent(org, queue?.ledger.run ?? '');
    return {
      score: best?.score ?? Number.NaN,
      tried: experiments.length,
      kept: experiments.filter(isWin).length,
      claimed: new Set([...specs, ...experiments.map(({ spec }) => spec)]).size,
      done: specs.size,
      seconds: ran.ms / 1000,
      escalations,
      spent: spent?.total,
    };
  } finally {
    await closeOrg(org);
  }
}

/**
 * A caretaker waits for the end of a pipe that only we hold: it comes with `remove` as with our death, whatever the cause. It
 * ends what still runs in there, starts by their directory, and then takes everything away.
 */
const caretaker = `
trap '' INT TERM HUP
while read -r _; do :; done
chmod -R u+rwX -- "$1" 2> /dev/null
for round in 1 2 3 4 5 6 7 8 9; do
  for process in /proc/[0-9]*; do
    case "$(readlink "$process/cwd")" in "$1" | "$1"/*) kill -9 "\${process#/proc/}" ;; esac
  done
  rm -rf -- "$1" && exit
  sleep 0.2 # A killed process may have written a last line.
done 2> /dev/null
`;

/** A directory that is gone with the process that made it. */
function openScratch(): { readonly dir: string } & Pick<Ground, 'remove'> {
  const dir = realpathSync(mkdtempSync(path.join(tmpdir(), 'orgrepo-compare-')));
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin' };
  // Apart from our group: an interrupt at the terminal is for us, and not for the process that cleans up after it.
  const companion = startCompanion('/bin/sh', ['-c', caretaker, 'sh', dir], env, { cwd: '/', detached: true });
  return {
    dir,
    remove: async () => {
      companion.stdin.end();
      await companion.ended;
    },
  };
}
