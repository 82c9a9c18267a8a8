import {
  appliedRef,
  bestRef,
  decisionsRef,
  queueRef,
  recommendationRefs,
  reportsRef,
  spendRefs,
  traceRef,
  traceRefs,
  wipRefs,
  workRefs,
} from './names.ts';
import { isSpecId } from './spec.ts';

/** Whether orgrepo makes a ref of this name for its own use. */
export const isOrgRef = (ref: string): boolean =>
  [bestRef, queueRef, reportsRef, decisionsRef, appliedRef].includes(ref) ||
  [workRefs, wipRefs, traceRefs].some((prefix) => ref.startsWith(prefix) && isSpecId(ref.slice(prefix.length))) ||
  ref === traceRef(undefined) ||
  (ref.startsWith(spendRefs) && /^[A-Za-z0-9.-]+$/.test(ref.slice(spendRefs.length)));

/** Whether it is one that orgrepo makes for people. */
export const isProposalRef = (ref: string): boolean =>
  ref.startsWith(recommendationRefs) && /^[a-z0-9-]+$/.test(ref.slice(recommendationRefs.length));
