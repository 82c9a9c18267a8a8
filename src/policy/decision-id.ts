import { createHash } from 'node:crypto';
import type { Act } from '../domain/rules/act.ts';
import { formatAct } from './act-text.ts';

/** Follows from the policies and the act alone: the same question has the same name, and no other has it. */
export const decisionId = (tree: string, act: Act): string =>
  createHash('sha256')
    .update(`${tree}\n${formatAct(act)}`)
    .digest('hex')
    .slice(0, 16);
