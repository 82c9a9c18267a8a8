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
