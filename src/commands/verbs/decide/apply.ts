import type { Charter } from '../../../domain/staff/charter.ts';
import { applyOrg, charterNow, orgTreeOf, readApplied } from '../../../org/force/in-force.ts';
import { refuseIdleStaff } from '../../../preflight/checks/check-night.ts';
import { makePlan } from '../../../preflight/make-plan.ts';
import { openChecked } from '../../../preflight/open-checked.ts';
import { isOrgChange } from '../../../preflight/org-plan.ts';
import { type ApplyStory, applyJson, formatApplied, formatApply } from '../../../preflight/pages/apply-page.ts';
import { writeCheckpoint } from '../../../records/checkpoints.ts';
import { readBest } from '../../../records/notebook/best-line.ts';
import type { Org } from '../../../records/org.ts';
import { readQueue } from '../../../records/queue/queue.ts';
import { decisionsNow } from '../../../records/requests/requests.ts';
import { currentRunner } from '../../../records/run-lock.ts';
import type { Recommendation } from '../../../report/advice/recommend.ts';
import { readRecommendations } from '../../../report/facts/condition.ts';
import { commitProposal, proposeEdit } from '../../../report/facts/proposal.ts';
import { briefInForce } from '../../../report/facts/read-overview.ts';
import { formatCommitted, formatProposal, proposalJson } from '../../../report/pages/proposal-page.ts';
import { Problem } from '../../../text/problem.ts';
import type { Command, VerbCall } from '../../kit/command.ts';
import { agreesTo, textOption, yesOption } from '../../kit/options.ts';
import { refuseAgents } from '../../kit/person-who-may.ts';
import { signedFromHere, signsChange, unsignedFromHere } from '../../kit/sign-decision.ts';
import { warnOfUncommitted, withOrgToWrite } from '../../kit/with-org.ts';

export const command: Command = {
  name: 'apply',
  summary: 'Puts ORG.md, org.yaml and policies of the trunk into force; or makes a recommendation a commit to review.',
  options: {
    recommendation: textOption('R1', 'which one: its number in the report, or its key'),
    ...yesOption(),
  },
  examples: ['orgrepo apply', 'orgrepo apply --recommendation R2'],
  run: (call) =>
    withOrgToWrite(call, async (org) => {
      await refuseAgents(org);
      const wanted = call.value('recommendation');
      return wanted === undefined ? applyChanges(call, org) : applyRecommendation(call, org, wanted);
    }),
};

/** Shows what would change in the org, asks once, and puts it into force. What a night would stumble over is refused. */
async function applyChanges(call: VerbCall, org: Org): Promise<number> {
  if (!call.quiet) await warnOfUncommitted(org, (message) => call.say(`note  ${message}\n`));
  const opened = await openChecked(org);
  const { trunk } = opened;
  const plan = await makePlan(org, opened, 'never');
  await refuseIdleStaff(org, opened.tree, opened.pinned);
  const [{ tree, isOrg }, before] = [await orgTreeOf(org, opened.tree), await readApplied(org)];
  const story: ApplyStory = {
    name: plan.name,
    trunk,
    changes: plan.changes.filter(isOrgChange),
    warnings: plan.warnings.filter(({ code }) => code.startsWith('org/')),
    running: currentRunner(org) !== undefined,
    isOrg: isOrg || before !== undefined,
  };
  if (before === undefined ? !isOrg : before.tree === tree) {
    call.answer(applyJson(story, undefined), formatApplied(story, undefined, call.look));
    return 0;
  }
  if (!call.json) call.out(formatApply(story, call.look));
  const what = 'this is put into force only with your word';
  if (!(await agreesTo(call, what, 'Put this into force?', 'nothing was applied'))) return 0;
  const { signing } = await decisionsNow(org);
  const sign = signing && signsChange(org, call, signing);
  const applied = await applyOrg(org, trunk, (await org.person()).name, sign);
  await writeCheckpoint(org, `apply ${trunk.slice(0, 7)}`);
  const isSigned = (await decisionsNow(org)).signing !== undefined;
  if (isSigned !== (signing !== undefined)) call.say(isSigned ? signedFromHere : unsignedFromHere);
  call.answer(applyJson(story, applied?.commit), formatApplied(story, applied?.commit, call.look));
  return 0;
}

/** Shows the edit, asks once, and commits it beside the trunk. What happens to it then is the person's to say. */
async function applyRecommendation(call: VerbCall, org: Org, wanted: string): Promise<number> {
  const charter = await charterNow(org);
  const recommendation = await findRecommendation(org, wanted, charter);
  const proposal = await proposeEdit(org, recommendation, charter);
  if (!call.json) call.out(formatProposal(proposal, call.look));
  const question = `Commit it on ${proposal.branch}?`;
  if (!(await agreesTo(call, 'it is committed only with your word', question, 'nothing was written'))) return 0;
  const commit = await commitProposal(org, proposal);
  call.answer(proposalJson(proposal, commit), formatCommitted(proposal, commit));
  return 0;
}

async function findRecommendation(org: Org, wanted: string, charter: Charter | undefined): Promise<Recommendation> {
  const [queue, best] = await Promise.all([readQueue(org), readBest(org)]);
  const brief = await briefInForce(org, best);
  const all =
    queue === undefined || brief === undefined
      ? []
      : await readRecommendations(org, queue, brief, charter, Date.now() / 1000);
  const found = all.find(({ id, key }) => id.toLowerCase() === wanted.toLowerCase() || key === wanted);
  if (found !== undefined) return found;
  const last = all.at(-1)?.id;
  throw new Problem(
    'usage/option',
    `there is no recommendation ${JSON.stringify(wanted)}`,
    last === undefined
      ? 'There is nothing to recommend: it takes some nights, or all is well.'
      : `There are R1 to ${last}, under NEXT: orgrepo report`,
  );
}
