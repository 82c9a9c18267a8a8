import type { Priority } from './priority.ts';
import type { Risk } from './risk.ts';

/** One measurable piece of work, a Markdown file on the queue branch. */
export interface Spec {
  /** Digits, at least four of them: `0007`. The claim of a spec is the branch orgrepo/work/<id>. */
  readonly id: string;
  readonly title: string;
  /** Who wrote it: `chief`, a person's name, or `merge` for a conflict that orgrepo found. */
  readonly by: string;
  /** How many tries it may use; the brief's `attempts` where it says nothing. */
  readonly attempts: number | undefined;
  /** How much it may break; low where it says nothing. */
  readonly risk?: Risk | undefined;
  /** Whose field it is, in the words of the chart's domains; without it title and text are searched for them. */
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
