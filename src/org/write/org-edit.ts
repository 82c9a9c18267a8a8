import { comparableWords } from '../../text/markdown-lines.ts';
import { type Place, type Problem, problemAt, quoted } from '../../text/problem.ts';
import { splitHeading } from '../read/org-names.ts';
import { plainTitle, type Section, withChildren } from '../read/org-sections.ts';
import { budgetKeys } from '../settings/org-budget.ts';
import {
  applyEdits,
  insertAfter,
  lastWritten,
  type OrgPlaces,
  placed,
  placesOf,
  sectionCalled,
  setCount,
  setFact,
} from './org-edits.ts';

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

/** An edit that is one of ORG.md. */
export type OrgEdit = Exclude<Edit, { readonly kind: 'brief-line' }>;

/** ORG.md with one thing changed and every other byte as it was; or what stands against it. */
export function editOrg(text: string, edit: OrgEdit, file = 'ORG.md'): string | Problem {
  const page = placesOf(text, file);
  const wrong = edit.kind === 'set' ? setValue(page, edit, text) : changeRole(page, edit);
  if (wrong !== undefined) {
    const { line, what, hint = 'Edit it by hand, or wait for the next report.' } = wrong;
    return problemAt('org/structure', { file, line, column: 1 }, what, hint);
  }
  const edited = applyEdits(page.edits);
  return text.endsWith('\n') ? edited : edited.replace(/\r?\n$/, '');
}

/** Why an edit is not made. */
interface Wrong {
  readonly line: number | undefined;
  readonly what: string;
  readonly hint?: string;
}

function changeRole(page: OrgPlaces, edit: Exclude<OrgEdit, { kind: 'set' }>): Wrong | undefined {
  if (edit.kind === 'add-role') return addRole(page, edit);
  const { role, from, to } = edit;
  const heading = roleAt(page, role, edit.place.line);
  if ('what' in heading) return heading;
  const place = page.at(heading.place.line);
  const said = place?.facts.get('count');
  const now = said === undefined ? 1 : Number(/[0-9]+/.exec(said.text)?.[0] ?? Number.NaN);
  if (place === undefined || now !== from)
    return {
      line: said?.place.line ?? heading.place.line,
      what: `the count of ${quoted(role)} is ${now} by now, not ${from}`,
    };
  if (said === undefined) setFact(page.edits, place, 'Count', String(to));
  else setCount(page.edits, place, to);
  return undefined;
}

function setValue(
  page: OrgPlaces,
  { path, value }: Extract<OrgEdit, { kind: 'set' }>,
  text: string,
): Wrong | undefined {
  const [, role, key] = /^roles\.(.+)\.(level|limit)$/.exec(path) ?? [];
  const budget = /^policies\.budget\.(perAgent|total)$/.exec(path)?.[1];
  if (budget !== undefined) return setBudget(page, budget === 'total' ? 'Total limit' : 'Per-agent limit', value, text);
  if (role === undefined)
    return { line: 1, what: `${quoted(path)} is nothing that can be set here`, hint: 'Edit it by hand.' };
  const heading = roleAt(page, role, undefined);
  if ('what' in heading) return heading;
  const place = page.at(heading.place.line);
  if (place !== undefined) setFact(page.edits, place, key === 'level' ? 'Level' : 'Limit', value, true);
  return undefined;
}

function setBudget({ edits, root }: OrgPlaces, label: string, value: string, text: string): Wrong | undefined {
  const line = `- **${label}:** ${value}`;
  const inFront =
    label === 'Total limit' ? text.split('\n').findIndex((each) => /^\s*monthly_compute\s*:/.test(each)) : -1;
  if (inFront >= 0)
    return { line: inFront + 1, what: 'the total stands in the front matter', hint: `Change it there, to ${value}.` };
  const policies = sectionCalled(root, 'policies');
  if (policies === undefined) {
    insertAfter(edits, lastWritten(edits, 0, edits.lines.length), ['', '## Policies', '', '### Budget', '', line]);
    return undefined;
  }
  const parts = [policies, ...policies.children].map((section) => placed(section, budgetKeys));
  const named = parts.find(({ section }) => section !== policies && plainTitle(section.title) === 'budget');
  const key = label === 'Total limit' ? 'total_limit' : 'per_agent_limit';
  const saying = [...(named === undefined ? [] : [named]), ...parts].find(({ facts }) => facts.has(key)) ?? named;
  const per = /\s*\/\s*[a-z]+$/i.exec(saying?.facts.get(key)?.text ?? '')?.[0] ?? ''; // `/period` is not ours to take away.
  if (saying !== undefined) setFact(edits, saying, label, `${value}${per}`, true);
  else insertAfter(edits, endOf(edits, policies), ['', '### Budget', '', line]);
  return undefined;
}

function addRole({ edits, structure }: OrgPlaces, edit: Extract<OrgEdit, { kind: 'add-role' }>): Wrong | undefined {
  const wanted = comparableWords(edit.department);
  const names = (structure?.children ?? []).map((section) => ({ section, name: comparableWords(section.title) }));
  const { section } =
    names.find(({ name }) => name === wanted) ??
    names.find(({ name }) => name.replace(/ (?:lead|manager|head|director|vp)$/, '') === wanted) ??
    {};
  if (section === undefined) return { line: 1, what: `there is no department ${quoted(edit.department)}` };
  const isTaken = ({ title }: Section): boolean => comparableWords(title) === comparableWords(edit.name);
  const taken = withChildren(section).slice(1).find(isTaken);
  if (taken !== undefined) return { line: taken.place.line, what: `there is a role ${quoted(edit.name)} already` };
  insertAfter(edits, endOf(edits, section), [
    '',
    `${'#'.repeat(section.depth + 1)} ${edit.name}`,
    '',
    ...(edit.model === undefined ? [] : [`- **Model:** ${edit.model}`]),
    ...(edit.domain === undefined ? [] : [`- **Domain:** ${edit.domain}`]),
    `- **Level:** ${edit.level}`,
  ]);
  return undefined;
}

/** The last line that is written of a section and all below it. */
const endOf = (edits: OrgPlaces['edits'], section: Section): number =>
  lastWritten(edits, section.place.line, (withChildren(section).at(-1) ?? section).end);

/** The heading of a role: where it stood when it was read, else the only one of its name. */
function roleAt({ structure }: OrgPlaces, role: string, line: number | undefined): Section | Wrong {
  const all = structure === undefined ? [] : withChildren(structure).slice(1);
  const named = all.filter(({ title }) =>
    [title, splitHeading(title).name].some((name) => comparableWords(name) === comparableWords(role)),
  );
  const [first, second] = named;
  const there = named.find(({ place }) => place.line === line) ?? (second === undefined ? first : undefined);
  if (there !== undefined) return there;
  if (first === undefined) return { line: 1, what: `there is no role ${quoted(role)} under Structure` };
  return { line: second?.place.line, what: `there are ${named.length} roles ${quoted(role)}` };
}
