/** The name in the org of whoever works a spec by hand. */
export const person = 'human';

/** An agent has one bench; a person has one for each spec, because they come back to it. */
export const benchName = (agent: string, specId: string): string => (agent === person ? `${person}-${specId}` : agent);
export const agentEmail = (agent: string): string => `${agent}@agents.invalid`;

/** The agent whose address it is; undefined for a person's. */
export const agentOf = (email: string): string | undefined => /^(.+)@agents\.invalid$/.exec(email)?.[1];

/** Names that mean somebody already: people and their benches, and orgrepo itself. */
export const isTaken = (name: string): boolean => /^(human(-[0-9]+)?|orgrepo|merge|people)$/.test(name);

/** Names of agents become branch names, directories and authors. */
export const isAgentName = (name: string): boolean => /^[a-z][a-z0-9-]{0,31}$/.test(name);
