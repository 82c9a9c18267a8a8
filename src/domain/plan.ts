import type { Brief } from './brief.ts';
import type { Problem } from './problem.ts';
import { choiceInWords, choiceOf } from './staff.ts';

/** Something that a run would do otherwise than the last one. */
export interface Change {
  readonly kind: 'add' | 'remove' | 'change';
  /** `brief`, `harness`, `budget.night`, `agents.junior-3`. */
  readonly what: string;
  readonly from?: string;
  readonly to?: string;
}

export interface PlannedAgent {
  readonly id: string;
  readonly level: 'chief' | 'junior';
  readonly reportsTo: string | undefined;
  /** `search`, or the command that a person named. */
  readonly agent: string;
}

/** What a run would be, before it is started. ORG.md will have more to say of it: people, culture, playbooks. */
export interface Plan {
  readonly name: string;
  /** Undefined when nothing has run here yet. */
  readonly lastRun: string | undefined;
  /** The brief's file. */
  readonly file: string;
  readonly brief: Brief;
  readonly briefId: string;
  readonly harness: { readonly id: string; readonly files: number };
  readonly agents: readonly PlannedAgent[];
  /** What the night starts from; undefined when it was not measured. */
  readonly start: { readonly score: number; readonly seconds: number | undefined } | undefined;
  readonly changes: readonly Change[];
  readonly warnings: readonly Problem[];
}

/** Who would work under a brief: the chief, who writes specs, and the juniors, who work them. */
export function agentsOf(brief: Brief): readonly PlannedAgent[] {
  const named = (id: string): string => choiceInWords(choiceOf(brief.staff, id));
  const juniors = Array.from({ length: brief.juniors }, (_, index) => `junior-${index + 1}`);
  return [
    { id: 'chief', level: 'chief', reportsTo: undefined, agent: named('chief') },
    ...juniors.map((id) => ({ id, level: 'junior', reportsTo: 'chief', agent: named(id) }) as const),
  ];
}

/** What differs between two lists of values, in the order of the newer one. */
export function changesBetween(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly Change[] {
  const now = [...after].flatMap(([what, to]): Change[] => {
    const from = before.get(what);
    if (from === undefined) return [{ kind: 'add', what, to }];
    return from === to ? [] : [{ kind: 'change', what, from, to }];
  });
  const gone = [...before].filter(([what]) => !after.has(what));
  return [...now, ...gone.map(([what, from]): Change => ({ kind: 'remove', what, from }))];
}
