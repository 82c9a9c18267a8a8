import { type Amount, type Scope, scopes } from '../../domain/words/spending.ts';
import type { CapReached } from '../../domain/words/spent.ts';
import { pinBrief, placeInBrief } from '../../org/force/pin-brief.ts';
import type { BookEntry } from '../../records/entry.ts';
import { type Org, trunkTip } from '../../records/org.ts';
import type { Queue } from '../../records/queue/queue.ts';
import { type Place, unlessProblem } from '../../text/problem.ts';
import { readSpenders } from './spent-tonight.ts';

const keys: Readonly<Record<keyof Amount, string>> = { usd: 'usd', tokensIn: 'tokens_in', tokensOut: 'tokens_out' };

/** `night usd`: which cap it was that ended a run, as its last commit on the queue carries it. */
export const formatCapName = (scope: Scope, what: keyof Amount | undefined): string =>
  what === undefined ? scope : `${scope} ${keys[what]}`;

function parseCapName(text: string | undefined): Pick<CapReached, 'scope' | 'what'> | undefined {
  const [first, second] = (text ?? '').split(' ');
  const scope = scopes.find((one) => one === first);
  const what = (Object.keys(keys) as (keyof Amount)[]).find((one) => keys[one] === second);
  return scope && { scope, what };
}

/** What there is to tell of the cap that ended a run; undefined when none did. */
export async function readCapReached(
  org: Org,
  queue: Queue,
  ended: BookEntry | undefined,
): Promise<CapReached | undefined> {
  const cap = parseCapName(ended?.get('Cap'));
  if (ended === undefined || cap === undefined) return undefined;
  const { at } = ended.commit.committer;
  return {
    ...cap,
    by: ended.get('By') ?? '',
    reason: ended.get('Reason') ?? '',
    at,
    place: await placeOf(org, cap),
    spenders: await readSpenders(org, cap.scope, queue.ledger.run),
    open: queue.specs.map(({ id, title }) => ({ id, title })),
  };
}

/** In the brief as the trunk has it now: that is the one that a person would change. */
async function placeOf(org: Org, { scope, what }: Pick<CapReached, 'scope' | 'what'>): Promise<Place | undefined> {
  if (what === undefined) return undefined;
  const path = scope === 'night' ? (['budget', keys[what]] as const) : (['caps', scope, keys[what]] as const);
  return unlessProblem(trunkTip(org).then(async (tip) => placeInBrief(org, await pinBrief(org, tip), path)));
}
