import type { OwnPrice } from '../../domain/words/brief.ts';
import { houseOf } from '../../domain/words/model-id.ts';
import type { Amount, Refused } from '../../domain/words/spending.ts';
import type { ApiChoice } from '../model-access.ts';
import { type Ask, Fault, type ModelAnswer, type Question, type Usage } from './model-contract.ts';
import { usageOf } from './provider-form.ts';

/** What one model costs, in dollars. Undefined is unknown, and never 0; a model that is known to be free costs 0. */
export interface Prices {
  costOf(usage: Usage): number | undefined;
  /** The most that a call can cost which reads and says no more than this. */
  mostCost(tokensIn: number, tokensOut: number): number | undefined;
}

/** The prices that came with orgrepo, or a person's own. A gateway that the list knows has its own. The network is never asked. */
export async function pricesOf(house: string, name: string, own?: OwnPrice, baseUrl?: string): Promise<Prices> {
  if (own !== undefined) return ownPrices(own);
  const { calcPrice } = await loadPrices();
  const none = { input_tokens: 0, output_tokens: 0 };
  const there = baseUrl === undefined ? null : calcPrice(none, name, { providerApiUrl: baseUrl });
  const model = there === null && baseUrl !== undefined ? name.replace(/^.*\//, '') : name;
  const found = there ?? calcPrice(none, model, { providerId: house });
  if (found === null || !isWhole(found.model_price)) return unknownPrices;
  // Just the one model, because looking it up again among all of them would cost half a millisecond a call.
  const alone = { ...found.provider, models: [found.model] };
  return {
    costOf: (usage) => {
      if (usageOf(usage) === undefined) return undefined; // What cannot be has no price: `calcPrice` would throw.
      const { tokensIn, tokensOut, cacheRead, cacheWrite } = usage;
      const parts = { cache_read_tokens: cacheRead, cache_write_tokens: cacheWrite, output_tokens: tokensOut };
      const cost = calcPrice({ input_tokens: tokensIn, ...parts }, model, { provider: alone });
      return cost === null ? undefined : toNanos(cost.total_price);
    },
    mostCost: (tokensIn, tokensOut) => {
      const price = calcPrice({ input_tokens: 0, output_tokens: 0 }, model, { provider: alone })?.model_price;
      return price === undefined ? undefined : toNanos(dearest(price, tokensIn, tokensOut));
    },
  };
}

/** Nearly a megabyte: only who pays loads it. */
const loadPrices = () => import('@pydantic/genai-prices');

type ModelPrice = NonNullable<ReturnType<Awaited<ReturnType<typeof loadPrices>>['calcPrice']>>['model_price'];

const unknownPrices: Prices = { costOf: () => undefined, mostCost: () => undefined };

/** A list that lacks one of the two would let the other half of every call pass for free. */
const isWhole = ({ input_mtok: input, output_mtok: output }: ModelPrice): boolean =>
  input !== undefined && output !== undefined;

/**
 * Everything read at the dearest rate for reading: a provider may take all of it for new in its cache, which costs more
 * than plain input. Caches that last longer than the usual minutes are dearer still; we ask for none.
 */
function dearest(price: ModelPrice, tokensIn: number, tokensOut: number): number {
  const rates = (keys: readonly string[]): number =>
    Math.max(0, ...keys.flatMap((key) => reachable(price[key], tokensIn)));
  const read = rates(['input_mtok', 'cache_write_mtok', 'cache_read_mtok']) * tokensIn;
  const perRequest = rates(['requests_kcount']) / 1_000;
  return (read + rates(['output_mtok']) * tokensOut) / 1e6 + perRequest;
}

/** A long question is dearer by the token; which rate it will be is not known before its tokens are counted. */
function reachable(rate: ModelPrice[string], tokensIn: number): number[] {
  if (rate === undefined) return [];
  if (typeof rate === 'number') return [rate];
  return [rate.base, ...rate.tiers.filter(({ start }) => start < tokensIn).map(({ price }) => price)];
}

function ownPrices({ input, output, cache_read: read = input, cache_write: write = input }: OwnPrice): Prices {
  return {
    costOf: (usage) => {
      if (usageOf(usage) === undefined) return undefined;
      const { tokensIn, tokensOut, cacheRead, cacheWrite } = usage;
      const plain = tokensIn - cacheRead - cacheWrite;
      return toNanos((plain * input + cacheRead * read + cacheWrite * write + tokensOut * output) / 1e6);
    },
    mostCost: (tokensIn, tokensOut) => toNanos((Math.max(input, read, write) * tokensIn + output * tokensOut) / 1e6),
  };
}

/** Up to whole billionths of a dollar, which is what the books count in; the last digit of a float is smaller. */
const toNanos = (usd: number): number => Math.max(0, Math.ceil(usd * 1e9 - 1e-3)) / 1e9;

/** For what a provider puts around a question: names of roles, the form of tools, and what it tells the model about using them. */
const framing = { once: 2_000, each: 64 };

/** What an image is at most to any of the models that are shown some: it is counted by its size in pixels, not in bytes. */
const mostTokensOfImage = 16_000;

/**
 * More tokens than a question can be. Every tokenizer in use falls back to bytes, so a token stands for at least one byte
 * of UTF-8 and there are never more of them than bytes; text has four times as many. What a provider adds around our words
 * is known to be some hundred tokens once, and a few for each message, part and tool.
 */
export function mostTokensIn({ system, messages, tools }: Pick<Question, 'system' | 'messages' | 'tools'>): number {
  let [bytes, pieces] = [bytesOf(system), 0];
  for (const { parts: said, native } of messages) {
    pieces += 1 + said.length;
    const parts = said.map((part) => {
      if (part.kind !== 'result' || part.images === undefined) return part;
      bytes += part.images.length * mostTokensOfImage;
      return { ...part, images: [] };
    });
    // Its own form goes back to the provider in place of ours. Signatures in it can be longer than all that was said.
    bytes += Math.max(bytesOf(JSON.stringify(parts)), native === undefined ? 0 : bytesOf(JSON.stringify(native)));
  }
  for (const tool of tools) {
    pieces += 1;
    bytes += bytesOf(JSON.stringify(tool));
  }
  return bytes + framing.once + framing.each * pieces;
}

/** A lone half of a character becomes three bytes when it is sent, and JSON writes it as six. */
const bytesOf = (text: string | undefined): number => Buffer.byteLength(text ?? '', 'utf8');

const free: OwnPrice = { input: 0, output: 0 };

/**
 * What asking a model costs: a person's own word first. What a server of one's own asks for nobody else knows, so it is taken to be
 * the list price of the model's house.
 */
export function pricesFor(
  { model: { provider, id }, baseUrl }: Pick<ApiChoice, 'model' | 'baseUrl'>,
  own: ReadonlyMap<string, OwnPrice>,
): Promise<Prices> {
  const house = baseUrl !== undefined && provider === 'openai' ? houseOf(id.replace(/^.*\//, '')) : provider;
  return pricesOf(house, id, own.get(id) ?? (provider === 'scripted' ? free : undefined), baseUrl);
}

export const knowsPrice = (prices: Prices): boolean => prices.mostCost(1, 1) !== undefined;

/** Whether a cap on money can bind a model. */
export const checkPriced = async (...asked: Parameters<typeof pricesFor>): Promise<boolean> =>
  knowsPrice(await pricesFor(...asked));

/** How a turn is paid for. A call goes out only when the most that it can use is set aside. */
interface CallBudget {
  readonly prices: Prices;
  /** May wait until other calls have ended; the signal ends the wait. */
  reserve(wanted: WantedCall, signal: AbortSignal): Promise<ReservedCall | Refused>;
  /** What a turn has cost in the end, what the caps had left before it, and how many tokens came from the provider's cache. */
  count(amount: Amount, left: Partial<Amount>, cacheRead: number): void;
}

/**
 * What a call can use, which is less the shorter its answer may be: `most` as a rule, `enough` where others hold what is left,
 * and no less than `least`.
 */
export type WantedCall = Readonly<Record<'most' | 'enough' | 'least', Amount>>;

/** An answer as long as `enough` is as good as never cut; a model can hardly work with less than the least. */
const answerTokens = { enough: 8_192, least: 2_048 };

export function wantedCall({ mostCost }: Prices, tokensIn: number, mostTokens: number): WantedCall {
  const upTo = (tokensOut: number): Amount => ({ usd: mostCost(tokensIn, tokensOut), tokensIn, tokensOut });
  const [enough, least] = [answerTokens.enough, answerTokens.least].map((tokens) => Math.min(tokens, mostTokens));
  return { most: upTo(mostTokens), enough: upTo(enough ?? 0), least: upTo(least ?? 0) };
}

export interface ReservedCall {
  readonly kind: 'reserved';
  /** What is set aside: the answer may be no longer than that. */
  readonly most: Amount;
  /** What was not spent of the smallest caps before it, of each kind that is capped. */
  readonly left?: Partial<Amount>;
  settle(
    used: { readonly tokensIn: number; readonly tokensOut: number } | undefined,
    usd: number | undefined,
  ): { readonly counted: Amount };
  release(): void;
}

/** The same turns, each reserved before and settled after. What may have been answered, and was not heard, counts in full. */
export function paid(ask: Ask, budget: CallBudget): Ask {
  return async (question, signal) => {
    const call = await budget.reserve(wantedCall(budget.prices, mostTokensIn(question), question.mostTokens), signal);
    if (call.kind === 'refused') throw new Fault('cap', capRefusalInWords(call), { refused: call });
    const answer = await ask({ ...question, mostTokens: call.most.tokensOut }, signal).catch((error) => {
      const fault = error instanceof Fault ? error : undefined;
      if (fault?.begun === false) call.release();
      // The tokens may be known; what they cost is not, where it was not the model that we have a price for.
      else
        budget.count(call.settle(fault?.usage, call.most.usd).counted, call.left ?? {}, fault?.usage?.cacheRead ?? 0);
      throw error;
    });
    const usage = believed(answer);
    const { counted } = call.settle(usage, usage && budget.prices.costOf(usage));
    budget.count(counted, call.left ?? {}, usage?.cacheRead ?? 0);
    return answer;
  };
}

/** An answer cannot have taken no tokens: such a report is not believed, and all that was set aside counts. */
export const believed = ({ message, usage }: ModelAnswer): Usage | undefined =>
  message.parts.length > 0 && usage?.tokensOut === 0 ? undefined : usage;

const units = { usd: 'dollars', tokensIn: 'tokens to read', tokensOut: 'tokens to say' } as const;

/** `the cap of the night is 5 dollars: 4.98 are spent or set aside, and this call may need 0.31`. */
export function capRefusalInWords({ scope, name, what, cap, counted, wanted, reason }: Refused): string {
  if (reason !== undefined) return reason;
  const of =
    scope === 'night' || scope === 'day' || scope === 'call' ? `the ${scope}` : `${scope} ${name.replace(/^.*\//, '')}`;
  const figure = (value: number): string => (what === 'usd' ? value.toFixed(4).replace(/\.?0+$/, '') : String(value));
  return `the cap of ${of} is ${figure(cap)} ${units[what]}: ${figure(counted)} are spent or set aside, and this call may need ${figure(wanted)}`;
}
