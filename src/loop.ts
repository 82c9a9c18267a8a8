import { setTimeout as pause } from 'node:timers/promises';
import PQueue from 'p-queue';
import type { Recorded } from './records/notebook/experiment-entry.ts';
import { advise } from './steps/attempt/advise.ts';
import { work } from './steps/attempt/ask-agent.ts';
import { type Bench, clearBench, nextBench } from './steps/attempt/bench.ts';
import { followUp } from './steps/attempt/follow-up.ts';
import { runExperiment, settled } from './steps/attempt/run-experiment.ts';
import { closeFinished, finishClaim, letGo } from './steps/claim/claim.ts';
import { nextSpec } from './steps/claim/next-spec.ts';
import { tellProgress } from './steps/claim/promises.ts';
import { workLanes } from './steps/night/lanes.ts';
import type { Night } from './steps/night/night.ts';
import { caughtUp } from './steps/night/night-basics.ts';
import { openPeopleLane, workForPeople } from './steps/people/people-lane.ts';
import type { Left } from './steps/recover/recover.ts';
import { beginNext } from './steps/standing/next-step.ts';
import { endRun, handBack } from './steps/standing/night-standing.ts';

/** A night: each junior works spec after spec in a lane of its own until the night is over. A lane more is for people's offers. */
export async function runNight(night: Night, left: Left[]): Promise<void> {
  const claiming = new PQueue({ concurrency: 1 }); // One claim at a time, so that no two lanes race for a spec.
  const people = await openPeopleLane(night, left);
  const forPeople = () => workForPeople(people, (work) => claiming.add(work));
  await workLanes(night, forPeople, (junior) => workLane(night, junior, left, claiming));
}

/** One lane: spec after spec, until there is nothing more for this agent to do. */
async function workLane(night: Night, junior: string, left: Left[], claiming: PQueue): Promise<void> {
  for (;;) {
    const next = await nextSpec(night, junior, left, claiming);
    if (next.kind === 'wait') await pause(next.ms);
    else if (next.kind === 'stop') {
      endRun(night.standing, next.ending);
      break;
    } else {
      if (next.bench !== undefined) await workSpec(night, next.bench);
      letGo(night, next.spec);
    }
  }
  await closeFinished(night, junior);
  await caughtUp(night.run);
}

/** One spec: propose, measure, judge, write down; what is kept goes to best, and the next attempt starts from there. */
async function workSpec(night: Night, first: Bench): Promise<void> {
  let bench = await advise(night, first);
  if (bench === undefined) return;
  let written: Recorded | undefined;
  let why = await beginNext(night, bench);
  while (why === undefined) {
    const offer = await work(night, bench);
    if (written !== undefined && !(await settled(written))) return; // Another run has taken the claim over.
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
    why = await beginNext(night, bench);
  }
  if (written !== undefined && !(await settled(written))) return;
  if (why !== '') await finishClaim(night, bench, why);
  else handBack(night.standing, bench.claim.spec); // Another agent or the next run goes on with it.
}
