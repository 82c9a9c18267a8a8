import { type Ending, endingInWords } from '../../domain/rules/ending.ts';
import type { Gain } from '../../domain/words/score.ts';
import { formatGain } from '../../records/notebook/evidence.ts';
import { tipsNow } from '../../records/notebook/tips.ts';
import { changeQueue } from '../../records/queue/queue.ts';
import { formatRefused, type RefusedSpec } from '../../records/queue/refused-specs.ts';
import { formatCapName } from '../../spend/books/cap-reached.ts';
import { liveFile } from '../claim/claim.ts';
import { type Stalled, stalledInWords } from '../standing/stalled.ts';
import type { Night } from './night.ts';

/** Why the night is over, in words; of a cap, which one it was; of a change, what was changed; of what policies refuse, which they are. */
export function whyOver({ cap, touched, pinned, limits, waiting }: Night, ending: Ending, stalled: Stalled): string {
  const words = endingInWords(ending, pinned.brief, limits);
  const reasons = { touched, capped: cap?.reason, refused: stalledInWords(stalled) };
  const which = ending in reasons ? reasons[ending as keyof typeof reasons] : undefined;
  const whole = which === undefined || which === '' ? words : `${words}: ${which}`;
  const waits = waiting.size === 1 ? '1 change waits for a person' : `${waiting.size} changes wait for a person`;
  return waiting.size === 0 ? whole : `${whole}; ${waits}`;
}

/** Closes the run on the queue, with what it was worth. Specs that are still claimed stay claimed: the next run goes on with them. */
export async function endNight(
  night: Night,
  ending: Ending,
  reason: string,
  gain: Gain | undefined,
  refused: readonly RefusedSpec[],
): Promise<void> {
  await night.office.written();
  await night.governor.written();
  const tips = await tipsNow(night.org);
  await changeQueue(night.org, (queue) => ({
    event: 'end',
    title: `end: ${night.run}, ${reason}`,
    body: formatRefused(refused),
    files: liveFile(night),
    ledger: { state: 'ended', experiments: Math.max(queue.ledger.experiments, night.experiments) },
    trailers: {
      Run: night.run,
      Host: night.org.host,
      Ending: ending,
      Reason: reason,
      ...(ending === 'capped' && night.cap
        ? { Cap: formatCapName(night.cap.scope, night.cap.what), By: night.cap.agent }
        : {}),
      Tips: tips,
      ...(gain === undefined ? {} : { Metric: night.pinned.brief.metric, ...formatGain(gain) }),
    },
  }));
}
