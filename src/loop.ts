import PQueue from 'p-queue';
import { advise } from './steps/attempt/advise.ts';
import { work } from './steps/attempt/ask-agent.ts';
import { followUp } from './steps/attempt/follow-up.ts';
import { type Bench, clearBench, nextBench, prepareBench } from './steps/attempt/prepare-bench.ts';
import { type Recorded, runExperiment, settled } from './steps/attempt/run-experiment.ts';
import { closeFinished, letGo } from './steps/claim/claim.ts';
import { leaveSpec } from './steps/claim/leave-spec.ts';
import { nextLeft } from './steps/claim/next-left.ts';
import { takeSpec } from './steps/claim/routing.ts';
import { tellProgress } from './steps/claim/tell-progress.ts';
import { workLanes } from './steps/night/lanes.ts';
import type { Night } from './steps/night/night.ts';
import { worksHere } from './steps/night/night-in-force.ts';
import { caughtUp } from './steps/night/run-constants.ts';
import { hearOffers, openPeoplesDesk, workForPeople } from './steps/people/peoples-desk.ts';
import type { Left } from './steps/recover/recover.ts';
import { resumeClaim } from './steps/recover/resume-claim.ts';
import { whyEnough } from './steps/standing/attempt-breaker.ts';
import { isOver, whyNotNow } from './steps/standing/watch.ts';

/** A night: every junior of the org has a lane, and works spec after spec until the night is over; so has what people offer. */
export async function runNight(night: Night, left: Left[]): Promise<void> {
  const desk = new PQueue({ concurrency: 1 }); // One claim at a time: nobody races a colleague for a spec.
  const people = await openPeoplesDesk(night, left);
  await hearOffers(people);
  const forPeople = () => workForPeople(people, (work) => desk.add(work));
  await workLanes(night, forPeople, (junior) => workLane(night, junior, left, desk));
}

async function workLane(night: Night, junior: string, left: Left[], desk: PQueue): Promise<void> {
  while (worksHere(night.inForce, junior)) {
    const abandoned = await nextLeft(night, junior, left);
    if (abandoned !== undefined) {
      const bench = await resumeClaim(night, abandoned, junior);
      if (bench !== undefined) await workSpec(night, bench);
      letGo(night, abandoned.spec);
      continue;
    }
    const claimed = await desk.add(() => takeSpec(night, junior));
    if (claimed) {
      await workSpec(night, await prepareBench(night.run.org, claimed, 1));
      letGo(night, claimed.claim.spec);
    } else if (worksHere(night.inForce, junior) && (await isOver(night, junior))) break;
  }
  await closeFinished(night, junior);
  await caughtUp(night.run);
}

/** One spec: propose, measure, judge, write down; what is kept goes to best, and the next attempt starts from there. */
async function workSpec(night: Night, first: Bench): Promise<void> {
  let bench = await advise(night, first);
  if (bench === undefined) return;
  let written: Recorded | undefined;
  const { spec, agent } = bench.claim;
  let why = whyEnough(night, bench);
  while (why === undefined) {
    why = await whyNotNow(night, agent, spec); // Empty when the night cuts it short: the next run goes on with it.
    if (why !== undefined) break;
    const offer = await work(night, bench);
    if (written !== undefined && !(await settled(written))) return; // The claim is somebody else's by now.
    if (offer.kind === 'nothing') {
      why = offer.reason;
      break;
    }
    const clearing = clearBench(night.run.org, bench, offer.found);
    written = await runExperiment(night, bench, offer);
    const found = await clearing;
    if (written === undefined) return; // Cancelled: what was saved stays saved.
    await tellProgress(night, bench, written);
    const claimed = await followUp(night, bench, written);
    if (claimed === undefined) return;
    bench = await nextBench(night.run.org, bench, found, claimed);
    why = whyEnough(night, bench);
  }
  if (written !== undefined && !(await settled(written))) return;
  await leaveSpec(night, bench, why);
}
