import type { Spec } from './spec.ts';

/** How soon a spec is worked. Risk says how much it may break; the two have nothing to do with each other. */
export const priorities = ['low', 'normal', 'high', 'critical'] as const;

export type Priority = (typeof priorities)[number];

/**
 * How soon a spec is worked, normal where it says nothing. `critical` opens closed hours, so it is a person's word: what an
 * agent has written counts as high at the most. `isAgent` says whether a name is an agent's.
 */
export function priorityOf(
  { priority = 'normal', by }: Pick<Spec, 'priority' | 'by'>,
  isAgent: (name: string) => boolean,
): Priority {
  return priority === 'critical' && isAgent(by) ? 'high' : priority;
}

/** What nobody lets wait. */
export const isUrgent = (priority: Priority): boolean => priority === 'high' || priority === 'critical';

/** Negative where `a` comes before `b`: the more urgent first. */
export const byUrgency = (a: Priority, b: Priority): number => priorities.indexOf(b) - priorities.indexOf(a);
