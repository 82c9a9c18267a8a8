import { hideSecrets } from '../../secrets/known-secrets.ts';
import { cleanLine } from '../../text/clean.ts';
import { isMap } from './mcp-wire.ts';

/** How much of a schema is taken over. What is more was not written for anybody to read. */
const mostDepth = 5;
const mostProperties = 64;
const mostChoices = 64;
const types = ['string', 'number', 'integer', 'boolean', 'array', 'object'];

/**
 * What a tool takes, from what its server says of it: an object, with the few words that every provider understands. A
 * server may say anything, and a provider that is given what it does not understand refuses the whole question.
 */
export function inputSchema(said: unknown): Readonly<Record<string, unknown>> {
  const { properties = {}, required = [] } = isMap(said) && said.type === 'object' ? schemaOf(said, 0) : {};
  return { type: 'object', properties, required, additionalProperties: true };
}

function schemaOf(said: unknown, depth: number): Readonly<Record<string, unknown>> {
  if (!isMap(said) || depth > mostDepth) return {};
  const named = Array.isArray(said.type) ? said.type.find((one) => one !== 'null') : said.type;
  const type = types.find((one) => one === named);
  const choices = Array.isArray(said.enum) ? said.enum.filter((one) => typeof one === 'string') : [];
  return {
    ...(type === undefined ? {} : { type }),
    ...(typeof said.description === 'string' ? { description: clean(said.description) } : {}),
    ...(choices.length === 0 ? {} : { enum: choices.slice(0, mostChoices).map(clean) }),
    ...(type === 'array' ? { items: schemaOf(said.items, depth + 1) } : {}),
    ...(type === 'object' ? propertiesOf(said, depth) : {}),
  };
}

function propertiesOf(said: Readonly<Record<string, unknown>>, depth: number): Readonly<Record<string, unknown>> {
  const entries = Object.entries(isMap(said.properties) ? said.properties : {})
    .filter(([name]) => /^[\w.-]{1,64}$/.test(name) && name !== '__proto__')
    .slice(0, mostProperties)
    .map(([name, property]) => [name, schemaOf(property, depth + 1)] as const);
  const names = entries.map(([name]) => name);
  const required = Array.isArray(said.required)
    ? names.filter((name) => (said.required as unknown[]).includes(name))
    : [];
  return { properties: Object.fromEntries(entries), required };
}

const clean = (text: string): string => cleanLine(hideSecrets(text), 300);
