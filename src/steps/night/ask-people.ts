import type { Fact } from '../../domain/words/fact.ts';
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
} from '../../records/requests/requests.ts';
import { inTheBackground, type RunConstants } from './night.ts';

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
  if (word.kind === 'waits' && word.isNew)
    say({ kind: 'warning', at: nowInSeconds(), message: askInWords(word.id, whole(draft)) });
  return word;
}

const askInWords = (id: string, { words, reason }: ActDraft): string =>
  `${id}: ${words}, and ${reason}. Say yes: npx orgrepo approve ${id} (or deny ${id} --reason …); it waits for 24 h`;
