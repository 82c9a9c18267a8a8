import type { AuditFinding } from '../domain/rules/finding.ts';
import type { AuditPage } from './audit-library.ts';

/** A finding about a commit. */
export const about = (page: AuditPage, what: string, expected: unknown, found: unknown): AuditFinding => ({
  where: page.id,
  title: page.title,
  at: page.commit.committer.at,
  what,
  expected: words(expected),
  found: words(found),
});

/** A finding about a ref, an object or a file that cannot be read: nothing can be told without it, so it comes first. */
export const aboutPlace = (where: string, what: string, expected: unknown, found: unknown): AuditFinding => ({
  ...{ where, what, title: '', at: 0 },
  expected: words(expected),
  found: words(found),
});

/** A finding about where a ref stands now: it comes last, since every commit may be as it was. */
export const aboutTip = (ref: string, what: string, expected: unknown, found: unknown): AuditFinding => ({
  ...aboutPlace(ref, what, expected, found),
  at: Number.MAX_SAFE_INTEGER,
});

const words = (value: unknown): string => (value === undefined || value === '' ? 'nothing' : String(value));
