import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { makeShownDirectory, packagesAt } from '../../jail/cell.ts';
import { commandLine, quote, type Ran } from '../../process/run-process.ts';
import { isGone, layOut } from '../arena/arena-directory.ts';
import { discardRoom, isWhole, roomEnvironment, runIn, sweep, takeNewRoom } from '../arena/measuring-room.ts';
import { testedFiles } from '../arena/trial-files.ts';
import { takeTurn } from './measure-beside.ts';
import { findOverload, type ReferenceLoad, untilCalm } from './reference-load.ts';
import { levelOf, type MeasureContext } from './trial.ts';

/** What came of a brief's tests on a tree. `void` says nothing about the tree. */
export type TestsOutcome =
  | { readonly kind: 'passed'; readonly seconds: number; readonly output: string }
  | {
      readonly kind: 'failed';
      readonly seconds: number;
      readonly output: string;
      readonly why: string;
      readonly isLate: boolean;
    }
  | { readonly kind: 'void'; readonly reason: string };

/**
 * Runs the tests of a brief on a tree, where stage 1 would run: no network, no home, none of the repository. They get a copy of
 * the tree in memory to write to, which is gone when they end, so nothing that a candidate does there reaches a score.
 */
export async function runTests(context: MeasureContext, tree: string): Promise<TestsOutcome> {
  const { org, pinned, signal } = context;
  const { tests = '' } = pinned.brief;
  const files = [...(await testedFiles(org.repo, tree, pinned))];
  const [monotonic, wall] = [performance.now(), Date.now()];
  for (let tries = 1; ; tries++) {
    const room = takeNewRoom(org.repo, await levelOf(org), pinned.brief.show);
    try {
      await sweep(room);
      makeShownDirectory(room.arena);
      for (let at = 0; at < files.length; at += batch) await layOut(org.repo, room.arena, files.slice(at, at + batch));
      const { file, args } = commandLine(tests);
      const { PATH = '', ORGREPO_OUT: _, ...env } = roomEnvironment(room);
      const ran = await runIn(
        room,
        room.arena,
        {
          file: '/bin/sh',
          args: ['-euc', scriptFor(org.repo.root), 'tests', file, ...args],
          cwd: room.arena,
          env: { ...env, PATH: `${path.join(org.repo.root, 'node_modules/.bin')}:${PATH}`, CI: '1' },
          deadlineMs: pinned.brief.budget.testsMs,
        },
        signal,
      );
      if (signal.aborted) return { kind: 'void', reason: 'cancelled' };
      const lost = (Date.now() - wall - (performance.now() - monotonic)) / 1000;
      if (lost > 2) return { kind: 'void', reason: `the machine slept for ${lost.toFixed(0)} s during the tests` };
      if (ran.code === 0 || isWhole(room)) return outcomeOf(ran);
    } catch (error) {
      if (!isGone(error)) throw error;
    } finally {
      await discardRoom(room);
    }
    // A person may delete .worktrees at any time; the candidate is not to blame.
    if (tries === mostTries) return { kind: 'void', reason: 'the directory of the tests was removed' };
    await wait(100 * tries);
  }
}

const mostTries = 5;

/** So many files are read at a time: a repository may hold more than fits into memory. */
const batch = 200;

/** Packages that are installed at the root are found from the copy too. */
function scriptFor(root: string): string {
  const links = packagesAt(root).map((name) => `[ -e ${name} ] || ln -s ${quote(path.join(root, name))} ${name}`);
  const copy = ['copy=$TMPDIR/orgrepo-tests', 'mkdir "$copy"', 'cp -RP . "$copy"', 'cd "$copy"'];
  return [...copy, ...links, 'exec "$@"'].join('\n');
}

function outcomeOf(ran: Ran): TestsOutcome {
  const [seconds, output] = [ran.ms / 1000, `${ran.stdout.text}\n${ran.stderr.text}`.trim()];
  if (ran.code === 0 && !ran.timedOut) return { kind: 'passed', seconds, output };
  const how = ran.timedOut
    ? `not done after ${seconds.toFixed(1)} s, and killed`
    : (ran.notStarted ?? (ran.code === undefined ? `ended by ${ran.signal}` : `ended with ${ran.code}`));
  const said = ran.timedOut ? '' : complaintOf(ran);
  return { kind: 'failed', seconds, output, isLate: ran.timedOut, why: said === '' ? how : `${how}: ${said}` };
}

/** The line that says what failed, as most runners of tests begin it; else the last one. */
function complaintOf({ stdout, stderr }: Ran): string {
  const lines = [stderr, stdout]
    .flatMap(({ text }) => text.split('\n'))
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^Node\.js v|^npm |^make\b/.test(line));
  const says = /^(?:not ok\b|(?:--- )?FAIL|[✖✗×] |E {2,}|error(?:\[|:)|\w*(?:Error|Exception)\b.*:)/;
  return (lines.find((line) => says.test(line)) ?? lines.at(-1) ?? '').slice(0, 300);
}

const mostLate = 3;

/** The same for a candidate: its tests are not blamed for a busy machine, and no other lane measures alone meanwhile. */
export async function runTestsSteadily(
  context: MeasureContext,
  tree: string,
  load: ReferenceLoad,
): Promise<TestsOutcome> {
  const leave = await takeTurn(context.org);
  try {
    for (let tries = 1; ; tries++) {
      const outcome = await runTests(context, tree);
      const isDoubtful = outcome.kind === 'failed' && outcome.isLate && (await findOverload(load)) !== undefined;
      if (!isDoubtful) return outcome;
      if (tries === mostLate)
        return { kind: 'void', reason: `the machine was overloaded: the tests were ${outcome.why}` };
      await untilCalm(load);
    }
  } finally {
    leave();
  }
}
