import type { Act } from '../domain/rules/act.ts';

/**
 * What policies may speak of, as Cedar writes it. Every policy is checked against it before a night begins, and every act
 * before it is decided on: what is not in here cannot be permitted.
 */
export const actSchema = `
entity Department;
entity Agent in [Department] = {
  "name": String,
  "role": String,
  "level": Long,
  "department": String,
  "domains": Set<String>,
  "trust": Long,
};
entity Person = { "name": String };

entity Spec = { "name": String, "title": String, "risk": String, "by": String };
entity Tool = { "name": String, "server": String };
entity Model = { "name": String, "provider": String };
entity Role in [Department] = { "name": String, "role": String, "level": Long, "department": String };
entity Branch = { "name": String };
entity Host = { "name": String };
entity Recipient = { "name": String, "channel": String };

entity Texts tags String;
entity Numbers tags decimal;

action "claim" appliesTo {
  principal: Agent, resource: Spec,
  context: { "approved": Set<String> }
};
action "tool" appliesTo {
  principal: Agent, resource: Tool,
  context: { "approved": Set<String>, "spec"?: String, "cut": Bool, "texts": Texts, "numbers": Numbers }
};
action "spend" appliesTo {
  principal: Agent, resource: Model,
  context: { "approved": Set<String>, "spec"?: String, "usd"?: decimal, "tokens_in": Long, "tokens_out": Long }
};
action "spawn" appliesTo {
  principal: Agent, resource: Role,
  context: { "approved": Set<String>, "count": Long }
};
action "land" appliesTo {
  principal: [Agent, Person], resource: Branch,
  context: { "approved": Set<String>, "files": Long, "lines": Long, "reviewed": Bool }
};
action "network" appliesTo {
  principal: Agent, resource: Host,
  context: { "approved": Set<String>, "spec"?: String, "what": String }
};
action "message" appliesTo {
  principal: Agent, resource: Recipient,
  context: { "approved": Set<String>, "spec"?: String, "text": String, "cut": Bool }
};
`;

/** The type of what each act is done to. */
export const resourceTypes = {
  claim: 'Spec',
  tool: 'Tool',
  spend: 'Model',
  spawn: 'Role',
  land: 'Branch',
  network: 'Host',
  message: 'Recipient',
} as const;

/** What a commit message would lose: controls, and what turns the direction of a line. */
const unsafe = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** An act on one line, the same for the same act: what is decided on, hashed and written down. */
export const formatAct = (act: Act): string =>
  JSON.stringify(act).replace(unsafe, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The same read back; undefined when it cannot be read. Whether there is such an act is for the schema to say. */
export function parseAct(text: string): Act | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return isAct(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function isAct(value: unknown): value is Act {
  if (!isMap(value)) return false;
  const { act, principal, resource, context, texts = {}, numbers = {}, approved, unfit = '' } = value;
  if (typeof act !== 'string' || typeof unfit !== 'string' || !isTexts(approved)) return false;
  if (!isMap(principal) || typeof principal.id !== 'string' || !isMap(resource) || typeof resource.id !== 'string')
    return false;
  if (principal.kind === 'agent') {
    const { role, department, level, trust, domains } = principal;
    if (typeof role !== 'string' || typeof department !== 'string' || !isTexts(domains)) return false;
    if (typeof level !== 'number' || typeof trust !== 'number') return false;
  } else if (principal.kind !== 'person') return false;
  return isMap(context) && isMapOf(texts, 'string') && isMapOf(numbers, 'number');
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isMapOf = (value: unknown, type: 'string' | 'number'): boolean =>
  isMap(value) && Object.values(value).every((one) => typeof one === type);
const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');
