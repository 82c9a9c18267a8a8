/** One measurable piece of work, a Markdown file on the queue branch. */
export interface Spec {
  /** Digits, at least four of them: `0007`. The claim of a spec is the branch orgrepo/work/<id>. */
  readonly id: string;
  readonly title: string;
  /** Who wrote it: `chief`, a person's name, or `merge` for a conflict that orgrepo found. */
  readonly by: string;
  /** How many tries it may use; the brief's `attempts` where it says nothing. */
  readonly attempts: number | undefined;
  readonly body: string;
}

/** A spec that has no number yet. */
export type Draft = Omit<Spec, 'id'>;

export const isSpecId = (id: string): boolean => /^[0-9]{4,9}$/.test(id);

export const specIdOf = (number: number): string => String(number).padStart(4, '0');

/** `specs/0007-leave-less-room.md` */
export function specFileName(spec: Spec): string {
  const slug = spec.title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 48)
    .replace(/-+$/, '');
  return slug === '' ? `${spec.id}.md` : `${spec.id}-${slug}.md`;
}
