import { fit } from '../../terminal/width.ts';
import type { Plan } from '../org-plan.ts';

/** A sign before each part says whether it is new since the last run. */
export const signs = { add: '+', remove: '-', change: '~' } as const;

export const signOf = ({ changes }: Plan, what: string): string => {
  const change = changes.find((one) => one.what === what);
  return change === undefined ? '=' : signs[change.kind];
};

export const row = (part: string, sign: string, name: string, words: string): string =>
  `  ${part.padEnd(10)} ${sign} ${fit(name, Math.max(14, name.length))}  ${words}`;
