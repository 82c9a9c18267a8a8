import { problemAt, problemIn, shown } from '../../text/problem.ts';
import { noteLimit, noteProse, noteUnknown, noteUnread } from '../read/org-limits.ts';
import {
  asWritten,
  type Facts,
  type Known,
  keyLineOf,
  mergeFacts,
  type OrgFact,
  type OrgNotes,
  takeFacts,
} from '../read/org-metadata.ts';
import { type Item, plainTitle, type Section, withChildren } from '../read/org-sections.ts';
import { budgetKeys, readBudgetPolicy, spokenBudget } from './org-budget.ts';
import { hoursKeys, readHours } from './org-hours.ts';
import { isCap, isCapOfAll, isPermission } from './org-permissions.ts';

const kinds = ['budget', 'task routing', 'permissions', 'department caps', 'working hours'] as const;
export type PolicyKind = (typeof kinds)[number] | 'own' | 'named';

/** `## Policies` itself, or a heading below it, with what its lines say. */
export interface PolicyPart extends Pick<ReturnType<typeof takeFacts>, 'facts' | 'items'> {
  readonly kind: PolicyKind;
  readonly section: Section;
  /** Itself and what is below it, with what was not understood. */
  readonly parts: readonly { readonly section: Section; readonly rest: string }[];
}

export function readPolicyPart(one: Section, whole: Section, notes: OrgNotes): PolicyPart {
  const title = plainTitle(one.title);
  const kind: PolicyKind = one === whole ? 'own' : (kinds.find((each) => each === title) ?? 'named');
  const understood = understoodIn[kind];
  const taken = takeFacts(one, knownIn[kind], understood);
  const spoken = kind === 'budget' ? spokenBudget(taken.items) : new Map();
  const facts: Facts = new Map([...spoken, ...taken.facts]);
  noteLeft(taken, kind, (item) => understood?.(item) === true || saysItem(spoken, item), notes);
  const below = one === whole ? [] : one.children.flatMap(withChildren);
  for (const each of below) noteProse(each, notes);
  const parts = [
    { section: one, rest: taken.rest },
    ...below.map((each) => ({ section: each, rest: asWritten(each) })),
  ];
  return { kind, section: one, facts, items: taken.items, parts };
}

export const saysItem = (facts: Facts, { place }: Item): boolean =>
  [...facts.values()].some((fact) => fact.place.line === place.line);

/** What means one thing wherever it stands may stand right below `## Policies`. */
const ownKeys: Known = new Map(
  [...budgetKeys, ...hoursKeys].filter(([key]) =>
    /_(?:limit|budget|threshold|hours|behaviou?r|act|tools)$|^period$|zone$/.test(key),
  ),
);

const noKeys: Known = new Map();
const knownIn: Readonly<Record<PolicyKind, Known>> = {
  own: ownKeys,
  budget: budgetKeys,
  'working hours': hoursKeys,
  permissions: noKeys,
  'department caps': noKeys,
  'task routing': noKeys,
  named: noKeys,
};

const understoodIn: Readonly<Partial<Record<PolicyKind, (item: Item) => boolean>>> = {
  own: (item) => isPermission(item) || isCapOfAll(item),
  permissions: isPermission,
  'department caps': isCap,
};

/**
 * Says of a policy what only agents read. Permissions, caps and policies of the org's own say it of each of their items themselves.
 */
function noteLeft(
  { unknown, items }: ReturnType<typeof takeFacts>,
  kind: PolicyKind,
  understood: (item: Item) => boolean,
  notes: OrgNotes,
): void {
  if (kind === 'task routing') {
    for (const line of unknown) noteLimit(line, 'policies', notes);
  } else if (kind === 'own' || kind === 'budget' || kind === 'working hours') {
    noteUnknown(unknown, kind === 'own' ? 'policies' : kind, knownIn[kind], notes);
    for (const item of items) if (keyLineOf(item) === undefined && !understood(item)) noteUnread(item, notes);
  } else {
    const lines = unknown.filter(({ isItem }) => !isItem);
    noteUnknown(lines, 'policies', knownIn[kind], notes);
  }
}

/** Of the lines right below `## Policies` those of a kind; refused where a heading below it says more of that kind. */
export function ownFacts(own: readonly PolicyPart[], known: Known, beside: Facts, notes: OrgNotes): Facts {
  const facts = [...mergeFacts(own)].filter(([key]) => known.has(key));
  if (beside.size === 0) return new Map(facts.filter(([key, fact]) => noteReadable(key, fact, notes)));
  for (const [, { label, place }] of facts) {
    const what = `${shown(label)} stands right below ## Policies, and others like it below a heading of their own`;
    notes.refuse(problemAt('org/key', place, what, 'Move it there, to the others.'));
  }
  return new Map();
}

/** False for a line that cannot be read. 0.1.0 did not look at lines here, and what it has made can still be read. */
function noteReadable(key: string, fact: OrgFact, notes: OrgNotes): boolean {
  const facts: Facts = new Map([[key, fact]]);
  const mute: OrgNotes = { file: notes.file, warn: () => {}, refuse: () => {} };
  const wrong = problemIn(() =>
    budgetKeys.has(key) ? readBudgetPolicy(facts, [], {}, mute) : readHours(facts, undefined, mute),
  );
  if (wrong !== undefined) notes.refuse(wrong);
  return wrong === undefined;
}
