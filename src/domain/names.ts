/** The refs that people script against. */
export const bestRef = 'refs/heads/orgrepo/best';
export const queueRef = 'refs/heads/orgrepo/queue';
export const reportsRef = 'refs/heads/orgrepo/reports';
export const workRefs = 'refs/heads/orgrepo/work/';
export const workRef = (specId: string): string => `${workRefs}${specId}`;
export const wipRefs = 'refs/orgrepo/wip/';
export const wipRef = (specId: string): string => `${wipRefs}${specId}`;
export const spendRefs = 'refs/orgrepo/spend/';
export const spendRef = (host: string): string => `${spendRefs}${host}`;

/** `refs/heads/orgrepo/best` as people say it. */
export const shortRef = (ref: string): string => ref.replace(/^refs\/heads\//, '');

export const agentEmail = (agent: string): string => `${agent}@agents.invalid`;

/** Names of agents become branch names, directories and authors. */
export const isAgentName = (name: string): boolean => /^[a-z][a-z0-9-]{0,31}$/.test(name);
