import { hideSecrets } from '../../secrets/known-secrets.ts';
import { cleanLine } from '../../text/problem.ts';
import { isMap } from '../json-value.ts';
import { headerValue } from './mcp-http.ts';
import type { Params } from './mcp-messages.ts';

/* What a server says of the input of its tools is JSON Schema, of which every provider takes another part. */

/** How much of a schema is taken over. What is more was not written for anybody to read. */
const mostDepth = 5;
const mostProperties = 64;
const mostChoices = 64;
/** References can make a short text into an endless schema. */
const mostSchemas = 1_000;
const types = ['string', 'number', 'integer', 'boolean', 'array', 'object'];

/**
 * What a tool takes, from what its server says of it: an object, with the few words that every provider understands. A
 * server may say anything, and a provider that is given what it does not understand refuses the whole question.
 */
export function inputSchema(said: unknown): Params {
  const { type, properties = {}, required = [] } = schemaOf(said, { root: said, left: mostSchemas }, 0);
  const own = type === 'object' ? { properties, required } : { properties: {}, required: [] };
  return { type: 'object', ...own, additionalProperties: true };
}

/** The schema that references lead into, and how many more are read of it. */
interface Source {
  readonly root: unknown;
  left: number;
}

function schemaOf(raw: unknown, source: Source, depth: number): Params {
  const said = --source.left < 0 || depth > mostDepth ? undefined : plainSchema(raw, source.root);
  if (said === undefined) return {};
  const named = types.filter((one) => [said.type].flat().includes(one));
  const choices = (Array.isArray(said.enum) ? said.enum : [said.const]).filter(isPlain);
  const type = named.length > 1 ? undefined : (named[0] ?? typeOf(choices));
  const words = choices.filter((one) => typeof one === 'string').slice(0, mostChoices);
  // Not every provider takes choices that are no words.
  const others = words.length > 0 || choices.length === 0 ? '' : ` One of: ${JSON.stringify(choices)}.`;
  const several = named.length > 1 ? ` (${named.join(' or ')})` : '';
  const description = clean(
    `${typeof said.description === 'string' ? said.description : ''}${several}${others}`.trim(),
  );
  return {
    ...(type === undefined ? {} : { type }),
    ...(description === '' ? {} : { description }),
    ...(words.length === 0 ? {} : { enum: words.map(clean) }),
    ...(type === 'array' ? { items: schemaOf(said.items, source, depth + 1) } : {}),
    ...(type === 'object' ? propertiesOf(said, source, depth) : {}),
  };
}

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

/** The type of choices whose schema names none. */
function typeOf(choices: readonly unknown[]): string | undefined {
  const [first, ...more] = new Set(choices.map((one) => typeof one));
  return more.length === 0 ? types.find((one) => one === first) : undefined;
}

/** A schema without what only leads to another one: a reference, or branches of which one is not null. */
function plainSchema(raw: unknown, root: unknown): Params | undefined {
  let said = raw;
  for (let step = 0; step < mostSteps && isMap(said); step++) {
    const { $ref: reference, anyOf, oneOf, allOf, ...own } = said;
    const branches = [anyOf, oneOf, allOf].flatMap((one) => (Array.isArray(one) ? one : []));
    if (typeof reference !== 'string' && branches.length === 0) return said;
    said = { ...(typeof reference === 'string' ? referred(root, reference) : theBranch(branches)), ...own };
  }
  return isMap(said) ? {} : undefined;
}

const mostSteps = 8;

/** What a reference into the same text leads to; nothing is fetched for one that leads elsewhere. */
function referred(root: unknown, reference: string): Params {
  if (!reference.startsWith('#/')) return {};
  let place = root;
  for (const word of reference.slice(2).split('/')) {
    const key = word.replaceAll('~1', '/').replaceAll('~0', '~');
    place =
      typeof place === 'object' && place !== null && Object.hasOwn(place, key) ? (place as Params)[key] : undefined;
  }
  return isMap(place) ? place : {};
}

/** The one branch that is not null. Of several, only that each is a choice can be said to every provider, or which types they have. */
function theBranch(branches: readonly unknown[]): Params {
  const some = branches.filter((one) => isMap(one) && one.type !== 'null') as Params[];
  if (some.length === 1) return some[0] ?? {};
  const isChoice = some.length > 0 && some.every((one) => one.const !== undefined);
  return isChoice ? { enum: some.map((one) => one.const) } : { type: some.flatMap((one) => one.type ?? []) };
}

function propertiesOf(said: Params, source: Source, depth: number): Params {
  const entries = Object.entries(isMap(said.properties) ? said.properties : {})
    .filter(([name]) => /^[\w.-]{1,64}$/.test(name) && name !== '__proto__')
    .slice(0, Math.max(0, Math.min(mostProperties, source.left)))
    .map(([name, property]) => [name, schemaOf(property, source, depth + 1)] as const);
  const names = entries.map(([name]) => name);
  const required = Array.isArray(said.required)
    ? names.filter((name) => (said.required as unknown[]).includes(name))
    : [];
  return { properties: Object.fromEntries(entries), required };
}

const clean = (text: string): string => cleanLine(hideSecrets(text), 300);

const mirrorKey = 'x-mcp-header';

/** An argument that a server without sessions wants in a header as well. */
interface MirroredArgument {
  readonly header: string;
  readonly path: readonly string[];
}

/** Those of a tool; undefined where a tool asks for it in a way that the protocol forbids, and so may not be used. */
export function mirroredIn(schema: unknown): readonly MirroredArgument[] | undefined {
  const found: MirroredArgument[] = [];
  let isValid = true;
  const walk = (said: unknown, path: readonly string[]): void => {
    if (!isMap(said) || path.length > mostDepth) return;
    const { [mirrorKey]: header, type } = said;
    if (typeof header === 'string') found.push({ header: header.toLowerCase(), path });
    if (typeof header === 'string') isValid &&= token.test(header) && mirrored.some((one) => one === type);
    if (isMap(said.properties)) for (const [key, one] of Object.entries(said.properties)) walk(one, [...path, key]);
  };
  walk(schema, []);
  // Anywhere else in the schema, it is forbidden.
  const everywhere = (JSON.stringify(schema) ?? '').split(`"${mirrorKey}":`).length - 1;
  isValid &&= everywhere === found.length && new Set(found.map(({ header }) => header)).size === found.length;
  return isValid ? found : undefined;
}

const token = /^[\w!#$%&'*+.^`|~-]{1,64}$/;
const mirrored = ['string', 'integer', 'boolean'];

/** The headers of a call. What is not given has none. */
export function headersOf(mirrors: readonly MirroredArgument[], input: unknown): Record<string, string> {
  const found = mirrors.flatMap(({ header, path }) => {
    let value = input;
    for (const key of path) value = isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    return isPlain(value) ? [[`mcp-param-${header}`, headerValue(String(value))]] : [];
  });
  return Object.fromEntries(found);
}
