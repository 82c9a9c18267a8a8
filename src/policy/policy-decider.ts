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
import type { Person } from '../domain/staff/charter.ts';
import { readPolicyFiles } from '../org/force/policy-files.ts';
import type { Org } from '../records/org.ts';
import { draftFor } from '../records/requests/requests.ts';
import { hideSecrets } from '../secrets/known-secrets.ts';
import { isProblem, orProblem, type Problem } from '../text/problem.ts';
import { openDecisionBook } from './decision-book.ts';
import { checkPolicies, type Judge, openJudge } from './policy-judge.ts';

/** Decides every act by the policies of an org, and writes the decisions down. */
export type PolicyDecider = Awaited<ReturnType<typeof openPolicyDecider>>;

/** An act, once it is known who the agent is. */
type ActOf = (principal: Principal) => Act;

export interface RefusedClaim extends PolicyRefusal {
  /** The number of its decision: 12 is D12. */
  readonly n: number;
}

export interface DeciderRules {
  /** An agent as the chart has it. */
  readonly principalOf: (agent: string) => Principal;
  /** The approvals of the very act of a decision. Returning them counts them as used. */
  readonly approvalsOf: (decision: Decision, how: ActContext) => Promise<Waiting & { readonly as: readonly string[] }>;
  readonly onRefusal: (decision: Decision, n: number) => void;
  /** Runs before every decision: policies that were applied meanwhile count at once. */
  readonly before: () => Promise<void>;
}

/** How an act relates to those before it. */
interface ActContext {
  /** It goes on: what was used for it counts. */
  readonly isHolder?: boolean;
  /** The attempt, the plan or the review that it is a part of: an approval is for all of it. */
  readonly errand?: string | undefined;
}

interface Waiting {
  /** The key of the request that waits for a person's answer. */
  readonly request?: string | undefined;
}

const usualRules: DeciderRules = {
  principalOf: (agent) => agentPrincipal(agent),
  approvalsOf: async () => ({ as: [] }),
  onRefusal: () => {},
  before: async () => {},
};

export async function openPolicyDecider(org: Org, trunkTree: string, rules: Partial<DeciderRules> = {}) {
  let inUse: DeciderRules = { ...usualRules, ...rules };
  let judge = await judgeOf(org, trunkTree);
  const book = openDecisionBook(org);
  /** The numbers of refused claims, by decision. An agent tries again and again: a refusal is written down once. */
  const known = new Map<string, Promise<number>>();

  const refuse = async (decision: Decision): Promise<Decision> => {
    if (known.has(decision.id)) return decision;
    const writing = book.write(decision);
    if (decision.act.act === 'claim') known.set(decision.id, writing);
    inUse.onRefusal(decision, await writing);
    return decision;
  };
  const decide = async (
    actOf: () => Act,
    how: ActContext,
  ): Promise<(Waiting & { readonly decision: Decision }) | undefined> => {
    await inUse.before();
    if (judge === undefined) return undefined;
    const act = mapTexts(actOf(), hideSecrets); // Decided on as it is written down, or it could not be decided again.
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
    /** Sets the rules of a run, once there is one. */
    use: (others: DeciderRules): void => {
      inUse = { ...usualRules, ...others };
    },
    /** Without policies everything is allowed and nothing is written. A refusal is on the books before this returns it. */
    decide: async (act: Act): Promise<Decision> => (await decide(() => act, {}))?.decision ?? allowedFreely(act),
    /** `refuses` for a claim. An `isHolder` goes on with its claim, so the approval that it was made with still counts. */
    refusesClaim: async (agent: string, act: ActOf, isHolder: boolean): Promise<RefusedClaim | undefined> => {
      const decided = await decide(() => act(inUse.principalOf(agent)), { isHolder });
      if (decided === undefined || isAllowed(decided.decision)) return undefined;
      const { decision } = decided;
      const n = (await known.get(decision.id)) ?? 0;
      const request = decision.result.kind === 'needs-approval' ? draftFor(decision).key : undefined;
      return { words: refusalOf(decision), n, request };
    },
    /** The decision on an act as of now, with the approvals of people. Writes nothing and uses no approval. */
    foresee: async (wanted: Act, given: (decision: Decision) => Promise<readonly string[]>): Promise<Decision> => {
      if (judge === undefined) return allowedFreely(wanted);
      const act = mapTexts(wanted, hideSecrets);
      const decision = await judge.judge(act);
      const approvals = decision.result.kind === 'needs-approval' ? await given(decision) : [];
      return approvals.length === 0 ? decision : judge.judge(approvedBy(act, approvals));
    },
    hasPolicies: (): boolean => judge !== undefined,
    /** Why an agent may not do something; undefined when it may. An approval that was used for an errand counts until it ends. */
    refuses: async (agent: string, act: ActOf, errand?: string): Promise<PolicyRefusal | undefined> => {
      const decided = await decide(() => act(inUse.principalOf(agent)), { errand });
      if (decided === undefined || isAllowed(decided.decision)) return undefined;
      return { words: refusalOf(decided.decision), request: decided.request };
    },
    /** Follows the policies of another tree, the trunk's or one that was applied. When they are wrong, the old ones stay in force. */
    follow: async (tree: string): Promise<Problem | undefined> => {
      const files = await orProblem(readPolicyFiles(org, tree));
      if (isProblem(files)) return files;
      if (files?.tree === judge?.tree) return undefined;
      const next = files && (await orProblem(openJudge(files.files, files.tree)));
      if (isProblem(next)) return next;
      judge?.close();
      judge = next;
      return undefined;
    },
    /** When this returns, every decision before it is on the ref. */
    written: book.written,
    /** Also ends the processes that were started for it. */
    close: async (): Promise<void> => {
      await book.written();
      judge?.close();
    },
  };
}

/** Refuses policies that are wrong, or that this machine cannot decide; returns warnings about the others. */
export async function refuseWrongPolicies(
  org: Org,
  trunkTree: string,
  people: readonly Person[],
  able: readonly Person[],
): Promise<readonly Problem[]> {
  const found = await readPolicyFiles(org, trunkTree);
  return found === undefined ? [] : checkPolicies(found.files, found.tree, people, able);
}

async function judgeOf(org: Org, trunkTree: string): Promise<Judge | undefined> {
  const found = await readPolicyFiles(org, trunkTree);
  return found && openJudge(found.files, found.tree);
}

const allowedFreely = (act: Act): Decision => ({ id: '', policies: '', act, result: { kind: 'allow' }, reasons: [] });

/** `D12: junior-1 wants to claim 0007, and a policy is against it: …` */
export const decisionRefusalInWords = (decision: Decision, n: number): string =>
  `D${n}: ${actInWords(decision.act)}, and ${refusalOf(decision)}`;
