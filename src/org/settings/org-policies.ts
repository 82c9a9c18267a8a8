import type { CharterPolicies, NamedPolicy, SlaRule } from '../../domain/staff/charter.ts';
import { noteLimit, noteUnread } from '../read/org-limits.ts';
import {
  asWritten,
  contextOf,
  type Facts,
  fromPlace,
  type Known,
  keyLineOf,
  mergeFacts,
  type OrgFact,
  type OrgNotes,
  paragraphs,
  refuseTwins,
  takeFacts,
  withContext,
} from '../read/org-metadata.ts';
import { type Item, plainTitle, plainWords, type Section } from '../read/org-sections.ts';
import {
  budgetKeys,
  formatBudget,
  type NamedBudget,
  readBudgetPolicy,
  spokenBudget,
  type YamlBudget,
} from './org-budget.ts';
import { formatHours, hoursKeys, readHours } from './org-hours.ts';
import {
  formatAnyCap,
  formatPermissions,
  isCapOfAll,
  isPermission,
  readPermissions,
  readStatedCaps,
  type StatedCaps,
} from './org-permissions.ts';
import { ownFacts, type PolicyKind, type PolicyPart, readPolicyPart, saysItem } from './org-policy-parts.ts';

/** `## Policies`. The caps are handed on to the reader of the departments. */
export function readPolicies(
  section: Section | undefined,
  yaml: YamlBudget,
  zone: OrgFact | undefined,
  notes: OrgNotes,
): { readonly policies: CharterPolicies; readonly caps: StatedCaps } {
  const parts =
    section === undefined ? [] : [section, ...section.children].map((one) => readPolicyPart(one, section, notes));
  refuseTwins('the policy', section?.children ?? [], 'Put both under one heading.');
  const of = (kind: PolicyKind): readonly PolicyPart[] => parts.filter((part) => part.kind === kind);
  const items = (kind: PolicyKind): readonly Item[] => of(kind).flatMap((part) => part.items);
  const own = of('own').flatMap((part) => part.items);
  const facts = (kind: PolicyKind, known: Known): Facts => {
    const below = mergeFacts(of(kind));
    return new Map([...below, ...ownFacts(of('own'), known, below, notes)]);
  };
  const caps = readStatedCaps([...own.filter(isCapOfAll), ...items('department caps')], notes);
  const named = of('named').map((part) => readNamed(part, notes));
  const budgets = named.flatMap(({ budget }) => (budget === undefined ? [] : [budget]));
  return {
    policies: {
      budget: readBudgetPolicy(facts('budget', budgetKeys), budgets, yaml, notes),
      permissions: readPermissions([...own.filter(isPermission), ...items('permissions')], notes),
      anyDepartment: caps.any,
      hours: readHours(facts('working hours', hoursKeys), zone, notes),
      named: named.map(({ policy }) => policy),
      context: contextOf(parts.flatMap((part) => (part.kind === 'named' ? [] : part.parts))),
    },
    caps,
  };
}

/** The lines that readPolicies would read these from again; nothing where nothing was said. */
export function formatPolicies(policies: CharterPolicies): string {
  let { context } = policies;
  // What of a policy was not understood is in the context, under its heading: its lines belong there too.
  const titled = (title: string, lines: readonly string[]): readonly string[] => {
    if (lines.length === 0) return [];
    const heading = context.split('\n').find((line) => /^### /.test(line) && plainTitle(line) === plainTitle(title));
    if (heading === undefined) return [`### ${title}\n\n${lines.join('\n')}`];
    context = `\n${context}`.replace(`\n${heading}\n`, () => `\n${heading}\n\n${lines.join('\n')}\n`).slice(1);
    return [];
  };
  const parts = [
    ...titled('Budget', formatBudget(policies.budget, elsewhereOf(policies))),
    ...titled('Permissions', formatPermissions(policies.permissions)),
    ...titled('Department Caps', policies.anyDepartment === undefined ? [] : [formatAnyCap(policies.anyDepartment)]),
    ...titled('Working Hours', policies.hours === undefined ? [] : formatHours(policies.hours)),
  ];
  const named = policies.named.map(({ name, items, context: more }) => {
    const lines = items.map(({ key, value }) => `- ${key === undefined ? '' : `**${key}:** `}${value}`.trimEnd());
    return withContext(name, lines.join('\n'), more);
  });
  return paragraphs(context, ...parts, ...named);
}

/** Where policies such as Exploration Budget say something of money: they are written as they are. */
const elsewhereOf = ({ named }: CharterPolicies): ReadonlySet<string> =>
  new Set(named.flatMap(({ name, items }) => (isBudget(name) ? items.map(({ place }) => fromPlace(place)) : [])));

/** `Exploration Budget`: a policy of the org's own that is about money. */
const isBudget = (title: string): boolean => /\bbudget$/i.test(plainTitle(title));

/** A policy of the org's own: what of it can be enforced, and the rest as people wrote it. */
function readNamed(part: PolicyPart, notes: OrgNotes) {
  const { section, items } = part;
  const ofMoney = isBudget(section.title);
  const facts: Facts = ofMoney ? new Map([...spokenBudget(items), ...takeFacts(section, budgetKeys).facts]) : new Map();
  const rules: SlaRule[] = [];
  for (const item of items) {
    const rule = slaOf(item);
    const line = keyLineOf(item);
    if (rule !== undefined) rules.push(rule);
    else if (saysItem(facts, item)) continue;
    else if (
      line === undefined ||
      !noteLimit({ ...line, place: item.place, isItem: true }, ofMoney ? 'budget' : 'policies', notes)
    )
      noteUnread(item, notes);
  }
  const prose = { ...section, blocks: section.blocks.filter(({ kind }) => kind !== 'list') };
  const policy: NamedPolicy = {
    name: section.title,
    items: items.map(itemOf),
    rules,
    context: contextOf([{ section, rest: asWritten(prose) }, ...part.parts.slice(1)]),
    place: section.place,
  };
  const budget: NamedBudget | undefined = ofMoney ? { name: section.title, facts } : undefined;
  return { policy, budget };
}

function itemOf(item: Item): NamedPolicy['items'][number] {
  const { head, place } = item;
  const line = keyLineOf(item);
  if (line === undefined) return { key: undefined, value: plainWords(head), place };
  return { key: plainWords(line.label), value: line.value, place };
}

/** `Critical tasks: response within 1 cycle`, `All tasks: progress update every 2 cycles`. */
function slaOf({ head, place }: Item): SlaRule | undefined {
  const [, of, what, cycles] =
    /^(critical|normal|all)\b[^:]{0,40}:\s*(response|completion|progress)\b[^0-9]{0,40}\s([0-9]{1,4}) cycles?$/i.exec(
      plainWords(head),
    ) ?? [];
  if (of === undefined || what === undefined || Number(cycles) < 1) return undefined;
  return {
    of: of.toLowerCase() as SlaRule['of'],
    what: what.toLowerCase() as SlaRule['what'],
    cycles: Number(cycles),
    place,
  };
}
