import PQueue from 'p-queue';
import { singleStage } from '../domain/brief.ts';
import type { Limits } from '../domain/ending.ts';
import type { Fact } from '../domain/fact.ts';
import type { Spec } from '../domain/spec.ts';
import { staffInWords } from '../domain/staff.ts';
import { measureKey, pinBrief } from '../records/brief.ts';
import { readEntry } from '../records/entry.ts';
import { notebooksAbove } from '../records/history.ts';
import { type Org, trunkTip } from '../records/org.ts';
import { changeQueue, type Queue, queueHistory, readQueue } from '../records/queue.ts';
import { type RunLock, takeRunLock } from '../records/run-lock.ts';
import { readStrikes } from '../records/strikes.ts';
import { type Base, takeBase } from './begin.ts';
import { recordCalibration, sayCalibrated } from './calibrate.ts';
import { refuseWrongInBrief } from './check-commands.ts';
import { liveRow } from './claim.ts';
import { makeMemory, type Night, nowInSeconds } from './night.ts';
import { openNightOffice, refuseSilentModels } from './office.ts';
import { type Left, recover } from './recover.ts';
import { checkBranchesTable, checkNames, importSpecs, readTrunkSpecs, type TrunkSpec } from './trunk.ts';

export interface StartOptions {
  readonly seed: string;
  readonly limits: Limits;
  readonly fromTrunk: boolean;
}

export interface Started {
  readonly night: Night;
  readonly left: Left[];
  readonly lock: RunLock;
}

/** Everything before the first attempt. What a person wrote is checked before anything is written. */
export async function startNight(
  org: Org,
  options: StartOptions,
  say: (fact: Fact) => void,
  now: AbortSignal,
): Promise<Started> {
  const trunk = await trunkTip(org);
  const pinned = await pinBrief(org, trunk);
  await checkBranchesTable(org, trunk);
  const specs = await readTrunkSpecs(org, trunk);
  await checkNames(org, trunk, pinned);
  await refuseWrongInBrief(org, (await readEntry(org, trunk))?.commit.tree ?? '', pinned);
  await refuseSilentModels(org, (await readEntry(org, trunk))?.commit.tree ?? '', pinned.brief);
  const lock = takeRunLock(org);
  const startedAt = Date.now();
  try {
    const recovered = await recover(org);
    const { metric } = pinned.brief;
    const onNoise = (measurements: number): void =>
      say({ kind: 'calibrating', at: nowInSeconds(), metric, measurements });
    const base = await takeBase(
      { org, pinned, turn: (work) => work(), onNoise, signal: now },
      trunk,
      options.fromTrunk,
    );
    const { run, from } = await openRun(org, specs, trunk, recovered.experiments, base.best.commit, options.fromTrunk);
    await recordCalibration(org, base.calibration, pinned, base.best);
    const queue = await changeQueueOnce(org);
    const memory = await recall(org, queue);
    const night: Night = {
      org,
      run,
      seed: options.seed,
      limits: options.limits,
      startedOver: options.fromTrunk,
      say,
      now,
      memory,
      pinned,
      startedAt,
      juniors: Array.from({ length: pinned.brief.juniors }, (_, index) => `junior-${index + 1}`),
      strikes: await readStrikes(org, queue),
      halted: new Map(queue.ledger.halted.map((agent) => [agent, 'in an earlier run'])),
      spentUp: new Set(),
      office: openNightOffice(
        org,
        run,
        (await readEntry(org, trunk))?.commit.tree ?? '',
        () => night.pinned.brief,
        say,
      ),
      slots: new PQueue({ concurrency: pinned.brief.slots }),
      gate: new PQueue({ concurrency: 1 }),
      live: new Map(
        recovered.left.map(({ spec, notebook }) => [
          spec.id,
          liveRow(spec, notebook.agent, 'claimed', notebook.line.score),
        ]),
      ),
      trunk: { tree: (await readEntry(org, trunk))?.commit.tree ?? '', looked: trunk },
      needsYou: [
        ...queue.unreadable.map((problem) => ({
          what: `a spec on the queue cannot be read: ${problem.message}`,
          command: problem.hint,
        })),
        ...(base.drifted === undefined ? [] : [{ what: driftWords(base, base.drifted), command: 'orgrepo doctor' }]),
      ],
      offered: await savedTrees(org, recovered.left),
      finished: new Map(),
      underway: new Set(),
      seen: undefined,
      best: base.best,
      base: (await readEntry(org, from))?.commit.tree ?? base.best.tree,
      scales: new Map([[measureKey(pinned), base.calibration.scale]]),
      drifted: base.drifted !== undefined,
      experiments: Math.max(recovered.experiments, queue.ledger.experiments),
      begun: 0,
      sinceKeep: 0,
      tried: 0,
      kept: 0,
      ending: undefined,
      steered: { at: 0, ledger: queue.ledger },
    };
    announce(night, base);
    for (const message of recovered.mended) say({ kind: 'recovered', at: nowInSeconds(), message });
    return { night, left: [...recovered.left], lock };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** What earlier runs had saved and this one has still to judge is as good as offered. */
async function savedTrees(org: Org, left: readonly Left[]): Promise<Map<string, number | undefined>> {
  const trees = new Map<string, number | undefined>();
  for (const { saved } of left) {
    const entry = saved === undefined ? undefined : await readEntry(org, saved.commit);
    if (entry !== undefined) trees.set(entry.commit.tree, saved?.n);
  }
  return trees;
}

function announce(night: Night, base: Base): void {
  const { brief } = night.pinned;
  night.say({
    kind: 'run-start',
    at: nowInSeconds(),
    run: night.run,
    pid: process.pid,
    juniors: brief.juniors,
    slots: brief.slots,
    agent: staffInWords(brief.staff),
    metric: brief.metric,
    stages: singleStage(brief),
    until: night.limits.until === undefined ? undefined : night.limits.until / 1000,
    max: night.limits.max,
    seed: night.seed,
  });
  const { score, commit } = night.best;
  const { again, calibration, drifted } = base;
  const { samples } = calibration;
  if (drifted !== undefined) night.say({ kind: 'warning', at: nowInSeconds(), message: driftWords(base, drifted) });
  if (base.written) night.say({ kind: 'baseline', at: nowInSeconds(), score, commit, samples, again });
  sayCalibrated(night, calibration);
}

const driftWords = ({ best }: Base, recorded: number): string =>
  `best was recorded with ${best.metric} ${recorded} and scores ${best.score} here and now, with the same harness: another machine, or something that the harness depends on. Candidates are compared with ${best.score}`;

/** Opens the run on the queue, or goes on with one that never ended, together with the specs that people have put on the trunk since the last one. */
async function openRun(
  org: Org,
  specs: readonly TrunkSpec[],
  trunk: string,
  experiments: number,
  best: string,
  fromTrunk: boolean,
): Promise<{ run: string; from: string }> {
  const before = await changeQueueOnce(org);
  const brought = await importSpecs(org, before, specs);
  const interrupted = before.ledger.state !== 'ended' && before.ledger.state !== 'never';
  const run = interrupted ? before.ledger.run : nextRun(before.ledger.run);
  const from = interrupted && !fromTrunk ? ((await lastBase(org)) ?? best) : best;
  await changeQueue(org, (now) => ({
    event: 'run',
    title: interrupted ? `run: ${run} goes on` : `run: ${run}`,
    body: brought.added.map((spec) => `${spec.id} ${spec.title}`).join('\n'),
    ...(brought.files === undefined ? {} : { files: brought.files }),
    ledger: {
      specs: Math.max(now.ledger.specs, brought.ledger?.specs ?? 0),
      experiments: Math.max(now.ledger.experiments, experiments),
      ...(interrupted ? {} : { run, runFrom: Math.max(now.ledger.experiments, experiments), halted: [] }),
      state: 'running',
    },
    trailers: { Run: run, Host: org.host, Trunk: trunk, Base: from },
  }));
  return { run, from };
}

/** The best that a run began with which never ended. */
async function lastBase(org: Org): Promise<string | undefined> {
  for await (const entry of queueHistory(org)) if (entry.event === 'run') return entry.get('Base');
  return undefined;
}

/** The queue as it stands; made from the trunk when there is none. */
async function changeQueueOnce(org: Org): Promise<Queue> {
  return (await readQueue(org)) ?? changeQueue(org, () => undefined);
}

/** `2026-11-16`, and `2026-11-16.2` for the second of a day. */
function nextRun(last: string): string {
  const today = new Date().toISOString().slice(0, 10);
  const [day, count] = last.split('.');
  return day === today ? `${today}.${Number(count ?? 1) + 1}` : today;
}

/** What agents that start afresh should know: the last thousand experiments and the specs they belong to. */
async function recall(org: Org, queue: Queue): Promise<Night['memory']> {
  const notebooks = await notebooksAbove(org, queue, Math.max(0, queue.ledger.experiments - 1_000));
  const past: Spec[] = notebooks.map(({ spec, title, by }) => ({ id: spec, title, by, attempts: undefined, body: '' }));
  const open = queue.specs.filter((spec) => !past.some((one) => one.id === spec.id));
  const experiments = notebooks.flatMap((notebook) => notebook.experiments).sort((a, b) => a.n - b.n);
  return makeMemory(experiments, [...past, ...open]);
}
