import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { lineInCell } from '../agents/programs/confinement.ts';
import { measureKey, type Outcome } from '../domain/words/experiment.ts';
import { meanOf, middleNumbers, type Numbers, parseList, parseNoise } from '../domain/words/score.ts';
import { filesOf } from '../git/objects/tree.ts';
import { placesOfRepo } from '../git/repo.ts';
import { homeWith, machineFor, openToCells, packagesOf, shownPaths } from '../jail/cell.ts';
import { commandLine, endProcessesIn, removeTree, runCommand, startOf } from '../process/run-process.ts';
import { readEntry } from '../records/entry.ts';
import type { BestEntry } from '../records/notebook/best-line.ts';
import type { Org } from '../records/org.ts';
import { layOut } from '../score/arena/arena-directory.ts';
import { roomsDir } from '../score/arena/measuring-room.ts';
import { judgeFailure, type Scored } from '../score/judge/verdict.ts';
import { oldKey } from '../score/measure/base-tree.ts';
import { noiseWithin } from '../score/measure/measure-again.ts';
import { runTests } from '../score/measure/run-tests.ts';
import { levelOf, type MeasureContext, measure } from '../score/measure/trial.ts';
import { hideSecrets } from '../secrets/known-secrets.ts';
import { Problem } from '../text/problem.ts';
import { judgeLanded, type LandRules } from './land-rules.ts';
import type { Landing } from './plan-land.ts';

/** What a landing is worth, measured after squashing. */
export interface LandScore {
  readonly score: number;
  /** The trunk's own, where it gets one. */
  readonly before: number | undefined;
  /** What best was kept with, where it can be compared. */
  readonly recorded: number | undefined;
  readonly samples: readonly number[];
  readonly seeds: readonly number[];
  readonly numbers: Numbers;
  readonly jail: string;
  readonly doubts: readonly string[];
}

/** As many as a verdict rests on, and no more than a person waits for. */
const mostSeeds = 8;

/**
 * Measures the landed tree and the trunk with the seeds that best was kept with, in turn. What is worse than the trunk is
 * refused: a change that was good on best need not be good on what people have made of the trunk since.
 */
export async function scoreLanding(org: Org, landing: Landing, signal: AbortSignal): Promise<LandScore> {
  const { pinned, best, trunk, tree } = landing;
  const { seeds, recorded, noise } = await evidenceOf(org, best);
  const context = { org, pinned, signal };
  const samples: Scored[] = [];
  const rivals: number[] = [];
  for (const seed of seeds) {
    samples.push(scored(await measure(context, tree, seed)));
    if (noise === undefined && rivals.length > 0) continue; // It would say the same again.
    const { outcome } = await measure(context, trunk.tree, seed);
    if (outcome.kind === 'scored') rivals.push(outcome.score);
  }
  // Whether each seed gave the trunk a score too: two means over different seeds cannot be compared.
  const complete = rivals.length === (noise === undefined ? 1 : seeds.length);
  const same = landing.whole && (await oldKey(org, best)) === measureKey(pinned);
  const landed = samples.map(({ score }) => score);
  const numbers = middleNumbers(samples.map((one) => one.numbers));
  const judged = judgeLanded({
    ...{ direction: pinned.brief.direction, guards: pinned.brief.guards, numbers, baseline: best.baseline.numbers },
    ...{ landed, trunk: complete ? rivals : [] },
    recorded: same ? { score: recorded, within: noiseWithin(noise, landed) } : undefined,
  });
  if ('refused' in judged) throw worse(judged.refused);
  await refuseUntested(context, tree);
  return {
    ...{ samples: landed, seeds, numbers, doubts: judged.doubts },
    score: meanOf(landed),
    before: complete ? meanOf(rivals) : undefined,
    recorded: same ? recorded : undefined,
    jail: await levelOf(org),
  };
}

/** The seeds that best was measured with, each once, and what it scored with these. */
async function evidenceOf(org: Org, best: BestEntry) {
  const entry = await readEntry(org, best.commit);
  const samples = parseList(entry?.get('Samples'));
  const all = parseList(entry?.get('Seeds')).map((seed, at) => [seed, samples[at] ?? best.score] as const);
  const known = [...new Map([...all].reverse())].reverse().slice(0, mostSeeds);
  const noise = parseNoise(entry?.get('Noise'));
  if (known.length === 0) return { seeds: [0], recorded: best.score, noise };
  return { seeds: known.map(([seed]) => seed), recorded: meanOf(known.map(([, score]) => score)), noise };
}

function scored({ outcome }: { readonly outcome: Outcome }): Scored {
  if (outcome.kind === 'scored') return outcome;
  throw worse(`it gets no score once it is squashed, ${judgeFailure(outcome).reason}`);
}

/** The landed tree must pass the same tests as each win: on the trunk they may come out otherwise. */
async function refuseUntested(context: MeasureContext, tree: string): Promise<void> {
  const { tests } = context.pinned.brief;
  const outcome = tests === undefined ? undefined : await runTests(context, tree);
  if (outcome === undefined || outcome.kind === 'passed') return;
  throw new Problem(
    'experiment/gate',
    `nothing is landed: the tests (${tests}) do not pass on what would be landed, ${outcome.kind === 'failed' ? outcome.why : outcome.reason}`,
    'Put right what they name on your branch, or land fewer experiments, by their numbers.',
  );
}

const worse = (why: string): Problem =>
  new Problem(
    'experiment/worse',
    `nothing is landed: ${why}`,
    'Bring both together and measure again: orgrepo run. Or land fewer experiments, by their numbers.',
  );

type LandGate = LandRules['gates'][number];

const deadlineMs = 600_000;

/** How much of its end a person is shown of a gate that did not pass. */
const mostShown = 4_000;

/**
 * Runs what must pass before a change is landed, on the landed tree: all of it, in a directory of its own that is gone
 * afterwards. What agents wrote runs there too, so it runs in the jail of every candidate. The first that fails is a Problem.
 */
export async function passGates(
  org: Org,
  landing: Landing,
  gates: LandRules['gates'],
  onGate: (gate: LandGate) => void,
  signal: AbortSignal,
): Promise<void> {
  if (gates.length === 0) return;
  // By the name of its process, so that a run sweeps away what a killed one has left.
  const dir = path.join(org.repo.root, roomsDir, `${process.pid}-${startOf(process.pid)}-land`);
  try {
    await checkOut(org, landing.tree, dir);
    for (const gate of gates) {
      onGate(gate);
      const ran = await runGate(org, landing, dir, gate.command, signal);
      if (ran.code !== 0) throw notPassed(gate, ran);
    }
  } finally {
    removeTree(dir);
  }
}

async function checkOut({ repo }: Org, tree: string, dir: string): Promise<void> {
  removeTree(dir);
  mkdirSync(dir, { recursive: true });
  const all = (): boolean => true;
  const files = [...(await filesOf(repo, tree, all, all))];
  await layOut(
    repo,
    dir,
    files.filter(([, { mode, rawName }]) => mode !== '160000' && rawName === undefined),
  );
  const installed = path.join(repo.root, 'node_modules');
  const link = path.join(dir, 'node_modules');
  if (existsSync(installed) && !existsSync(link)) symlinkSync(installed, link);
}

async function runGate(org: Org, { pinned }: Landing, dir: string, line: string, signal: AbortSignal) {
  const level = await levelOf(org);
  const { root } = org.repo;
  const places = shownPaths(pinned.brief.show);
  const command = {
    ...commandLine(line),
    cwd: dir,
    env: {
      PATH: `${path.join(dir, 'node_modules', '.bin')}:${process.env.PATH ?? '/usr/bin:/bin'}`,
      HOME: level === 'none' ? (process.env.HOME ?? dir) : homeWith(places),
      LANG: 'C.UTF-8',
      TMPDIR: level === 'none' ? (process.env.TMPDIR ?? '/tmp') : '/tmp',
      CI: '1',
      ...packagesOf(root),
    },
    deadlineMs,
  };
  if (level === 'none') {
    const ran = await runCommand(command, signal);
    endProcessesIn(dir);
    return ran;
  }
  openToCells(dir);
  const cell = { shown: [...machineFor(root), ...places], hidden: placesOfRepo(org.repo), open: [dir], network: false };
  const [file, ...args] = lineInCell(level, cell, dir, [command.file, ...command.args]);
  return runCommand({ ...command, file, args }, signal);
}

function notPassed({ words, command }: LandGate, ran: Awaited<ReturnType<typeof runGate>>): Problem {
  const how = ran.timedOut
    ? `not done after ${(ran.ms / 1000).toFixed(0)} s, and killed`
    : ran.notStarted !== undefined
      ? `it could not be started: ${ran.notStarted}`
      : `it ended with ${ran.code ?? ran.signal}`;
  const said = hideSecrets(`${ran.stdout.text}\n${ran.stderr.text}`).trim(); // Before anything is cut from it.
  const shown = said.length > mostShown ? `[…]\n${said.slice(-mostShown)}` : said;
  return new Problem(
    'experiment/gate',
    `nothing is landed: ${words} (${command}) does not pass on what would be landed, ${how}${shown === '' ? '' : `\n${shown}`}`,
    'Put right what it names on your branch, or land fewer experiments, by their numbers. It ran without network and without .git.',
  );
}
