import type { Experiment } from '../../domain/words/experiment.ts';
import { recordProgress } from '../../records/queue/delegations.ts';
import type { Bench } from '../attempt/prepare-bench.ts';
import type { Recorded } from '../attempt/run-experiment.ts';
import { isNews } from '../night/floor.ts';
import { inTheBackground, type Night } from '../night/night.ts';
import { isProgressDue, noteTold, watchPromises } from './promises.ts';

/**
 * Tells on the queue how a spec gets on, as often as the culture wants, and as the policies promise where that is more. Claims and ends are told there anyway, so that a change of
 * phase is the first keep; who looks on request reads the notebook.
 */
export async function tellProgress(night: Night, { claim: { spec } }: Bench, { experiment }: Recorded): Promise<void> {
  await watchPromises(night, 'now'); // Before the word that comes late.
  const due = isProgressDue(night, spec);
  if (!due && !isWanted(night, spec.id, experiment)) return;
  noteTold(night, spec.id);
  inTheBackground(night, recordProgress(night.org, spec, experiment));
}

function isWanted(night: Night, spec: string, { event }: Experiment): boolean {
  const how = night.pinned.charter?.charter.culture.progress.value;
  if (how === undefined || how === 'on-request') return false;
  return how !== 'phase-change' || (event === 'keep' && isNews(night.floor, `kept ${spec}`));
}
