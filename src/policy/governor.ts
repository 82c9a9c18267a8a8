import {
  type Act,
  actInWords,
  agentPrincipal,
  approvedBy,
  type Decision,
  isAllowed,
  type PolicyRefusal,
  type Principal,
  refusalOf,
} from '../domain/rules/act.ts';
import { mapTexts } from '../domain/rules/plain-arguments.ts';
import { readPolicyFiles } from '../org/force/policy-files.ts';
import type { Org } from '../records/org.ts';
import { draftFor } from '../records/requests/requests.ts';
import { hideSecrets } from '../secrets/known-secrets.ts';
import { isProblem, type Problem } from '../text/problem.ts';
import { openDecisionBook } from './decision-book.ts';
import { checkPolicies, type Judge, openJudge } from './policy-judge.ts';

/** What the policies of an org say of every act, written down. */
export interface Governor {
  /** Where there are no policies everything is allowed and nothing is written. A refusal is on the books before it is given. */
  govern(act: Act): Promise<Decision>;
  /** What would be decided of an act now, with the yes that people have given. Nothing is written and nothing used. */
  foresee(act: Act, approvalsOf: (decision: Decision) => Promise<readonly string[]>): Promise<Decision>;
  /** Gives it the rules of a run, once there is one. */
  use(rules: GovernorRules): void;
  /** Whether there are policies at all. */
  decides(): boolean;
  /** Why an agent may not do something; undefined when it may. The yes that was used for an errand counts until that ends. */
  refuses(agent: string, act: (principal: Principal) => Act, errand?: string): Promise<PolicyRefusal | undefined>;
  /** The same of a claim; `isHolder` of one that the agent has already and goes on with: the yes that it was made with still counts. */
  refusesClaim(agent: string, act: (principal: Principal) => Act, isHolder: boolean): Promise<RefusedClaim | undefined>;
  /** Takes up the policies of another tree, the trunk's or one that was applied. Those that are wrong are not: then the old ones stay in force. */
  follow(trunkTree: string): Promise<Problem | undefined>;
  /** When this returns, every decision before it is on the ref. */
  written(): Promise<void>;
  /** Ends what was started for it, too. */
  close(): Promise<void>;
}

export interface RefusedClaim {
  readonly words: string;
  /** Of its decision: 12 is D12. */
  readonly n: number;
  /** The request that a person could say yes to, by its key. */
  readonly request: string | undefined;
}

export interface GovernorRules {
  /** An agent as the chart has it. */
  readonly principalOf: (agent: string) => Principal;
  /** Who has said yes to the very act of a decision; whoever says so counts it as used. */
  readonly approvalsOf: (decision: Decision, how: ActContext) => Promise<Approvals>;
  readonly onRefusal: (decision: Decision, n: number) => void;
  /** Before every decision: whoever has applied other policies is obeyed at once. */
  readonly before: () => Promise<void>;
}

/** How an act stands to those before it. */
interface ActContext {
  /** It goes on: what was used for it counts. */
  readonly isHolder?: boolean;
  /** The attempt, the plan or the review that it is a part of: a yes is for all of it. */
  readonly errand?: string | undefined;
}

interface Approvals {
  readonly as: readonly string[];
  /** The request that waits for an answer, by its key. */
  readonly request?: string | undefined;
}

const usualRules: GovernorRules = {
  principalOf: (agent) => agentPrincipal(agent),
  approvalsOf: async () => ({ as: [] }),
  onRefusal: () => {},
  before: async () => {},
};

export async function openGovernor(org: Org, trunkTree: string, rules: Partial<GovernorRules> = {}): Promise<Governor> {
  let inUse: GovernorRules = { ...usualRules, ...rules };
  let judge = await judgeOf(org, trunkTree);
  const book = openDecisionBook(org);
  /** A spec that nobody may claim is looked at again and again: once is enough to write down. The numbers, by decision. */
  const known = new Map<string, Promise<number>>();

  const refuse = async (decision: Decision): Promise<Decision> => {
    if (known.has(decision.id)) return decision;
    const writing = book.write(decision);
    if (decision.act.act === 'claim') known.set(decision.id, writing);
    inUse.onRefusal(decision, await writing);
    return decision;
  };
  const govern = async (wanted: Act, how: ActContext = {}): Promise<Governed> => {
    await inUse.before();
    if (judge === undefined) return { decision: allowedFreely(wanted) };
    const act = mapTexts(wanted, hideSecrets); // Decided on as it is written down, or nobody could decide it again.
    const decision = await judge.judge(act);
    if (isAllowed(decision)) {
      book.note(decision);
      return { decision };
    }
    const { as, request } =
      decision.result.kind === 'needs-approval' ? await inUse.approvalsOf(decision, how) : { as: [] };
    if (as.length === 0) return { decision: await refuse(decision), request };
    const again = await judge.judge(approvedBy(act, as));
    if (!isAllowed(again)) return { decision: await refuse(again) };
    await book.write(again);
    return { decision: again };
  };
  return {
    use: (others) => {
      inUse = { ...usualRules, ...others };
    },
    govern: async (act) => (await govern(act)).decision,
    refusesClaim: async (agent, act, isHolder) => {
      await inUse.before();
      if (judge === undefined) return undefined;
      const { decision } = await govern(act(inUse.principalOf(agent)), { isHolder });
      if (isAllowed(decision)) return undefined;
      const n = (await known.get(decision.id)) ?? 0;
      const request = decision.result.kind === 'needs-approval' ? draftFor(decision).key : undefined;
      return { words: refusalOf(decision), n, request };
    },
    foresee: async (wanted, given) => {
      if (judge === undefined) return allowedFreely(wanted);
      const act = mapTexts(wanted, hideSecrets);
      const decision = await judge.judge(act);
      const approvals = decision.result.kind === 'needs-approval' ? await given(decision) : [];
      return approvals.length === 0 ? decision : judge.judge(approvedBy(act, approvals));
    },
    decides: () => judge !== undefined,
    refuses: async (agent, act, errand) => {
      await inUse.before();
      if (judge === undefined) return undefined;
      const { decision, request } = await govern(act(inUse.principalOf(agent)), { errand });
      return isAllowed(decision) ? undefined : { words: refusalOf(decision), request };
    },
    follow: async (tree) => {
      try {
        const files = await readPolicyFiles(org, tree);
        if (files?.tree === judge?.tree) return undefined;
        const next = files && (await openJudge(files.files, files.tree));
        judge?.close();
        judge = next;
        return undefined;
      } catch (error) {
        if (isProblem(error)) return error;
        throw error;
      }
    },
    written: book.written,
    close: async () => {
      await book.written();
      judge?.close();
    },
  };
}

interface Governed {
  readonly decision: Decision;
  /** What waits for a person's answer, and would let it pass. */
  readonly request?: string | undefined;
}

/** Refuses policies that are wrong, or cannot be decided here; gives what a person may want to know of the others. */
export async function refuseWrongPolicies(org: Org, trunkTree: string): Promise<readonly Problem[]> {
  const found = await readPolicyFiles(org, trunkTree);
  return found === undefined ? [] : checkPolicies(found.files, found.tree);
}

async function judgeOf(org: Org, trunkTree: string): Promise<Judge | undefined> {
  const found = await readPolicyFiles(org, trunkTree);
  return found && openJudge(found.files, found.tree);
}

const allowedFreely = (act: Act): Decision => ({ id: '', policies: '', act, result: { kind: 'allow' }, reasons: [] });

/** `D12: junior-1 wants to claim 0007, and a policy is against it: …` */
export const decisionRefusalInWords = (decision: Decision, n: number): string =>
  `D${n}: ${actInWords(decision.act)}, and ${refusalOf(decision)}`;
