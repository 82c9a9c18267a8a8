import type { Brief } from '../../domain/words/brief.ts';
import { type PinnedBrief, problemInBrief } from '../../org/force/pin-brief.ts';
import type { Org } from '../../records/org.ts';
import { zonesOf } from '../../score/arena/zone-files.ts';
import type { Problem } from '../../text/problem.ts';
import { scriptOf } from './command-script.ts';

/** Two stages that hold nothing out: the judge and its answers lie beside the code that is judged. */
export async function openHarness(org: Org, pinned: PinnedBrief): Promise<Problem[]> {
  const { run, holdout, harness } = pinned.brief;
  if (run === undefined || holdout.length > 0) return [];
  const what = `there is no holdout: in stage 1 a candidate can read all of ${harness}, the judge and the answers too`;
  const hint = `Write holdout: [${judgeOf(pinned.brief)}] into the front matter, and whatever else only score reads.`;
  return [await problemInBrief(org, pinned, 'brief/paths', ['run'], what, hint)];
}

/** What only the second stage starts, where that can be told. */
function judgeOf(brief: Brief): string {
  const script = scriptOf(brief.score)?.path;
  const isOwn = script !== undefined && script !== scriptOf(brief.run ?? '')?.path;
  return isOwn && zonesOf(brief).fixed.names(script) ? script : `${brief.harness}/answers/**`;
}
