import PQueue from 'p-queue';
import type { RunLimits } from '../../domain/rules/stopping-rules.ts';
import type { CulturePreset } from '../../domain/staff/charter.ts';
import { ordersAfter } from '../../domain/staff/presence.ts';
import { agentsWithDuty, modelsOf, postsOf, staffInWords } from '../../domain/staff/staff.ts';
import { singleStage } from '../../domain/words/experiment.ts';
import type { Fact } from '../../domain/words/fact.ts';
import { openTamperCheck } from '../../git/tamper-check.ts';
import { whyUnwritable } from '../../git/worktree.ts';
import { refuseUnsignedOrg } from '../../org/force/endorse-org.ts';
import { applyOrg, membersSpawned, readApplied } from '../../org/force/in-force.ts';
import { decisionRefusalInWords, openPolicyDecider, type PolicyDecider } from '../../policy/policy-decider.ts';
import { refuseWrongStaff } from '../../preflight/checks/check-night.ts';
import { importSpecs, openChecked, renumberedInWords, type TrunkSpec } from '../../preflight/open-checked.ts';
import { nowInSeconds } from '../../process/pace.ts';
import { readEntry } from '../../records/entry.ts';
import type { Org } from '../../records/org.ts';
import { refuseFrozen } from '../../records/queue/freeze-book.ts';
import { changeQueue, type Queue, readLastRun, readQueue } from '../../records/queue/queue.ts';
import { takeRunLock } from '../../records/run-lock.ts';
import { type Base, recordCalibration, sayCalibrated, takeBase } from '../../score/measure/take-base.ts';
import { withTimeLimit } from '../../score/measure/time-limit.ts';
import { openTally } from '../attempt/night-tally.ts';
import { openClaims } from '../claim/night-claims.ts';
import { approvalsWith, needPerson } from '../people/ask-people.ts';
import { recover } from '../recover/recover.ts';
import { openStanding } from '../standing/night-standing.ts';
import { principalIn } from '../standing/refusals.ts';
import { adoptNow, adoptPolicies } from './adopt-org.ts';
import type { InForceAtStart, Night, RunConstants } from './night.ts';
import { chartNow, isClosing, warn } from './night-basics.ts';
import { openNightModels } from './night-models.ts';

export interface StartOptions {
  readonly seed: string;
  readonly limits: RunLimits;
  readonly fromTrunk: boolean;
  /** Instead of the culture that ORG.md says. */
  readonly culture?: CulturePreset | undefined;
}

/** Everything before the first attempt. What a person wrote is checked before anything is written. */
export async function startNight(org: Org, options: StartOptions, say: (fact: Fact) => void, now: AbortSignal) {
  const unwritable = whyUnwritable(org.repo);
  if (unwritable !== undefined) throw unwritable;
  await refuseFrozen(org);
  const { trunk, tree, specs, pinned } = await openChecked(org, options);
  await refuseUnsignedOrg(org, tree);
  await refuseWrongStaff(org, tree, pinned);
  const lock = takeRunLock(org);
  let policies: PolicyDecider | undefined;
  const tamperCheck = openTamperCheck(org.repo);
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
    const opened = await openRun(
      org,
      { specs, trunk, experiments: recovered.experiments, best: base.best.commit },
      options,
    );
    const applied = ((await applyOrg(org, trunk, `run ${opened.run}`)) ?? (await readApplied(org)))?.commit;
    await recordCalibration(org, base.calibration, pinned, base.best);
    const queue = await changeQueueOnce(org);
    const tally = await openTally(org, queue, { pinned, base, recovered });
    const standing = await openStanding(org, queue, {
      pinned,
      experiments: tally.memory.experiments,
      waiting: recovered.waiting,
    });
    const claims = await openClaims(org, queue, recovered.left, pinned.charter !== undefined);
    const run: RunConstants = {
      org,
      say,
      signal: now,
      slots: new PQueue({ concurrency: pinned.brief.slots }),
      bestQueue: new PQueue({ concurrency: 1 }),
      id: opened.run,
      seed: options.seed,
      limits: options.limits,
      startedOver: options.fromTrunk,
      startedAt,
      culture: options.culture,
      tamperCheck,
      runFrom: queue.ledger.runFrom,
      base: (await readEntry(org, opened.from))?.commit.tree ?? base.best.tree,
      drifted: base.drifted !== undefined,
      underway: new Set(),
    };
    policies = await openPolicyDecider(org, tree);
    const spawned = (await membersSpawned(org)).length;
    const chart: InForceAtStart = {
      pinned: withTimeLimit(pinned, base.calibration.scale.usualMs),
      juniors: agentsWithDuty(pinned.brief, 'junior'),
      agents: new Set(postsOf(pinned.brief).map(({ id }) => id)),
      leavers: new Map(),
      busy: () => new Set([...claims.live.values()].map(({ agent }) => agent)),
      applied: { commit: applied, spawned, policies: applied, at: 0, turn: Promise.resolve() },
      trunk: { tree, looked: trunk },
      openLanes: () => {},
    };
    const models = openNightModels(org, {
      run: run.id,
      startedAt,
      tree,
      say,
      policies,
      brief: () => chart.pinned.brief,
      charter: () => chartNow(chart),
      isClosing: () => isClosing({ run, inForce: chart, standing }),
    });
    const night: Night = {
      run,
      inForce: Object.assign(chart, { adopt: () => adoptNow(night), policies, models }),
      claims,
      standing,
      tally,
    };
    policies.use({
      principalOf: (agent) => principalIn(night, agent),
      approvalsOf: approvalsWith(org, say),
      onRefusal: (decision, n) => warn({ say }, decisionRefusalInWords(decision, n)),
      before: () => adoptPolicies(night),
    });
    announce(night, base, queue.specs.length - claims.live.size);
    if (base.drifted !== undefined)
      needPerson(night.run, { what: driftWords(base, base.drifted), command: 'orgrepo doctor' });
    for (const one of opened.renumbered) warn({ say }, renumberedInWords(one));
    for (const message of recovered.repaired) say({ kind: 'recovered', at: nowInSeconds(), message });
    if (recovered.refused !== undefined) warn({ say }, recovered.refused);
    return { night, left: [...recovered.left], lock };
  } catch (error) {
    await policies?.close();
    lock.release();
    throw error;
  }
}

function announce(night: Pick<Night, 'run' | 'inForce' | 'tally'>, base: Base, open: number): void {
  const { brief } = night.inForce.pinned;
  const { score, n, commit } = night.tally.best;
  night.run.say({
    kind: 'run-start',
    at: nowInSeconds(),
    run: night.run.id,
    pid: process.pid,
    juniors: brief.juniors,
    slots: brief.slots,
    agent: staffInWords(brief.staff),
    metric: brief.metric,
    stages: singleStage(brief),
    until: night.run.limits.until === undefined ? undefined : night.run.limits.until / 1000,
    max: night.run.limits.max,
    seed: night.run.seed,
    best: base.written ? undefined : { score, n },
    open,
    paid: modelsOf(brief.staff).length > 0 ? true : undefined,
    usd: brief.budget.usd,
  });
  const { again, calibration, drifted } = base;
  const { samples } = calibration;
  if (drifted !== undefined) warn(night.run, driftWords(base, drifted));
  if (base.written) night.run.say({ kind: 'baseline', at: nowInSeconds(), score, commit, samples, again });
  sayCalibrated({ say: night.run.say, pinned: night.inForce.pinned }, calibration);
}

const driftWords = ({ best }: Base, recorded: number): string =>
  `best was recorded with ${best.metric} ${recorded} and scores ${best.score} here and now, with the same harness: another machine, or something that the harness depends on. Candidates are compared with ${best.score}`;

interface OpenRunOptions {
  readonly specs: readonly TrunkSpec[];
  readonly trunk: string;
  readonly experiments: number;
  readonly best: string;
}

/** Opens the run on the queue, or goes on with one that never ended, together with the specs that people have put on the trunk since the last one. */
async function openRun(
  org: Org,
  { specs, trunk, experiments, best }: OpenRunOptions,
  { fromTrunk, culture }: { readonly fromTrunk: boolean; readonly culture?: string | undefined },
) {
  const before = await changeQueueOnce(org);
  const brought = await importSpecs(org, before, specs);
  const interrupted = before.ledger.state !== 'ended' && before.ledger.state !== 'never';
  const run = interrupted ? before.ledger.run : nextRun(before.ledger.run);
  const from = interrupted && !fromTrunk ? ((await readLastRun(org))?.get('Base') ?? best) : best;
  await changeQueue(org, (now) => ({
    event: 'run',
    title: interrupted ? `run: ${run} goes on` : `run: ${run}`,
    body: brought.added.map((spec) => `${spec.id} ${spec.title}`).join('\n'),
    ...(brought.files === undefined ? {} : { files: brought.files }),
    ledger: {
      specs: Math.max(now.ledger.specs, brought.ledger?.specs ?? 0),
      experiments: Math.max(now.ledger.experiments, experiments),
      ...(interrupted ? {} : { run, runFrom: Math.max(now.ledger.experiments, experiments), halted: [], needs: 0 }),
      ...(interrupted ? {} : { orders: ordersAfter(now.ledger.orders, { kind: 'run' }) }),
      state: 'running',
    },
    trailers: { Run: run, Host: org.host, Trunk: trunk, Base: from, Culture: culture },
  }));
  return { run, from, renumbered: brought.renumbered };
}

/** The queue as it stands; made from the trunk when there is none. */
async function changeQueueOnce(org: Org): Promise<Queue> {
  return (await readQueue(org)) ?? changeQueue(org, () => undefined);
}

/** `2026-11-16`, and `2026-11-16.2` for the second of a day. No name comes back, also when a clock was set back. */
function nextRun(last: string): string {
  const today = new Date().toISOString().slice(0, 10);
  const [day = '', count] = last.split('.');
  return day >= today ? `${day}.${Number(count ?? 1) + 1}` : today;
}
