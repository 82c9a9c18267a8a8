import { nowInSeconds } from '../../process/clock.ts';
import { formatDuration } from '../../text/duration.ts';
import type { Bench } from '../attempt/prepare-bench.ts';
import type { Night } from '../night/night.ts';
import { needPerson } from '../night/tell-person.ts';
import { isWorthIt } from '../people/raise-stuck.ts';
import { finishClaim } from './claim.ts';
import { noteOnClaim } from './claim-commits.ts';

/**
 * Where the culture asks for it, the holder of a claim says that it has it, before its first attempt. It is handed the spec
 * with its bench, so that is when it does. Whoever is later than the culture allows gives it back, and its
 * manager hears of it. Undefined when the claim is not its own any more.
 */
export async function acknowledge(night: Night, bench: Bench): Promise<Bench | undefined> {
  const culture = night.inForce.pinned.charter?.charter.culture;
  if (culture === undefined || !culture.ack.value) return bench;
  const { spec, agent } = bench.claim;
  const claimedAt = night.desk.claimedAt.get(spec.id) ?? performance.now(); // One that was left is just taken up.
  night.desk.claimedAt.delete(spec.id);
  const tookMs = performance.now() - claimedAt;
  const seconds = (tookMs / 1000).toFixed(3);
  const { value: withinMs, from } = culture.ackWithinMs;
  if (tookMs > withinMs) {
    const text = `no ack within ${formatDuration(withinMs)} (${from}), its bench took ${seconds} s`;
    const why = `TIMEOUT: ${text}`;
    night.run.say({ kind: 'warning', at: nowInSeconds(), message: `${agent} gives ${spec.id} back: ${why}` });
    const isHeard = await finishClaim(night, spec, {
      agent,
      line: bench.line,
      why,
      stuck: { reason: 'TIMEOUT', text },
    });
    // A notebook that has ended stays ended: the answer to the escalation lets the work go on, or else a person does.
    if (!isHeard && isWorthIt(night.inForce, agent, spec))
      needPerson(night.run, {
        what: `${spec.id} "${spec.title}" was given back: ${why}`,
        command: `npx orgrepo show ${spec.id}, then submit it again`,
      });
    return undefined;
  }
  const why = `${agent} has the spec and its bench`;
  const line = await noteOnClaim(night.run.org, spec, {
    agent,
    line: bench.line,
    event: 'ack',
    why,
    more: { Seconds: seconds },
  });
  return line && { ...bench, line };
}
