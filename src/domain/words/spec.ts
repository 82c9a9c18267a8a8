import type { Experiment } from './experiment.ts';

/** One measurable piece of work, a Markdown file on the queue branch. */
export interface Spec {
  /** Digits, at least four of them: `0007`. The claim of a spec is the branch orgrepo/work/<id>. */
  readonly id: string;
  readonly title: string;
  /** The author: `chief`, a person's name, or `merge` for a conflict that orgrepo found. */
  readonly by: string;
  /** How many tries it may use; the brief's `attempts` where it says nothing. */
  readonly attempts: number | undefined;
  /** How much it may break; low where it says nothing. */
  readonly risk?: Risk | undefined;
  /** Its domain, in the words of the chart; without one, title and text are searched for the words of a domain. */
  readonly domain?: string | undefined;
  /** How soon it is worked; normal where it says nothing. */
  readonly priority?: Priority | undefined;
  /** `human`: it waits for a person. Without it any junior may take it. */
  readonly role?: 'human' | undefined;
  readonly body: string;
}

/** A spec that has no number yet. */
export type Draft = Omit<Spec, 'id'>;

export const isSpecId = (id: string): boolean => /^[0-9]{4,9}$/.test(id);

/** A spec as a person names it where a number alone would be an experiment's: `0012`, `spec-1000`. */
export const specWord = (id: string): string => (id.startsWith('0') ? id : `spec-${id}`);

export const specIdOf = (number: number): string => String(number).padStart(4, '0');

/** `specs/0007-leave-less-room.md` */
export function specFileName(spec: Spec): string {
  const slug = slugOf(spec.title);
  return slug === '' ? `${spec.id}.md` : `${spec.id}-${slug}.md`;
}

/** A title as a name of files and branches has it; empty where nothing of it is left. */
export const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 48)
    .replace(/-+$/, '');

/** How much a change may break. The more it may, the more people and models look at it before it counts. */
export const risks = ['low', 'medium', 'high', 'critical'] as const;

export type Risk = (typeof risks)[number];

/** What a spec says of itself, or what the brief says of all of them where that is more. */
export function riskOf(spec: { readonly risk?: Risk | undefined }, brief: { readonly risk: Risk }): Risk {
  return higherRisk(spec.risk ?? 'low', brief.risk);
}

export const higherRisk = (one: Risk, other: Risk): Risk => (isAtLeast(one, other) ? one : other);

/** From medium up critics challenge the plan, from high up a checker looks at the change, and critical waits for a person. */
export const isAtLeast = (risk: Risk, least: Risk): boolean => risks.indexOf(risk) >= risks.indexOf(least);

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

/** One spec in full, from its text to what became of it. */
export interface SpecStory {
  readonly spec: Spec;
  /** The agent that has it, or had it; undefined while it is open. */
  readonly agent: string | undefined;
  /** Why its notebook ended; undefined while it has not. */
  readonly ended: string | undefined;
  readonly used: number;
  /** How many tries it may use; undefined where only a brief of another day could tell. */
  readonly attempts: number | undefined;
  readonly metric: string;
  /** The score of the line that the next try starts from, and that of best where it is another by now. */
  readonly score: number | undefined;
  readonly best: number | undefined;
  readonly experiments: readonly Experiment[];
  /** How a person stands with it, when it waits for one. */
  readonly person: PersonsPart | undefined;
}

export interface PersonsPart {
  /** The directory to edit in; undefined until a run has laid it. */
  readonly bench: string | undefined;
  /** What is not as the line has it: what `--done` would offer. */
  readonly edited: readonly string[];
  /** What of it may not be, in words. */
  readonly overstep: string | undefined;
  /** What waits for a run: an offer with its commit and title, or the end. */
  readonly said: { readonly commit: string; readonly title: string } | 'close' | undefined;
  /** The kept offer that went on in another form while the bench had edits. */
  readonly leftBehind: number | undefined;
}
