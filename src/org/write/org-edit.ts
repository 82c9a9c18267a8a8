import { quoted } from '../../text/clean.ts';
import {
  comparableWords,
  type Heading,
  headingsIn,
  type KeyedLine,
  keyedLines,
  lineEndOf,
  linesWithEnds,
} from '../../text/markdown-lines.ts';
import { isProblem, type Place, type Problem, problemAt } from '../../text/problem.ts';
/** An edit that is one of ORG.md. */
export type OrgEdit = Exclude<Edit, { readonly kind: 'brief-line' }>;

/**
 * ORG.md with one thing changed and every other byte as it was; or what stands against it. Lines are looked at and not a tree
 * of Markdown: who prints a tree again writes the whole file anew.
 */
export function editOrg(text: string, edit: OrgEdit, file = 'ORG.md'): string | Problem {
  const page = openPage(text, file);
  if (edit.kind === 'count') return setCount(page, edit);
  if (edit.kind === 'add-role') return addRole(page, edit);
  const [, role, key] = /^roles\.(.+)\.(level|limit)$/.exec(edit.path) ?? [];
  if (role !== undefined && key !== undefined) return setOfRole(page, role, key, edit.value);
  const budget = /^policies\.budget\.(perAgent|total)$/.exec(edit.path)?.[1];
  if (budget !== undefined) return setBudget(page, budget as keyof typeof budgetKeys, edit.value);
  return wrong(page, 0, `${quoted(edit.path)} is nothing that can be set here`, 'Edit it by hand.');
}

interface Page {
  readonly file: string;
  readonly lines: readonly string[];
  readonly headings: readonly Heading[];
  readonly end: string;
}

const openPage = (text: string, file: string): Page => {
  const lines = linesWithEnds(text);
  return { file, lines, headings: headingsIn(lines), end: lineEndOf(text) };
};

const roleKeys = {
  count: { label: 'Count', names: ['count'] },
  level: { label: 'Level', names: ['level'] },
  limit: { label: 'Limit', names: ['limit', 'budget', 'per agent limit'] },
} as const;

const budgetKeys = {
  perAgent: { label: 'Per-agent limit', names: ['per agent limit', 'per agent', 'agent limit'] },
  total: { label: 'Total limit', names: ['total limit', 'total', 'org limit', 'total budget'] },
} as const;

interface Key {
  readonly label: string;
  readonly names: readonly string[];
}

function setCount(page: Page, { role, place, from, to }: Extract<OrgEdit, { kind: 'count' }>): string | Problem {
  const heading = roleAt(page, role, place.line);
  if (isProblem(heading)) return heading;
  const line = ownLine(page, heading, roleKeys.count);
  const now = line === undefined ? 1 : Number(/[0-9]+/.exec(line.value)?.[0] ?? Number.NaN);
  if (now !== from)
    return wrong(
      page,
      line?.index ?? heading.index,
      `the count of ${quoted(role)} is ${line?.value ?? 1} by now, not ${from}`,
    );
  if (line === undefined) return withItem(page, heading, roleKeys.count.label, String(to));
  return replaced(page, line, line.value.replace(/[0-9]+/, String(to)));
}

function setOfRole(page: Page, role: string, key: string, value: string): string | Problem {
  const heading = roleAt(page, role, undefined);
  if (isProblem(heading)) return heading;
  return setUnder(page, heading, roleKeys[key as keyof typeof roleKeys], value);
}

function setBudget(page: Page, which: keyof typeof budgetKeys, value: string): string | Problem {
  const key = budgetKeys[which];
  const policies = page.headings.find(({ depth, title }) => depth === 2 && comparableWords(title) === 'policies');
  const said = which === 'total' ? page.lines.findIndex((line) => /^\s*monthly_compute\s*:/.test(line)) : -1;
  if (said >= 0) return wrong(page, said, 'the total stands in the front matter', `Change it there, to ${value}.`);
  if (policies === undefined)
    return append(page, ['## Policies', '', '### Budget', '', `- **${key.label}:** ${value}`]);
  const below = childrenOf(page, policies).filter(({ depth }) => depth === 3);
  const named = below.find(({ title }) => comparableWords(title) === 'budget');
  const saying = [...(named === undefined ? [] : [named]), policies, ...below].find((one) => ownLine(page, one, key));
  if (saying !== undefined) return setUnder(page, saying, key, value);
  if (named !== undefined) return withItem(page, named, key.label, value);
  return insert(page, endOf(page, policies), ['', '### Budget', '', `- **${key.label}:** ${value}`]);
}

function addRole(page: Page, edit: Extract<OrgEdit, { kind: 'add-role' }>): string | Problem {
  const wanted = comparableWords(edit.department);
  const departments = inStructure(page).filter(({ depth }) => depth === 3);
  const department =
    departments.find(({ title }) => comparableWords(title) === wanted) ??
    departments.find(
      ({ title }) => comparableWords(title).replace(/ (?:lead|manager|head|director|vp)$/, '') === wanted,
    );
  if (department === undefined) return wrong(page, 0, `there is no department ${quoted(edit.department)}`);
  const taken = childrenOf(page, department).find(({ title }) => comparableWords(title) === comparableWords(edit.name));
  if (taken !== undefined) return wrong(page, taken.index, `there is a role ${quoted(edit.name)} already`);
  return insert(page, endOf(page, department), [
    '',
    `${'#'.repeat(department.depth + 1)} ${edit.name}`,
    '',
    ...(edit.model === undefined ? [] : [`- **Model:** ${edit.model}`]),
    ...(edit.domain === undefined ? [] : [`- **Domain:** ${edit.domain}`]),
    `- **Level:** ${edit.level}`,
  ]);
}

/** The heading of a role: where it stood when it was read, else the only one of its name. */
function roleAt(page: Page, role: string, line: number | undefined): Heading | Problem {
  const named = inStructure(page).filter(({ title }) => comparableWords(title) === comparableWords(role));
  const [first, second] = named;
  const there = named.find(({ index }) => index + 1 === line) ?? (second === undefined ? first : undefined);
  if (there !== undefined) return there;
  if (first === undefined) return wrong(page, 0, `there is no role ${quoted(role)} under Structure`);
  return wrong(page, second?.index ?? 0, `there are ${named.length} roles ${quoted(role)}`);
}

const inStructure = (page: Page): readonly Heading[] => {
  const structure = page.headings.find(({ depth, title }) => depth === 2 && comparableWords(title) === 'structure');
  return structure === undefined ? [] : childrenOf(page, structure);
};

/** All headings below one, at any depth. */
function childrenOf({ headings }: Page, parent: Heading): readonly Heading[] {
  const after = headings.filter(({ index }) => index > parent.index);
  const next = after.findIndex(({ depth }) => depth <= parent.depth);
  return next < 0 ? after : after.slice(0, next);
}

/** The line after all that stands below a heading, those of its children included. */
function endOf({ headings, lines }: Page, parent: Heading): number {
  return headings.find(({ index, depth }) => index > parent.index && depth <= parent.depth)?.index ?? lines.length;
}

/** The line after what stands below a heading and above the next one. */
const ownEnd = ({ headings, lines }: Page, heading: Heading): number =>
  headings.find(({ index }) => index > heading.index)?.index ?? lines.length;

const ownLine = (page: Page, heading: Heading, { names }: Key): KeyedLine | undefined =>
  keyedLines(page.lines, heading.index + 1, ownEnd(page, heading), (key) => names.includes(key))[0];

function setUnder(page: Page, heading: Heading, key: Key, value: string): string {
  const line = ownLine(page, heading, key);
  if (line === undefined) return withItem(page, heading, key.label, value);
  const [per = ''] = /\s*\/\s*[a-z]+$/i.exec(line.value) ?? []; // `/period` is not ours to take away.
  return replaced(page, line, `${value}${per}`);
}

function replaced({ lines }: Page, { index, before, value, after }: KeyedLine, now: string): string {
  const line = lines[index] ?? '';
  const start = line.indexOf(before + value + after);
  const rest = line.slice(start + (before + value + after).length);
  return [
    ...lines.slice(0, index),
    `${line.slice(0, start)}${before}${now}${after}${rest}`,
    ...lines.slice(index + 1),
  ].join('');
}

/** One item more in the list of what a heading says; a list of its own where there is none. */
function withItem(page: Page, heading: Heading, label: string, value: string): string {
  const to = ownEnd(page, heading);
  const last = keyedLines(page.lines, heading.index + 1, to).findLast(({ bullet }) => bullet !== '');
  if (last === undefined) return insert(page, to, ['', `- **${label}:** ${value}`]);
  let at = last.index + 1;
  while (at < to && /^[ \t]+\S/.test(page.lines[at] ?? '')) at += 1; // What belongs to the item.
  return insert(page, at, [`${last.bullet}**${label}:** ${value}`]);
}

const append = (page: Page, added: readonly string[]): string => insert(page, page.lines.length, ['', ...added]);

/** Puts lines behind the last one before `at` that is not empty. */
function insert({ lines, end }: Page, at: number, added: readonly string[]): string {
  let to = at;
  while (to > 0 && (lines[to - 1] ?? '').trim() === '') to -= 1;
  const before = lines.slice(0, to).join('');
  const open = before === '' || before.endsWith('\n') ? '' : end;
  const text = added.map((line) => `${line}${end}`).join('');
  const after = lines.slice(to).join('');
  return `${before}${open}${open !== '' && after === '' ? text.slice(0, -end.length) : text}${after}`;
}

const wrong = (
  { file }: Page,
  index: number,
  what: string,
  hint = 'Edit it by hand, or wait for the next report.',
): Problem => problemAt('org/structure', { file, line: index + 1, column: 1 }, what, hint);

/** A change to a file of people's, for `apply --recommendation` to make as a commit that a person reviews. */
export type Edit =
  /** `Count` of a role in ORG.md. */
  | {
      readonly kind: 'count';
      readonly role: string;
      readonly place: Place;
      readonly from: number;
      readonly to: number;
    }
  | {
      readonly kind: 'add-role';
      readonly department: string;
      readonly name: string;
      readonly domain: string | undefined;
      /** As the role that it is modelled on writes it. */
      readonly model: string | undefined;
      readonly level: number;
    }
  /** A line at the end of program.md's prose. */
  | { readonly kind: 'brief-line'; readonly text: string }
  /** A value of ORG.md by its path in the charter: `policies.budget.perAgent`, `roles.QA Worker.level`. */
  | { readonly kind: 'set'; readonly path: string; readonly value: string };
