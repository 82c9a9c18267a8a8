import type { Finding } from '../domain/finding.ts';
import type { Page } from './library.ts';

/** A finding about a commit. */
export const about = (page: Page, what: string, expected: unknown, found: unknown): Finding => ({
  where: page.id,
  title: page.title,
  at: page.commit.committer.at,
  what,
  expected: words(expected),
  found: words(found),
});

/** A finding about a ref, an object or a file. */
export const aboutPlace = (where: string, what: string, expected: unknown, found: unknown): Finding => ({
  ...{ where, what, title: '', at: 0 },
  expected: words(expected),
  found: words(found),
});

const words = (value: unknown): string => (value === undefined || value === '' ? 'nothing' : String(value));
