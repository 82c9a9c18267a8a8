import type { AuditFinding } from '../../domain/rules/finding.ts';
import { listSubstitutes } from '../../git/objects/substitutes.ts';
import { aboutPlace } from '../audit-finding.ts';
import type { Library } from '../audit-library.ts';

/**
 * Nothing makes git show a person another history than the one that is checked here. What a person substitutes for
 * objects that orgrepo's refs do not lead to is their own affair.
 */
export async function* checkSubstitutes(library: Library): AsyncGenerator<AuditFinding> {
  for (const { id, kind, where, says } of await listSubstitutes(library.org.repo)) {
    if (!library.has(id)) continue;
    const title = library.page(id)?.title;
    const named = title === undefined ? id : `${id} (${title})`;
    yield kind === 'replace'
      ? aboutPlace(
          where,
          `git shows another object in place of ${named}`,
          `none: git replace -d ${id}`,
          `the object ${says}`,
        )
      : aboutPlace(where, `git shows other parents of ${named}`, `no line for it: take it out of ${where}`, says);
  }
}
