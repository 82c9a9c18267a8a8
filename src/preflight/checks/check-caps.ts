import { firstQuestion } from '../../agents/first-question.ts';
import { longestAnswer } from '../../agents/models/call-limits.ts';
import { mostTokensIn, pricesFor, wantedCall } from '../../agents/models/prices.ts';
import { leastAllowance } from '../../agents/programs/program-allowance.ts';
import { isProgramChoice, type Post, postsOf } from '../../domain/staff/staff.ts';
import type { Brief } from '../../domain/words/brief.ts';
import { type Amount, type Cap, type Scope, scopes } from '../../domain/words/spending.ts';
import { type PinnedBrief, problemInBrief } from '../../org/force/pin-brief.ts';
import type { Org } from '../../records/org.ts';
import { creditUsd } from '../../spend/rules/allowance.ts';
import { capsOf } from '../../spend/rules/call-amounts.ts';
import { type Problem, problemAt } from '../../text/problem.ts';

/** Caps that have no room for one call: nothing would be asked under them. Each is told with the most that any agent needs. */
export async function smallCaps(org: Org, pinned: PinnedBrief): Promise<Problem[]> {
  const { brief } = pinned;
  const caps = Object.entries(capsOf(brief)) as [Scope, Cap][];
  if (caps.length === 0 && pinned.charter === undefined) return [];
  const needs = (await Promise.all(postsOf(brief).map((post) => needOf(post, brief)))).flat();
  const found = scopes.flatMap((scope) => {
    const under = needs.filter(({ isOfSpec }) => isOfSpec || (scope !== 'attempt' && scope !== 'spec'));
    return kinds.flatMap(({ what, key, unit }) => {
      const cap = capsOf(brief)[scope]?.[what];
      // The cap on what a call may say is how much it is asked for.
      const dear = under.toSorted((a, b) => (b.least[what] ?? 0) - (a.least[what] ?? 0))[0];
      const least = dear?.least[what] ?? 0;
      if (cap === undefined || dear === undefined || least <= cap || (scope === 'call' && what === 'tokensOut'))
        return [];
      const at: readonly [string, ...string[]] = scope === 'night' ? ['budget', key] : ['caps', scope, key];
      const needed = unit(least);
      const said = `${at.join('.')} is ${cap}, and one call of ${dear.id} needs up to ${needed}: nothing would be asked`;
      const hint = `Write at least ${key}: ${needed}. An attempt has several calls, and later ones are longer.`;
      return [problemInBrief(org, pinned, { code: 'brief/value', at, what: said, hint })];
    });
  });
  return [...(await Promise.all(found)), ...smallLimits(pinned, needs)];
}

/** Limits of ORG.md that stop an agent before its first call; one that pauses lets what was begun run over it. */
function smallLimits({ charter }: PinnedBrief, needs: readonly Need[]): readonly Problem[] {
  if (charter === undefined || charter.charter.policies.budget.overage.value !== 'stop') return [];
  const { members, policies } = charter.charter;
  return needs.flatMap(({ id, least }) => {
    const member = members.find((one) => one.id === id);
    const limit = member?.limit ?? policies.budget.perAgent?.value;
    if (member === undefined || limit === undefined) return [];
    const { unit, amount } = limit;
    const needed =
      unit === 'tokens' ? least.tokensIn + least.tokensOut : (least.usd ?? 0) / (unit === 'usd' ? 1 : creditUsd);
    if (needed <= amount) return [];
    const what = `the limit of ${id} is ${amount} ${unit}, and one call needs up to ${usdUp(needed)}: nothing would be asked`;
    return [problemAt('org/value', member.place, what, 'Raise the limit. An attempt has several calls.')];
  });
}

type Need = Awaited<ReturnType<typeof needOf>>[number];

const usdUp = (usd: number): string => String(usd < 0.01 ? Math.ceil(usd * 1e6) / 1e6 : Math.ceil(usd * 100) / 100);

const kinds = [
  { what: 'usd', key: 'usd', unit: usdUp },
  { what: 'tokensIn', key: 'tokens_in', unit: String },
  { what: 'tokensOut', key: 'tokens_out', unit: String },
] as const;

/** What a night adds to the first question: spec, files and notebook, and for a chief what all have tried. */
const grownBytes = { chief: 10_000, junior: 3_000 };

/** The least that an agent must be able to set aside for its first call; nothing for agents that ask no model. */
async function needOf({ id, duties, choice }: Post, brief: Brief) {
  if (isProgramChoice(choice)) return [{ id, isOfSpec: !duties.includes('chief'), least: leastAllowance }];
  if (choice.kind !== 'api') return [];
  const role = duties.includes('junior') ? 'junior' : (duties[0] ?? 'junior');
  const tokensIn = mostTokensIn(firstQuestion(role, brief)) + grownBytes[role === 'chief' ? 'chief' : 'junior'];
  const prices = await pricesFor(choice, brief.prices);
  const least: Amount = wantedCall(prices, tokensIn, longestAnswer(choice, brief.caps)).least;
  return [{ id, isOfSpec: role !== 'chief', least }];
}
