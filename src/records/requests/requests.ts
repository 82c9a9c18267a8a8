import type { Request } from '../../domain/rules/request.ts';
import { isForPerson } from '../../domain/staff/escalation.ts';
import { liveNotebooks } from '../notebook/history.ts';
import type { Notebook } from '../notebook/notebook.ts';
import type { Org } from '../org.ts';
import { type Queue, readQueue } from '../queue/queue.ts';
import { readActs } from './acts.ts';
import { readEscalations } from './escalations.ts';
import { findKeep, readKeeps } from './keeps.ts';
import { readAlerts, readNotices } from './notices.ts';

export { type ActDraft, draftFor, requestKey, whole } from './act-draft.ts';
/** The one book of what waits for a person. Other rooms import this file alone. */
export { actEvents, actsOf, decisionsNow, isAct, isPersons, writeAct } from './act-log.ts';
export {
  type ActAnswer,
  actsIn,
  answerAct,
  askPeople,
  awaitedBy,
  readActs,
  usesOfRequest,
  yesTo,
} from './acts.ts';
export { type DecisionState, noDecisions, refuseStale, type Signing, winSubject } from './decision-state.ts';
export {
  answerEscalation,
  answerInWords,
  readAsked,
  readAssignments,
  readEscalations,
  readExcused,
  writeCycle,
  writeRaised,
} from './escalations.ts';
export { answerKeep, readKeepAnswer, readKeeps } from './keeps.ts';
export { type NoticeDraft, writeAlert, writeNotice } from './notices.ts';
export { answerKey, isPersonsDecision, judgeDecision } from './signed-acts.ts';
export {
  decisionNamespace,
  newestCheckpoint,
  refuseSecretIn,
  type SignedStatement,
  signersOnQueue,
  statementParts,
  textInCommit,
} from './statement-files.ts';

/** Everything that waits for a person now: what the last run met, then wins, acts and escalations, then alerts. */
export async function readWaiting(
  org: Org,
  now: number,
  known?: { readonly queue: Queue; readonly live: readonly Notebook[] },
): Promise<readonly Request[]> {
  const queue = known?.queue ?? (await readQueue(org));
  if (queue === undefined) return [];
  const live = known?.live ?? (await liveNotebooks(org, queue));
  // Most orgs have no acts, and then nothing else is read.
  const [acts, escalations] =
    queue.ledger.acts === 0 ? [[], []] : [await readActs(org, now), await readEscalations(org, now)];
  return [
    ...(await readNotices(org, queue, live)),
    ...(await readKeeps(org, queue, live)),
    ...acts.filter(({ stage }) => stage.kind === 'waits'),
    ...escalations.filter(isForPerson),
    ...(await readAlerts(org, queue, now)),
  ];
}

/** The request with the id that people type: `17`, `A3` or `E3`. A notice has none. */
export async function findRequest(org: Org, id: string, now: number): Promise<Answerable | undefined> {
  if (/^[0-9]/.test(id)) return findKeep(org, Number(id));
  return [...(await readActs(org, now)), ...(await readEscalations(org, now))].find((one) => one.id === id);
}

/** A request that a person can answer. */
export type Answerable = Exclude<Request, { readonly kind: 'notice' }>;
