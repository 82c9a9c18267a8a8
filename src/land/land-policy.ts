import {
  actInWords,
  agentPrincipal,
  type Decision,
  isAllowed,
  landAct,
  type Principal,
  personPrincipal,
  refusalOf,
} from '../domain/rules/act.ts';
import { speakerIn } from '../domain/rules/request.ts';
import { memberOf } from '../domain/staff/chart.ts';
import { agentOf } from '../domain/staff/staff.ts';
import { excuse, trustIn, trustOf } from '../domain/staff/trust.ts';
import { decisionRefusalInWords, openPolicyDecider } from '../policy/policy-decider.ts';
import { nowInSeconds } from '../process/pace.ts';
import { recentNotebooks, taskOf } from '../records/notebook/history.ts';
import type { Org } from '../records/org.ts';
import { readQueue } from '../records/queue/queue.ts';
import { type ActDraft, askPeople, draftFor, readExcused, requestKey, yesTo } from '../records/requests/requests.ts';
import { Problem } from '../text/problem.ts';
import type { Landing } from './plan-land.ts';

/** What the policies of the branch that is landed on say of a landing. */
export interface LandPolicy {
  /** What would be decided now, with the yes of people that is there. Nothing is written, and no yes is used. */
  foresee(): Promise<Decision>;
  /** Decides it, on the books, and uses the yes where one is needed. Throws where it is refused; people are asked, once. */
  decide(): Promise<Decision>;
  close(): Promise<void>;
}

/** Undefined where the branch has no policies: then nothing is asked and nothing written. */
export async function openLandPolicy(org: Org, landing: Landing): Promise<LandPolicy | undefined> {
  const { trunk, files, kept } = landing;
  let [hint, number] = ['', 0];
  const policies = await openPolicyDecider(org, trunk.tree, {
    approvalsOf: async (decision) => {
      const word = await askPeople(org, draftOf(decision, landing), nowInSeconds());
      if (word.kind === 'yes') return { as: word.as };
      hint = hintFor(word.id, word.kind === 'denied');
      return { as: [] };
    },
    onRefusal: (_, n) => {
      number = n;
    },
  });
  if (!policies.hasPolicies()) {
    await policies.close();
    return undefined;
  }
  const act = landAct(await principalOf(org, landing), trunk.name, {
    files: files.length,
    lines: files.reduce((sum, { added, deleted }) => sum + (added ?? 0) + (deleted ?? 0), 0),
    reviewed: kept.every(({ approved }) => approved),
  });
  return {
    foresee: () => policies.foresee(act, (decision) => yesTo(org, draftOf(decision, landing), nowInSeconds())),
    decide: async () => {
      const decision = await policies.decide(act);
      if (!isAllowed(decision)) throw refused(decisionRefusalInWords(decision, number), decision, hint);
      await policies.written(); // What is landed names it.
      return decision;
    },
    close: policies.close,
  };
}

/** Tells a denial of what nobody wants to land yet: nothing is on the books. */
export function refuseForeseen(decision: Decision): void {
  if (decision.result.kind === 'deny')
    throw refused(`${actInWords(decision.act)}, and ${refusalOf(decision)}`, decision);
}

/** The person or agent that runs it: an agent by the run's name for it, else one of the org's people, else the person git knows. */
async function principalOf(org: Org, { pinned }: Landing): Promise<Principal> {
  const git = await org.person();
  const charter = pinned.charter?.charter;
  const agent = process.env.ORGREPO_AGENT ?? agentOf(git.email);
  if (agent === undefined) return personPrincipal(speakerIn(charter?.people ?? [], git)?.id ?? git.name);
  const queue = await readQueue(org);
  const tasks = queue && excuse((await recentNotebooks(org, queue)).map(taskOf), await readExcused(org, queue.ledger));
  const trust = tasks && trustOf(trustIn(tasks), agent).score;
  return agentPrincipal(agent, charter && memberOf(charter, agent), trust);
}

/** A yes is for what would be landed, to the byte: a branch that has moved meanwhile is asked about again. */
function draftOf(decision: Decision, { kept, tree }: Landing): ActDraft {
  const draft = draftFor(decision);
  const numbers = kept.map(({ n }) => `#${n}`).join(' ');
  return { ...draft, key: requestKey([draft.key, tree]), words: `${draft.words}: ${numbers}` };
}

const refused = (words: string, { result }: Decision, hint = ''): Problem =>
  result.kind === 'needs-approval'
    ? new Problem('person/approval', `nothing is landed: ${words}`, hint)
    : new Problem(
        'person/refused',
        `nothing is landed: ${words}`,
        'What may be landed stands in policies/ of your branch.',
      );

const hintFor = (id: string, denied: boolean): string =>
  denied
    ? `${id} was denied: orgrepo log. It can be asked again a day later.`
    : `Say yes: orgrepo approve ${id} (or deny ${id} --reason …); then land again, within 24 hours.`;
