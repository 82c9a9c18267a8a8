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
/** Edits of people's files that were recommended, each for a person to review; nothing else of orgrepo's rests on them. */
export const recommendationRefs = 'refs/heads/orgrepo/recommendation/';
export const traceRefs = 'refs/orgrepo/trace/';
/** Of a spec, or of the chief, who works on none. */
export const traceRef = (specId: string | undefined): string => `${traceRefs}${specId ?? 'chief'}`;

/** Which organisation is in force: ORG.md, org.yaml, policies and brief as they were applied. */
export const appliedRef = 'refs/orgrepo/applied';

export const tipsRefs = 'refs/orgrepo/tips/';
/** Where runs on a host left the other refs when they were over. */
export const tipsRef = (host: string): string => `${tipsRefs}${host}`;

/** Where all refs were at an instant, signed by a machine. */
export const checkpointsRef = 'refs/orgrepo/checkpoints';

/** What policies decided, for the whole org. */
export const decisionsRef = 'refs/orgrepo/decisions';

/** `refs/heads/orgrepo/best` as people say it. */
export const shortRef = (ref: string): string => ref.replace(/^refs\/heads\//, '');
