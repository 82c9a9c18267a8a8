import type { OwnPrice } from '../../domain/words/brief.ts';
import { readModelId } from '../../domain/words/model-id.ts';
import { type Cap, type Caps, scopes } from '../../domain/words/spending.ts';
import {
  type Field,
  readCount,
  readMap,
  readNumber,
  refuseUnknownKeys,
  wrongKey,
  wrongValue,
} from '../../text/field.ts';
import { shown } from '../../text/problem.ts';
import { formatCount } from '../../text/quantity.ts';
import type { Aliases } from './brief-models.ts';

/** What a night may spend is said by its budget; the caps here are on everything smaller, and on the day. */
type OwnCaps = Omit<Caps, 'night'>;
type OwnPrices = ReadonlyMap<string, OwnPrice>;

export const noPrices: OwnPrices = new Map();

const capScopes = scopes.filter((scope) => scope !== 'night');
const capKeys = ['usd', 'tokens_in', 'tokens_out'];
/** How long a question may be is said of a call alone. */
const callKeys = [...capKeys, 'request'];
const capsHint = 'Write caps: { call: { usd: 0.50 }, spec: { tokens_in: 500k }, day: { usd: 20 } }.';

/** `caps: { call: { usd: 0.50, tokens_in: 50k, tokens_out: 8k }, attempt: …, spec: …, agent: …, day: … }`. */
export function readBriefCaps(field: Field): OwnCaps {
  const fields = readMap(field, 'a map of call, attempt, spec, agent and day', capsHint);
  const night = fields.get('night');
  if (night !== undefined) {
    const hint = 'Write it there: budget: { usd: 5, tokens_in: 200k, tokens_out: 20k }.';
    throw wrongKey(night, 'caps.night is not a known key: budget says what a night may use', hint);
  }
  refuseUnknownKeys(fields, capScopes);
  return Object.fromEntries([...fields].map(([scope, cap]) => [scope, readCap(cap, scope === 'call')]));
}

function readCap(field: Field, isCall: boolean): Cap {
  const hint = `Write ${field.name}: { usd: 0.50, tokens_in: 50k, tokens_out: 8k }, or some of them.`;
  const fields = readMap(field, 'a map with usd, tokens_in or tokens_out', hint, isCall ? callKeys : capKeys);
  if (fields.size === 0) throw wrongValue(field, 'a map with usd, tokens_in or tokens_out', hint);
  const [usd, tokensIn, tokensOut, request] = callKeys.map((key) => fields.get(key));
  return {
    ...(usd === undefined ? {} : { usd: readUsd(usd) }),
    ...(tokensIn === undefined ? {} : { tokensIn: readTokens(tokensIn) }),
    ...(tokensOut === undefined ? {} : { tokensOut: readTokens(tokensOut) }),
    ...(request === undefined ? {} : { requestBytes: readRequest(request) }),
  };
}

/** Less has no room for a brief and a file, and more is taken by no model. */
const requestSize = { least: 30_000, most: 20_000_000 };

function readRequest(field: Field): number {
  const bytes = readCount(field, requestSize.most);
  if (bytes >= requestSize.least) return bytes;
  throw wrongValue(field, 'bytes, at least 30k', `Write ${field.name}: 400k. Left out, it is 200k.`);
}

/** More than this is a slip of the keyboard, and nothing at all would be a night in which nobody may ask anything. */
const mostUsd = 1_000_000;
const mostTokens = 1e12;

/** A cap on money: for a call, a night or anything between. */
export function readUsd(field: Field): number {
  const usd = readNumber(field, { min: 0, example: '5' });
  if (usd >= 1e-9 && usd <= mostUsd) return usd;
  const hint = usd > 0 ? `Write ${field.name}: 5.` : `Leave ${field.name} out where there is no cap on money.`;
  throw wrongValue(field, 'dollars, more than 0 and at most 1000000', hint);
}

/** A cap on tokens. */
export function readTokens(field: Field): number {
  const tokens = readCount(field, mostTokens);
  if (tokens > 0) return tokens;
  throw wrongValue(field, 'a whole number of tokens above 0', `Leave ${field.name} out where there is no such cap.`);
}

export function formatCaps(caps: OwnCaps): Readonly<Record<string, unknown>> | undefined {
  const found = capScopes.flatMap((scope) => {
    const cap = caps[scope];
    return cap === undefined ? [] : [[scope, formatCap(cap)] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** The keys that a cap is read from again; the budget has the same. */
export const formatCap = ({ usd, tokensIn, tokensOut, requestBytes }: Cap): Readonly<Record<string, unknown>> => ({
  usd,
  tokens_in: tokensIn === undefined ? undefined : formatCount(tokensIn),
  tokens_out: tokensOut === undefined ? undefined : formatCount(tokensOut),
  request: requestBytes === undefined ? undefined : formatCount(requestBytes),
});

const pricesHint = 'Write prices: { my-model: { in: 3, out: 15, cached_in: 0.3 } }, in dollars for a million tokens.';
const priceKeys = ['in', 'out', 'cached_in', 'cache_write'];

/**
 * `prices: { my-model: { in: 3, out: 15, cached_in: 0.3 } }`. A name may have its provider before it, or be one of the
 * brief's own words for a model. Whether anybody asks such a model is not known here: the chart may name it, too.
 */
export function readPrices(field: Field, aliases: Aliases): OwnPrices {
  const prices = new Map<string, OwnPrice>();
  for (const [name, price] of readMap(field, 'a map of models and their prices', pricesHint)) {
    const id = pricedModel(name, aliases);
    if (prices.has(id))
      throw wrongKey(price, `${shown(price.name)} is another name of a model that has a price`, 'Keep one of the two.');
    prices.set(id, readPrice(price));
  }
  return prices;
}

/** The id of the model that a price is written for. */
export function pricedModel(name: string, aliases: Aliases): string {
  const model = readModelId(aliases.get(name)?.model ?? name, true);
  return typeof model === 'object' ? model.id : name;
}

function readPrice(field: Field): OwnPrice {
  const fields = readMap(field, 'a map with in and out', pricesHint, priceKeys);
  const [input, output, cached, written] = priceKeys.map((key) => fields.get(key));
  if (input === undefined || output === undefined) throw wrongValue(field, 'a map with both in and out', pricesHint);
  return {
    input: readRate(input),
    output: readRate(output),
    ...(cached === undefined ? {} : { cache_read: readRate(cached) }),
    ...(written === undefined ? {} : { cache_write: readRate(written) }),
  };
}

/** A model of one's own may cost nothing; a token of no model costs a cent. */
const mostRate = 10_000;

function readRate(field: Field): number {
  const rate = readNumber(field, { min: 0, example: '3' });
  if (rate <= mostRate) return rate;
  throw wrongValue(field, `dollars for a million tokens, at most ${mostRate}`, `Write ${field.name}: 3.`);
}

export function formatPrices(prices: OwnPrices): Readonly<Record<string, unknown>> | undefined {
  if (prices.size === 0) return undefined;
  return Object.fromEntries(
    [...prices].map(([model, { input, output, cache_read: cached_in, cache_write }]) => [
      model,
      { in: input, out: output, cached_in, cache_write },
    ]),
  );
}
