import type { Experiment } from '../../domain/words/experiment.ts';
import type { Recorded } from '../../records/notebook/experiment-entry.ts';
import { recordProgress } from '../../records/queue/spec-events.ts';
import type { Bench } from '../attempt/prepare-bench.ts';
import type { Night } from '../night/night.ts';
import { inTheBackground } from '../night/run-constants.ts';
import { noteNews } from '../standing/night-standing.ts';
import { noteProgressDue, noteTold, watchPromises } from './promises.ts';

/**
 * Tells on the queue how a spec gets on, as often as the culture wants, and as the policies promise where that is more. Claims and ends are told there anyway, so that a change of
 * phase is the first keep; who looks on request reads the notebook.
 */
export async function tellProgress(
  night: Pick<Night, 'run' | 'inForce' | 'desk' | 'standing'>,
  { claim: { spec } }: Bench,
  { experiment }: Recorded,
): Promise<void> {
  await watchPromises(night, 'now'); // Before the word that comes late.
  const due = noteProgressDue(night, spec);
  if (!due && !isWanted(night, spec.id, experiment)) return;
  noteTold(night.desk, spec.id);
  inTheBackground(night.run, recordProgress(night.run.org, spec, experiment));
}

function isWanted(night: Pick<Night, 'inForce' | 'standing'>, spec: string, { event }: Experiment): boolean {
  const how = night.inForce.pinned.charter?.charter.culture.progress.value;
  if (how === undefined || how === 'on-request') return false;
  return how !== 'phase-change' || (event === 'keep' && noteNews(night.standing, `kept ${spec}`));
}
