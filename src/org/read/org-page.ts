import type { Charter, OtherSection, Playbook } from '../../domain/staff/charter.ts';
import { problemAt, shown } from '../../text/problem.ts';
import { describing, noteProse, noteUnknown, refusePolicyOutside } from './org-limits.ts';
import {
  asWritten,
  contextOf,
  type Known,
  knownKeys,
  type OrgFact,
  type OrgNotes,
  type PlacedText,
  paragraphs,
  refuseTwin,
  refuseTwins,
  takeFacts,
  withContext,
} from './org-metadata.ts';
import { oneLine, plainTitle, type Section, withChildren } from './org-sections.ts';

const sectionNames = ['identity', 'culture', 'sdlc', 'structure', 'policies', 'playbooks'] as const;
type SectionName = (typeof sectionNames)[number];

/** ORG.md by its sections, and what it says of itself. */
export interface OrgPage {
  readonly name: PlacedText | undefined;
  readonly sections: ReadonlyMap<SectionName, Section>;
  /** What stands outside of all sections or under Identity: prose and facts. */
  readonly identity: string;
  readonly mission: PlacedText | undefined;
  /** The first paragraph, where nothing is called the mission. */
  readonly opening: string;
  readonly zone: OrgFact | undefined;
  readonly others: readonly OtherSection[];
}

export function readPage(root: Section, notes?: OrgNotes): OrgPage {
  const sections = new Map<SectionName, Section>();
  const others: OtherSection[] = [];
  const outside: Section[] = [root];
  let name: PlacedText | undefined;
  const visit = (section: Section): void => {
    const known = sectionNames.find((one) => one === plainTitle(section.title));
    if (section.depth === 2 && known !== undefined) {
      refuseTwin(shown(section.title), sections.get(known)?.place, section.place, 'Put both under one heading.');
      sections.set(known, section);
      return;
    }
    if (known !== undefined) throw wrongDepth(section);
    if (section.depth > 1) {
      if (notes !== undefined) refusePolicyOutside(section, notes);
      others.push({ name: section.title, text: wholeText(section), place: section.place });
      return;
    }
    if (name === undefined && section.title !== '') {
      name = { text: section.title, place: section.place };
      outside.push(section);
    } else {
      const text = asWritten(section);
      if (text !== '' || section.title !== '') others.push({ name: section.title, text, place: section.place });
    }
    for (const child of section.children) visit(child);
  };
  for (const child of root.children) visit(child);
  const identity = sections.get('identity');
  const parts = [...outside, ...(identity === undefined ? [] : withChildren(identity))];
  const taken = parts.map((section) => takeFacts(section, factKeys));
  const facts = taken.map((one) => one.facts);
  if (notes !== undefined)
    noteUnknown(
      taken.flatMap((one) => one.unknown),
      'identity',
      factKeys,
      notes,
    );
  const find = (key: string): OrgFact | undefined =>
    facts.map((one) => one.get(key)).find((fact) => fact !== undefined);
  const prose = parts.flatMap(({ blocks }) => blocks).filter((block) => block.kind === 'prose');
  return {
    name,
    sections,
    identity: paragraphs(...outside.map(asWritten), identity === undefined ? '' : wholeText(identity)),
    mission: find('mission'),
    opening: oneLine(prose[0]?.text ?? ''),
    zone: find('timezone'),
    others,
  };
}

const factKeys: Known = new Map([...describing, ...knownKeys({ mission: [], timezone: ['time_zone'] })]);

/** A section as it was written, with the headings below it. */
const wholeText = (section: Section): string => wrote(withChildren(section));

const wrote = (sections: readonly Section[]): string =>
  contextOf(sections.map((section) => ({ section, rest: asWritten(section) })));

function wrongDepth({ title, depth, place }: Section) {
  const what = `${shown(title)} has ${depth} ${depth === 1 ? 'sign' : 'signs'} before it, expected two: ## ${title}`;
  return problemAt('org/structure', place, what, `Write ## ${title}, and what belongs to it with three or more.`);
}

/** `## Playbooks`: an H3 each, with its numbered steps; bullets count where nothing is numbered. */
export function readPlaybooks(
  section: Section | undefined,
  notes: OrgNotes,
): Pick<Charter, 'playbooks'> & { readonly context: string } {
  if (section === undefined) return { playbooks: [], context: '' };
  noteProse(section, notes);
  refuseTwins('the playbook', section.children, 'Put the steps of both under one heading.');
  return { playbooks: section.children.map(readPlaybook), context: asWritten(section) };
}

export const formatPlaybooks = (playbooks: readonly Playbook[]): string =>
  playbooks
    .map(({ name, steps, context }) => {
      const lines = steps.map((step, index) => {
        const marker = `${index + 1}. `;
        return `${marker}${step.replace(/\n(?=[^\n])/g, `\n${' '.repeat(marker.length)}`)}`.trimEnd();
      });
      return withContext(name, lines.join('\n'), context);
    })
    .join('\n\n');

function readPlaybook(section: Section): Playbook {
  const lists = section.blocks.filter((block) => block.kind === 'list');
  const numbered = lists.some(({ ordered }) => ordered);
  const isSteps = (block: Section['blocks'][number]): boolean => block.kind === 'list' && block.ordered === numbered;
  const rest = { ...section, blocks: section.blocks.filter((block) => !isSteps(block)) };
  return {
    name: section.title,
    steps: lists.filter(isSteps).flatMap(({ items }) => items.map(({ text }) => text)),
    context: wrote([rest, ...section.children.flatMap(withChildren)]),
    place: section.place,
  };
}
