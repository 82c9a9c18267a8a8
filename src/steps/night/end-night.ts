import { type Ending, endingInWords } from '../../domain/rules/stopping-rules.ts';
import { formatGain, type Gain } from '../../domain/words/score.ts';
import { tipsNow } from '../../records/notebook/run-end.ts';
import { changeQueue, type QueueChange } from '../../records/queue/queue.ts';
import { formatRefused, type RefusedSpec } from '../../records/queue/spec-text.ts';
import { formatCapName } from '../../spend/books/spent-so-far.ts';
import { type Stalled, stalledInWords } from '../claim/without-work.ts';
import type { AttemptParts, StandingParts } from './night.ts';

/** Why the night is over, in words; of a cap, which one it was; of a change, what was changed; of what policies refuse, which they are. */
export function whyOver(
  { run: { limits }, standing: { touched, cap, waitingForPerson: waiting }, inForce: { pinned } }: StandingParts,
  ending: Ending,
  stalled: Stalled,
): string {
  const words = endingInWords(ending, pinned.brief, limits);
  const reasons = { touched, capped: cap?.reason, refused: stalledInWords(stalled) };
  const which = ending in reasons ? reasons[ending as keyof typeof reasons] : undefined;
  const whole = which === undefined || which === '' ? words : `${words}: ${which}`;
  const waits = waiting.size === 1 ? '1 change waits for a person' : `${waiting.size} changes wait for a person`;
  return waiting.size === 0 ? whole : `${whole}; ${waits}`;
}

export interface EndOfRun {
  readonly ending: Ending;
  readonly reason: string;
  /** What the run was worth, where that was measured. */
  readonly gain: Gain | undefined;
  /** Specs that policies keep from everybody. */
  readonly refused: readonly RefusedSpec[];
  /** The table of the specs that stay claimed. */
  readonly files: NonNullable<QueueChange['files']>;
}

/** Closes the run on the queue, with what it was worth. Specs that are still claimed stay claimed: the next run goes on with them. */
export async function endNight(night: AttemptParts, { ending, reason, gain, refused, files }: EndOfRun): Promise<void> {
  await night.inForce.office.written();
  await night.inForce.policies.written();
  const tips = await tipsNow(night.run.org);
  await changeQueue(night.run.org, (queue) => ({
    event: 'end',
    title: `end: ${night.run.id}, ${reason}`,
    body: formatRefused(refused),
    files,
    ledger: { state: 'ended', experiments: Math.max(queue.ledger.experiments, night.tally.experiments) },
    trailers: {
      Run: night.run.id,
      Host: night.run.org.host,
      Ending: ending,
      Reason: reason,
      ...(ending === 'capped' && night.standing.cap
        ? { Cap: formatCapName(night.standing.cap.scope, night.standing.cap.what), By: night.standing.cap.agent }
        : {}),
      Tips: tips,
      ...(gain === undefined ? {} : { Metric: night.inForce.pinned.brief.metric, ...formatGain(gain) }),
    },
  }));
}
