import { may, memberOf } from '../../domain/staff/chart.ts';
import { isFollowUp, type Raised } from '../../domain/staff/escalation.ts';
import { choiceOf, person } from '../../domain/staff/staff.ts';
import type { Fact } from '../../domain/words/fact.ts';
import type { Spec } from '../../domain/words/spec.ts';
import type { Scope } from '../../domain/words/spending.ts';
import type { DeciderRules } from '../../policy/policy-decider.ts';
import { nowInSeconds } from '../../process/pace.ts';
import type { Org } from '../../records/org.ts';
import {
  type ActAnswer,
  type ActDraft,
  askPeople,
  draftFor,
  type NoticeDraft,
  whole,
  writeNotice,
  writeRaised,
} from '../../records/requests/requests.ts';
import type { Night, NightInForce, RunConstants } from '../night/night.ts';
import { chartNow, inTheBackground, warn } from '../night/night-basics.ts';

/** What only a person can put right is on the queue from when it is met: `status` tells it while the night goes on. */
export const needPerson = (run: RunConstants, notice: NoticeDraft): void =>
  inTheBackground(run, writeNotice(run.org, notice));

/** Lets an act pass once that people have said yes to, or an errand; of any other they are asked. */
export const approvalsWith =
  (org: Org, say: (fact: Fact) => void): DeciderRules['approvalsOf'] =>
  async (decision, { isHolder, errand }) => {
    const draft = draftFor(decision, errand);
    const word = await wordOn(org, draft, say, isHolder || errand !== undefined);
    if (word.kind === 'yes') return { as: word.as };
    return { as: [], request: word.kind === 'waits' ? draft.key : undefined };
  };

/** What people say of an act that waits for them. That they are asked is said aloud, once. */
export async function wordOn(
  org: Org,
  draft: ActDraft,
  say: (fact: Fact) => void,
  isHolder = false,
): Promise<ActAnswer> {
  const word = await askPeople(org, draft, nowInSeconds(), isHolder);
  if (word.kind === 'waits' && word.isNew) warn({ say }, askInWords(word.id, whole(draft)));
  return word;
}

const askInWords = (id: string, { words, reason }: ActDraft): string =>
  `${id}: ${words}, and ${reason}. Say yes: orgrepo approve ${id} (or deny ${id} --reason …); it waits for 24 h`;

export type Stuck = Pick<Raised, 'spec' | 'by' | 'reason' | 'text'>;

/** Reports up the chart that an agent is stuck; false if there is no chart, and so no manager to hear of it. */
export async function raiseStuck(night: Pick<Night, 'run' | 'inForce'>, stuck: Stuck): Promise<boolean> {
  const charter = chartNow(night.inForce);
  const member = charter && memberOf(charter, stuck.by);
  if (charter === undefined || member === undefined) return false;
  const permit = may(member, { act: 'escalate' }, charter);
  if (permit.kind !== 'allowed') {
    warn(night.run, permit.reason);
    return false;
  }
  const raised = await writeRaised(night.run.org, { at: nowInSeconds(), ...stuck }, charter);
  if (raised !== undefined) warn(night.run, raisedInWords(raised));
  return true;
}

/** A cap that ends more than one attempt. */
export function raiseOverBudget(
  night: Pick<Night, 'run' | 'inForce'>,
  agent: string,
  scope: Scope,
  reason: string,
  spec = '',
): void {
  if (scope === 'call' || scope === 'attempt') return;
  inTheBackground(night.run, raiseStuck(night, { spec, by: agent, reason: 'OVER_BUDGET', text: reason }));
}

/** The embedded search comes to nothing by design, most of the time: people hear only of what they have asked it for. */
export function isWorthIt(inForce: NightInForce, agent: string, spec: Pick<Spec, 'by' | 'title'>): boolean {
  const { staff } = inForce.pinned.brief;
  const kind = agent === person ? 'human' : choiceOf(staff, agent).kind;
  if (kind !== 'search') return kind !== 'human';
  if (isFollowUp(spec)) return true; // People, or what they asked for, stand at its beginning.
  return spec.by !== 'chief' && spec.by !== 'merge' && !staff.posts?.some(({ id }) => id === spec.by);
}

export const raisedInWords = (raised: Raised): string => {
  const { id, by, spec, reason, text, managers, person: last, sendAt, rule } = raised;
  const when = sendAt === undefined ? ' when its attempts are used up' : '';
  const what = spec === '' ? '' : ` with ${spec}`;
  const said = rule === undefined ? `${by} is stuck${what} (${reason}): ${text}` : `${spec} breaks ${text}`;
  return `${id}: ${said}. It goes to ${managers[0] ?? last}${when}`;
};
