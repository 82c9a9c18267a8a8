import type { Brief } from '../../domain/words/brief.ts';
import type { Caps, Sum } from '../../domain/words/spending.ts';

/** What the brief allows; of a spec's cap, earlier nights may have used some. */
export function capsOf({ budget, caps }: Brief, earlier?: Sum): Caps {
  const night = { usd: budget.usd, tokensIn: budget.tokensIn, tokensOut: budget.tokensOut };
  return { ...caps, ...(caps.spec === undefined ? {} : { spec: { ...caps.spec, before: earlier } }), night };
}
