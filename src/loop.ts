import PQueue from 'p-queue';
import type { Claimed } from './records/claims.ts';
import { claimNext, closeFinished, finishClaim, letGo } from './steps/claim.ts';
import { type Recorded, runExperiment, settled } from './steps/experiment.ts';
import { followUp } from './steps/follow-up.ts';
import { isHalted, whyHalted } from './steps/halt.ts';
import { caughtUp, type Night } from './steps/night.ts';
import { type Bench, clearBench, nextBench, prepareBench } from './steps/prepare.ts';
import type { Left } from './steps/recover.ts';
import { refillQueue } from './steps/refill.ts';
import { resumeClaim } from './steps/resume.ts';
import { isOver, mayBegin, mayClaim } from './steps/watch.ts';
import { work } from './steps/work.ts';

/** A night: every junior has a lane, and works spec after spec until the night is over. */
export async function runNight(night: Night, left: Left[]): Promise<void> {
  const lanes = new PQueue();
  const desk = new PQueue({ concurrency: 1 }); // One claim at a time: nobody races a colleague for a spec.
  await lanes.addAll(night.juniors.map((junior) => () => workLane(night, junior, left, desk)));
}

async function workLane(night: Night, junior: string, left: Left[], desk: PQueue): Promise<void> {
  for (;;) {
    const abandoned = (await isHalted(night, junior)) ? undefined : left.shift();
    if (abandoned !== undefined) {
      const bench = await resumeClaim(night, abandoned, junior);
      if (bench !== undefined) await workSpec(night, bench);
      letGo(night, abandoned.spec);
      continue;
    }
    const claimed = await desk.add(() => takeSpec(night, junior));
    if (claimed) {
      await workSpec(night, await prepareBench(night.org, claimed, 1));
      letGo(night, claimed.claim.spec);
    } else if (await isOver(night, junior)) break;
  }
  await closeFinished(night, junior);
  await caughtUp(night);
}

/** The next spec for a junior: the chief is woken when the queue runs low. */
async function takeSpec(night: Night, junior: string): Promise<Claimed | undefined> {
  if (!(await mayClaim(night, junior))) return undefined;
  return claimNext(night, junior, await refillQueue(night));
}

/** One spec: propose, measure, judge, write down; what is kept goes to best, and the next attempt starts from there. */
async function workSpec(night: Night, first: Bench): Promise<void> {
  let bench = first;
  let written: Recorded | undefined;
  const { spec, agent, pinned } = bench.claim;
  const attempts = spec.attempts ?? pinned.brief.budget.attempts;
  let why = `${attempts} attempts`;
  while (bench.attempt <= attempts) {
    if (!(await mayBegin(night, agent))) {
      why = whyHalted(night, agent); // Else cut short: the next run goes on with it.
      break;
    }
    const offer = await work(night, bench);
    if (written !== undefined && !(await settled(written))) return; // The claim is somebody else's by now.
    if (offer.kind === 'nothing') {
      why = offer.reason;
      break;
    }
    const clearing = clearBench(night.org, bench, offer.found);
    written = await runExperiment(night, bench, offer);
    const found = await clearing;
    if (written === undefined) return; // Cancelled: what was saved stays saved.
    const claimed = await followUp(night, bench, written);
    if (claimed === undefined) return;
    bench = await nextBench(night.org, bench, found, claimed);
  }
  if (written !== undefined && !(await settled(written))) return;
  if (why !== '') await finishClaim(night, spec, agent, bench.line, why);
}
