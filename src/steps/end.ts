import type { Ending } from '../domain/ending.ts';
import type { Gain } from '../domain/interval.ts';
import { changeQueue } from '../records/queue.ts';
import { tipsNow } from '../records/tips.ts';
import { formatGain } from '../text/evidence.ts';
import { liveFile } from './claim.ts';
import type { Night } from './night.ts';

/** Closes the run on the queue, with what it was worth. Specs that are still claimed stay claimed: the next run goes on with them. */
export async function endNight(night: Night, ending: Ending, reason: string, gain: Gain | undefined): Promise<void> {
  await night.office.written();
  const tips = await tipsNow(night.org);
  await changeQueue(night.org, (queue) => ({
    event: 'end',
    title: `end: ${night.run}, ${reason}`,
    files: liveFile(night),
    ledger: { state: 'ended', experiments: Math.max(queue.ledger.experiments, night.experiments) },
    trailers: {
      Run: night.run,
      Host: night.org.host,
      Ending: ending,
      Reason: reason,
      Tips: tips,
      ...(gain === undefined ? {} : { Metric: night.pinned.brief.metric, ...formatGain(gain) }),
    },
  }));
}
