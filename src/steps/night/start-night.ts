import PQueue from 'p-queue';
import type { RunLimits } from '../../domain/rules/ending.ts';
import type { CulturePreset } from '../../domain/staff/charter.ts';
import { agentsWithDuty, choiceOf, modelsOf, staffInWords } from '../../domain/staff/staff.ts';
import { singleStage } from '../../domain/words/brief.ts';
import type { Fact } from '../../domain/words/fact.ts';
import { openCanary } from '../../git/tamper-check.ts';
import { whyUnwritable } from '../../git/writable.ts';
import { applyOrg, readApplied } from '../../org/force/applied.ts';
import { measureKey, pinBrief } from '../../org/force/pin-brief.ts';
import { membersSpawned, withSpawned } from '../../org/force/spawned.ts';
import { decisionRefusalInWords, type Governor, openGovernor, refuseWrongPolicies } from '../../policy/governor.ts';
import { refuseWrongStaff } from '../../preflight/checks/check-staff.ts';
import { checkBranchesTable, checkNames, readTrunkSpecs, renumberedInWords } from '../../preflight/trunk-specs.ts';
import { nowInSeconds } from '../../process/pace.ts';
import { readEntry } from '../../records/entry.ts';
import { readLastReport } from '../../records/notebook/reports.ts';
import { type Org, trunkTip } from '../../records/org.ts';
import { readMarks } from '../../records/queue/strike-book.ts';
import { type RunLock, takeRunLock } from '../../records/run-lock.ts';
import { recordCalibration, sayCalibrated } from '../../score/measure/calibrate.ts';
import { type Base, takeBase } from '../../score/measure/take-base.ts';
import { liveRow } from '../claim/claim.ts';
import { approvalsWith } from '../claim/use-approval.ts';
import { type Left, recover } from '../recover/recover.ts';
import { adoptPolicies } from './adopt-org.ts';
import { isClosing } from './closing.ts';
import { openFloor } from './floor.ts';
import { chartNow, type Night } from './night.ts';
import { openNightOffice } from './night-models.ts';
import { changeQueueOnce, openRun, recall } from './open-run.ts';
import { principalIn } from './principal.ts';
import { needPerson } from './tell-person.ts';

export interface StartOptions {
  readonly seed: string;
  readonly limits: RunLimits;
  readonly fromTrunk: boolean;
  /** Instead of the culture that ORG.md says. */
  readonly culture?: CulturePreset | undefined;
}

export interface StartedNight {
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
): Promise<StartedNight> {
  const unwritable = whyUnwritable(org.repo);
  if (unwritable !== undefined) throw unwritable;
  const trunk = await trunkTip(org);
  const pinned = await withSpawned(org, await pinBrief(org, trunk, { culture: options.culture }));
  await checkBranchesTable(org, trunk);
  const specs = await readTrunkSpecs(org, trunk);
  await checkNames(org, trunk, pinned);
  const tree = (await readEntry(org, trunk))?.commit.tree ?? '';
  await refuseWrongStaff(org, tree, pinned);
  await refuseWrongPolicies(org, tree);
  const lock = takeRunLock(org);
  let governor: Governor | undefined;
  const canary = openCanary(org.repo);
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
    const opened = await openRun(org, specs, trunk, recovered.experiments, base.best.commit, options);
    const { run, from } = opened;
    const applied = ((await applyOrg(org, trunk, `run ${run}`)) ?? (await readApplied(org)))?.commit;
    await recordCalibration(org, base.calibration, pinned, base.best);
    const queue = await changeQueueOnce(org);
    const memory = await recall(org, queue);
    const report = withoutHeldOut(await readLastReport(org));
    const governed = await openGovernor(org, tree, {
      principalOf: (agent) => principalIn(night, agent),
      approvalsOf: approvalsWith(org, say),
      onRefusal: (decision, n) =>
        say({ kind: 'warning', at: nowInSeconds(), message: decisionRefusalInWords(decision, n) }),
      before: () => adoptPolicies(night),
    });
    governor = governed;
    const thinks = agentsWithDuty(pinned.brief, 'chief').some(
      (id) => choiceOf(pinned.brief.staff, id).kind !== 'search',
    );
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
      canary,
      touched: undefined,
      juniors: agentsWithDuty(pinned.brief, 'junior'),
      culture: options.culture,
      applied: {
        ...{ commit: applied, policies: applied, at: 0, turn: Promise.resolve() },
        spawned: (await membersSpawned(org)).length,
      },
      openLanes: () => {},
      leavers: new Map(),
      ...(await readMarks(org, queue)),
      runFrom: queue.ledger.runFrom,
      halted: new Map(queue.ledger.halted.map((agent) => [agent, 'in an earlier run'])),
      spentUp: new Set(),
      desks: new Map(),
      waiting: new Set(recovered.waiting),
      spentSpecs: new Map(),
      cap: undefined,
      office: openNightOffice(
        org,
        { run, startedAt },
        tree,
        () => night.pinned.brief,
        say,
        () => isClosing(night),
        governed,
        () => chartNow(night),
      ),
      governor: governed,
      floor: await openFloor(org, queue, memory, pinned),
      slots: new PQueue({ concurrency: pinned.brief.slots }),
      gate: new PQueue({ concurrency: 1 }),
      live: new Map(
        recovered.left.map(({ spec, notebook }) => [
          spec.id,
          liveRow(spec, notebook.agent, 'claimed', notebook.line.score),
        ]),
      ),
      // A chief with a mind of its own thinks again when a night is over; the search weighs every try anyway.
      result: { report, isNew: report !== '' && thinks },
      trunk: { tree, looked: trunk },
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
      taken: new Set(),
      ending: undefined,
      steered: { at: 0, ledger: queue.ledger },
    };
    announce(night, base);
    if (base.drifted !== undefined)
      needPerson(night, { what: driftWords(base, base.drifted), command: 'npx orgrepo doctor' });
    for (const one of opened.renumbered) say({ kind: 'warning', at: nowInSeconds(), message: renumberedInWords(one) });
    for (const message of recovered.mended) say({ kind: 'recovered', at: nowInSeconds(), message });
    if (recovered.refused !== undefined) say({ kind: 'warning', at: nowInSeconds(), message: recovered.refused });
    return { night, left: [...recovered.left], lock };
  } catch (error) {
    await governor?.close();
    lock.release();
    throw error;
  }
}

/** A chief that knew the score on what is held out could write specs for it. */
const withoutHeldOut = (report: string): string =>
  report
    .split('\n')
    .filter((line) => !/held[ -]out/i.test(line))
    .join('\n');

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
    paid: modelsOf(brief.staff).length > 0 ? true : undefined,
    usd: brief.budget.usd,
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
