import type { Fact } from '../domain/fact.ts';
import type { Org } from '../records/org.ts';
import { askPeople, type Wish, type Word, wishFor } from '../records/requests.ts';
import type { GovernorRules } from './govern.ts';
import { nowInSeconds } from './night.ts';

/** Lets an act pass once that people have said yes to; of any other they are asked. */
export const approvalsWith =
  (org: Org, say: (fact: Fact) => void): GovernorRules['approvalsOf'] =>
  async (decision, isHolder) => {
    const word = await wordOn(org, wishFor(decision), say, isHolder);
    return word.kind === 'yes' ? word.as : [];
  };

/** What people say of an act that waits for them. That they are asked is said aloud, once. */
export async function wordOn(org: Org, wish: Wish, say: (fact: Fact) => void, isHolder = false): Promise<Word> {
  const word = await askPeople(org, wish, nowInSeconds(), isHolder);
  if (word.kind === 'waits' && word.isNew)
    say({ kind: 'warning', at: nowInSeconds(), message: askInWords(word.id, wish) });
  return word;
}

const askInWords = (id: string, { words, reason }: Wish): string =>
  `${id}: ${words}, and ${reason}. Say yes: npx orgrepo approve ${id} (or deny ${id} --reason …); it waits for 24 h`;
