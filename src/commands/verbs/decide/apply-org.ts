import { applyOrg, orgTreeOf, readApplied } from '../../../org/force/applied.ts';
import { pinBrief } from '../../../org/force/pin-brief.ts';
import { withSpawned } from '../../../org/force/spawned.ts';
import { refuseIdleStaff } from '../../../preflight/checks/check-staff.ts';
import { makePlan } from '../../../preflight/make-plan.ts';
import { isOrgChange } from '../../../preflight/org-plan.ts';
import { type ApplyStory, applyJson, formatApplied, formatApply } from '../../../preflight/pages/apply-page.ts';
import { readEntry } from '../../../records/entry.ts';
import { type Org, trunkTip } from '../../../records/org.ts';
import { currentRunner } from '../../../records/run-lock.ts';
import { formatJson } from '../../../terminal/visible.ts';
import { agreesTo } from '../../kit/ask.ts';
import type { VerbCall } from '../../kit/command.ts';
import { warnOfUncommitted } from '../../kit/uncommitted.ts';

/** Shows what would change in the org, asks once, and puts it into force. What a night would stumble over is refused. */
export async function applyChanges(call: VerbCall, org: Org): Promise<number> {
  if (!call.quiet) await warnOfUncommitted(org, (message) => call.say(`note  ${message}\n`));
  const trunk = await trunkTip(org);
  const trunkTree = (await readEntry(org, trunk))?.commit.tree ?? '';
  const plan = await makePlan(org, { measure: 'never' });
  await refuseIdleStaff(org, trunkTree, await withSpawned(org, await pinBrief(org, trunk)));
  const [{ tree, isOrg }, before] = [await orgTreeOf(org, trunkTree), await readApplied(org)];
  const story: ApplyStory = {
    name: plan.name,
    trunk,
    changes: plan.changes.filter(isOrgChange),
    warnings: plan.warnings.filter(({ code }) => code.startsWith('org/')),
    running: currentRunner(org) !== undefined,
    isOrg: isOrg || before !== undefined,
  };
  if (before === undefined ? !isOrg : before.tree === tree) {
    call.out(call.json ? `${formatJson(applyJson(story, undefined))}\n` : formatApplied(story, undefined));
    return 0;
  }
  if (!call.json) call.out(formatApply(story, call.look));
  if (!(await agreesTo(call, 'this is put into force only with your word', 'Put this into force?'))) {
    call.say('nothing was applied\n');
    return 0;
  }
  const applied = await applyOrg(org, trunk, (await org.person()).name);
  call.out(call.json ? `${formatJson(applyJson(story, applied?.commit))}\n` : formatApplied(story, applied?.commit));
  return 0;
}
