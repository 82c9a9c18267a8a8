import { type Decision, formatReasons, formatResult } from '../domain/rules/decision.ts';
import { policyFilesOf } from '../org/force/policy-files.ts';
import type { Org } from '../records/org.ts';
import { cleanLine } from '../text/clean.ts';
import type { RecordedDecision } from './decision-book.ts';
import { openJudge } from './policy-judge.ts';

/** A decision made once more, and whether it came out as it is written down. */
export interface DecidedAgain {
  readonly recorded: RecordedDecision;
  readonly again: Decision;
  readonly same: boolean;
}

/** Decides from git alone: the act as it was recorded, by the policies in its commit. */
export async function decideAgain(org: Org, recorded: RecordedDecision): Promise<DecidedAgain> {
  const { files, tree } = await policyFilesOf(org, recorded.policies);
  const judge = await openJudge(files, tree);
  try {
    const again = await judge.judge(recorded.act);
    const reason = cleanLine(formatReasons(again.reasons), 8 * 1024); // As a trailer holds it.
    const same =
      again.id === recorded.id && formatResult(again.result) === recorded.result && reason === recorded.reason;
    return { recorded, again, same };
  } finally {
    judge.close();
  }
}
