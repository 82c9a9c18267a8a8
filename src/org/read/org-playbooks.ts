import type { Playbook } from '../../domain/staff/charter.ts';
import { shown } from '../../text/clean.ts';
import { problemAt } from '../../text/problem-at.ts';
import { contextOf, knownKeys, takeFacts, withContext } from './org-metadata.ts';
import type { OrgNotes } from './org-notes.ts';
import { plainTitle, type Section, withChildren } from './org-sections.ts';

/** `## Playbooks`: an H3 each, with its numbered steps; bullets count where nothing is numbered. */
export function readPlaybooks(
  section: Section | undefined,
  notes: OrgNotes,
): { readonly playbooks: readonly Playbook[]; readonly context: string } {
  if (section === undefined) return { playbooks: [], context: '' };
  const first = new Map<string, Section>();
  const playbooks = section.children.map((one) => {
    const name = plainTitle(one.title);
    const before = first.get(name);
    if (before !== undefined) {
      const what = `the playbook ${shown(one.title)} is there twice, first on line ${before.place.line ?? 1}`;
      throw problemAt('org/structure', one.place, what, 'Put the steps of both under one heading.');
    }
    first.set(name, one);
    return readPlaybook(one, notes);
  });
  return { playbooks, context: takeFacts(section, nothing, notes).rest };
}

export const formatPlaybooks = (playbooks: readonly Playbook[]): string =>
  playbooks
    .map(({ name, steps, context }) => {
      const lines = steps.map((step, index) => {
        const marker = `${index + 1}. `;
        return `${marker}${step.replace(/\n(?=[^\n])/g, `\n${' '.repeat(marker.length)}`)}`.trimEnd();
      });
      return [`### ${name}`, ...withContext(lines.join('\n'), context)].join('\n\n');
    })
    .join('\n\n');

const nothing = knownKeys({});

function readPlaybook(section: Section, notes: OrgNotes): Playbook {
  const lists = section.blocks.filter((block) => block.kind === 'list');
  const numbered = lists.some(({ ordered }) => ordered);
  const isSteps = (block: Section['blocks'][number]): boolean => block.kind === 'list' && block.ordered === numbered;
  const rest = { ...section, blocks: section.blocks.filter((block) => !isSteps(block)) };
  const parts = [rest, ...section.children.flatMap(withChildren)];
  return {
    name: section.title,
    steps: lists.filter(isSteps).flatMap(({ items }) => items.map(({ text }) => text)),
    context: contextOf(parts.map((one) => ({ section: one, rest: takeFacts(one, nothing, notes).rest }))),
    place: section.place,
  };
}
