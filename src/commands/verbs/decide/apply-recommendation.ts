import type { Charter } from '../../../domain/staff/charter.ts';
import { readBest } from '../../../records/notebook/best-line.ts';
import type { Org } from '../../../records/org.ts';
import { readQueue } from '../../../records/queue/queue.ts';
import type { Recommendation } from '../../../report/advice/recommend.ts';
import { readRecommendations } from '../../../report/facts/condition.ts';
import { commitProposal, proposeEdit } from '../../../report/facts/proposal.ts';
import { briefInForce } from '../../../report/facts/read-overview.ts';
import { formatCommitted, formatProposal, proposalJson } from '../../../report/pages/proposal-page.ts';
import { formatJson } from '../../../terminal/visible.ts';
import { Problem } from '../../../text/problem.ts';
import { agreesTo } from '../../kit/ask.ts';
import type { VerbCall } from '../../kit/command.ts';

/** Shows the edit, asks once, and commits it beside the trunk. What happens to it then is the person's to say. */
export async function applyRecommendation(
  call: VerbCall,
  org: Org,
  wanted: string,
  charter: Charter | undefined,
): Promise<number> {
  const recommendation = await findRecommendation(org, wanted, charter);
  const proposal = await proposeEdit(org, recommendation, charter);
  if (!call.json) call.out(formatProposal(proposal, call.look));
  if (!(await agreesTo(call, 'it is committed only with your word', `Commit it on ${proposal.branch}?`))) {
    call.say('nothing was written\n');
    return 0;
  }
  const commit = await commitProposal(org, proposal);
  call.out(call.json ? `${formatJson(proposalJson(proposal, commit))}\n` : formatCommitted(proposal, commit));
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
      : `There are R1 to ${last}, under NEXT: npx orgrepo report`,
  );
}
