import type PQueue from 'p-queue';
import type { Spec } from '../../domain/words/spec.ts';
import { type Bench, prepareBench } from '../attempt/prepare-bench.ts';
import type { Night } from '../night/night.ts';
import { worksHere } from '../night/night-in-force.ts';
import type { Left } from '../recover/recover.ts';
import { resumeClaim } from '../recover/resume-claim.ts';
import { type NextStep, nextWithoutWork } from '../standing/next-step.ts';
import { nextLeft } from './next-left.ts';
import { takeSpec } from './routing.ts';

type NextSpec =
  | Exclude<NextStep, { kind: 'go' }>
  | { readonly kind: 'work'; readonly spec: Spec; readonly bench?: Bench };

/** Returns a spec that an earlier run left, or a free one; or how long to wait for work, or that this lane ends. */
export async function nextSpec(night: Night, junior: string, left: Left[], desk: PQueue): Promise<NextSpec> {
  if (!worksHere(night.inForce, junior)) return { kind: 'stop' };
  const abandoned = await nextLeft(night, junior, left);
  if (abandoned !== undefined) {
    const bench = await resumeClaim(night, abandoned, junior);
    return { kind: 'work', spec: abandoned.spec, ...(bench === undefined ? {} : { bench }) };
  }
  const taken = await desk.add(() => takeSpec(night, junior));
  if (taken !== undefined && 'claim' in taken)
    return { kind: 'work', spec: taken.claim.spec, bench: await prepareBench(night.run.org, taken, 1) };
  if (taken?.kind === 'wait') return taken;
  if (!worksHere(night.inForce, junior)) return { kind: 'stop' };
  const next = await nextWithoutWork(night, junior);
  return next.kind === 'go' ? { kind: 'wait', ms: 0 } : next;
}
