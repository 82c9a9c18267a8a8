import { isSpecId } from '../../domain/words/spec.ts';
import {
  appliedRef,
  bestRef,
  checkpointsRef,
  decisionsRef,
  queueRef,
  recommendationRefs,
  reportsRef,
  spendRefs,
  tipsRefs,
  traceRef,
  traceRefs,
  wipRefs,
  workRefs,
} from '../../git/refs/ref-names.ts';

/** Whether orgrepo makes a ref of this name for its own use. */
export const isOrgRef = (ref: string): boolean =>
  [bestRef, queueRef, reportsRef, decisionsRef, appliedRef, checkpointsRef].includes(ref) ||
  [workRefs, wipRefs, traceRefs].some((prefix) => ref.startsWith(prefix) && isSpecId(ref.slice(prefix.length))) ||
  ref === traceRef(undefined) ||
  [spendRefs, tipsRefs].some((prefix) => ref.startsWith(prefix) && isHost(ref.slice(prefix.length)));

const isHost = (name: string): boolean => /^[A-Za-z0-9.-]+$/.test(name);

/** Whether it is one that orgrepo makes for people. */
export const isProposalRef = (ref: string): boolean =>
  ref.startsWith(recommendationRefs) && /^[a-z0-9-]+$/.test(ref.slice(recommendationRefs.length));
