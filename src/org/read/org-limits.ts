import { didYouMean, nearestName, Problem, problemAt, shown } from '../../text/problem.ts';
import { type Known, leftAlone, type OrgNotes, takeFacts, type UnknownLine } from './org-metadata.ts';
import { amountIn } from './org-quantity.ts';
import { type Item, oneLine, plainTitle, plainWords, type Section, withChildren } from './org-sections.ts';

/** Where a line stands that its section does not know. */
export type LineHome =
  | 'role'
  | 'department'
  | 'person'
  | 'structure'
  | 'culture'
  | 'sdlc'
  | 'policies'
  | 'budget'
  | 'working hours'
  /** Facts about the org: most money there was earned or raised. */
  | 'identity'
  /** Context by its nature: Task Routing, playbooks, sections of the org's own. */
  | 'prose';

/**
 * Says aloud what a section does not know. A line that looks like a limit is refused where its key is bold, and a warning where it is
 * not; any other bold key is a warning. Agents read the line in each case.
 */
export function noteUnknown(lines: readonly UnknownLine[], home: LineHome, known: Known, notes: OrgNotes): void {
  for (const line of lines) if (!noteLimit(line, home, notes)) noteKey(line, home, known, notes);
}

/** The same for a section that is context by its nature, and what is below it. */
export function noteProse(section: Section, notes: OrgNotes): void {
  const nothing: Known = new Map();
  for (const one of withChildren(section)) noteUnknown(takeFacts(one, nothing).unknown, 'prose', nothing, notes);
}

/** A section of the org's own; one called like a policy is meant as one, and would only be read. */
export function refusePolicyOutside(section: Section, notes: OrgNotes): void {
  const { title, place } = section;
  const isPolicy = /^(?:budgets?|permissions?|(?:department|agent) caps|caps|limits|working hours)$/.test(
    plainTitle(title),
  );
  if (!isPolicy || !section.blocks.some(({ kind }) => kind === 'list')) {
    noteProse(section, notes);
    return;
  }
  const what = `## ${title} holds limits, and orgrepo reads them below ## Policies only`;
  notes.refuse(problemAt('org/structure', place, what, `Write ### ${title} below ## Policies.`));
}

/** An item without a key that nothing enforces; refused where it is money in bold. */
export function noteUnread({ head, place }: Item, notes: OrgNotes): void {
  const text = plainWords(head);
  if (/^(?:\*\*|__)/.test(head) && money.test(text))
    notes.refuse(
      ignoredLimit({ label: '', key: '', value: text, bold: true, isItem: true, place, offset: 0 }, 'money', 'budget'),
    );
  else notes.warn(problemAt('org/value', place, `${shown(text)} is not enforced: agents only read it`, slaHint));
}

const slaHint = 'Write it as Critical tasks: response within 1 cycle, where that is what is meant.';

/** False where the line does not look like a limit. */
export function noteLimit(line: UnknownLine, home: LineHome, notes: OrgNotes): boolean {
  const kind = limitOf(line, home);
  if (kind === undefined) return false;
  const problem = ignoredLimit(line, kind, home);
  if (line.bold) notes.refuse(problem);
  else notes.warn(problem);
  return true;
}

function noteKey({ bold, key, label, place }: UnknownLine, home: LineHome, known: Known, notes: OrgNotes): void {
  const names = [...known].flatMap(([name, of]) => (of === leftAlone ? [] : [name]));
  const isFact = home === 'identity' || home === 'prose';
  if (!bold || (isFact && nearestName(key, names) === undefined)) return;
  const what = `${shown(label)} is not a known key: agents read it, and nothing else happens`;
  const hint = 'Write it without the asterisks, and it is read as prose.';
  notes.warn(problemAt('org/key', place, what, didYouMean(key, names, hint).replaceAll('_', ' ')), `${home} ${key}`);
}

type LimitKind = 'money' | 'hours' | 'permission' | 'cap';

/** What kind of limit a line looks like. In prose and facts only a key that says so, with a value that could be one. */
function limitOf({ key, value, bold, isItem }: UnknownLine, home: LineHome): LimitKind | undefined {
  const text = plainWords(value);
  const kind = kinds.find(([, isKind]) => isKind(key.replaceAll('_', ' '), text))?.[0];
  const isProse = !bold && !isItem;
  const isStrict = isProse || home === 'identity' || home === 'prose' || home === 'person';
  if (!isStrict && home === 'working hours') return kind ?? 'hours';
  if (!isStrict) return kind ?? (home === 'budget' && /[0-9]/.test(text) ? 'money' : undefined);
  return strictKeys.test(key) && isValue(kind, text) ? kind : undefined;
}

/** Whether a value is that of a limit as a whole: `$5/week`, and not `$5 is not much`. */
function isValue(kind: LimitKind | undefined, text: string): boolean {
  if (kind === 'hours') return /^[0-9]{1,2}(?::[0-9]{2})?\s?(?:[ap]m)?\s*(?:-|–|—|to)\s*[0-9]/i.test(text);
  return amountIn(text.replace(/\s*agents?$/i, '')) !== undefined;
}

/** Keys that are about what agents may do and about nothing else. */
const strictKeys =
  /^(?:(?:total|daily|weekly|monthly|token|agent|per_agent|spend(?:ing)?)_)?(?:budget|limit|cap)$|^(?:active|working)_hours$|^max_agents$/;

const money =
  /(?:^|[\s(])(?:(?:us\s?)?[$€£]\s?[0-9]|(?:usd|eur|gbp)\s?[0-9]|[0-9][0-9,.]*\s?[km]?\s?(?:[$€£]|(?:credits?|tokens?|usd|eur|dollars?|euros?|cents?)\b))/i;

/** In this order: `Approval limit: $500` is about money. */
const kinds: readonly (readonly [LimitKind, (key: string, value: string) => boolean])[] = [
  ['hours', (key) => /\bhours?$/.test(key)],
  ['money', (key, value) => money.test(value) || /\b(?:budgets?|spending|allowance)\b/.test(key)],
  [
    'permission',
    (key, value) =>
      /\b(?:permissions?|access|approvals?|approves|approvers?|authori[sz]\w+|may|can|cannot|allowed)\b/.test(key) ||
      /^(?:l|level )\s?[0-9]{1,2}(?:\s?\+| (?:and|or) (?:above|up|higher))/i.test(value),
  ],
  ['cap', (key, value) => /\b(?:max|maximum|caps?|limits?|headcount|quota|at most)\b/.test(key) && /[0-9]/.test(value)],
];

function ignoredLimit(line: UnknownLine, kind: LimitKind, home: LineHome): Problem {
  const said = oneLine([line.label, plainWords(line.value)].filter(Boolean).join(': '));
  const what = `${shown(said)} looks like ${names[kind]}, and orgrepo would not keep to it here`;
  const otherwise = line.bold ? ` For agents to read only: - ${said.slice(0, 120)}` : '';
  return problemAt('org/key', line.place, what, `${understood(line, kind, home)}${otherwise}`);
}

const names: Readonly<Record<LimitKind, string>> = {
  money: 'a budget',
  hours: 'working hours',
  permission: 'a permission',
  cap: 'a cap',
};

/** The line that would be understood instead. */
function understood({ key, value }: UnknownLine, kind: LimitKind, home: LineHome): string {
  const text = plainWords(value);
  switch (kind) {
    case 'money': {
      const amount = amountIn(text) === undefined ? '$5/week' : text;
      if (home === 'role') return `Write - **Limit:** ${amount}.`;
      const lines = `for all agents together: - **Total limit:** ${amount}. For each of them: - **Per-agent limit:** ${amount}.`;
      return home === 'budget' ? `Write ${lines}` : `${under('Budget')} ${lines}`;
    }
    case 'hours': {
      const hours = /^[0-9][^()]{0,30}[0-9m](?:\s*\([^()]{1,60}\))?$/i.test(text)
        ? text
        : '08:00-22:00 (Europe/Vienna)';
      const line = `- **Active hours:** ${hours}`;
      return home === 'working hours'
        ? `Write ${line}.`
        : `${under('Working Hours')} ${line}. They hold for all agents.`;
    }
    case 'permission': {
      const level = /^(?:l|level )\s?([0-9]{1,2})/i.exec(text)?.[1] ?? '7';
      const act = /spawn|hire/.test(key) ? 'spawn agents' : /creat|task/.test(key) ? 'create tasks' : 'review';
      return `${under('Permissions')} - **L${level}+ can ${act}**. Other acts are for policies/: see docs/policies.md.`;
    }
    case 'cap': {
      const most = /[0-9]{1,4}/.exec(text)?.[0] ?? '10';
      return `${under('Department Caps')} - Engineering: max ${most} agents. No other count has a cap.`;
    }
  }
}

const under = (title: string): string => `Under ## Policies write ### ${title}, and below it`;

/** Where notes are taken while a file is read, and what was taken in the end. */
export function collectNotes(file: string): {
  readonly notes: OrgNotes;
  readonly reading: () => { readonly warnings: readonly Problem[]; readonly refused: readonly Problem[] };
} {
  const [warned, refused]: [Problem[], Problem[]] = [[], []];
  const [first, counts] = [new Map<string, Problem>(), new Map<Problem, number>()];
  const warn = (problem: Problem, key?: string): void => {
    const told = key === undefined ? undefined : first.get(key);
    if (told === undefined) warned.push(problem);
    else counts.set(told, (counts.get(told) ?? 0) + 1);
    if (key !== undefined && told === undefined) first.set(key, problem);
  };
  const reading = () => ({
    refused: refused.sort(inOrder),
    warnings: warned.map((problem) => withMore(problem, counts.get(problem) ?? 0)),
  });
  return { notes: { file, warn, refuse: (problem) => refused.push(problem) }, reading };
}

const inOrder = ({ place: one }: Problem, { place: other }: Problem): number => (one?.line ?? 0) - (other?.line ?? 0);

function withMore({ code, message, hint, place }: Problem, more: number): Problem {
  const words = more === 0 ? '' : ` (and ${more} more ${more === 1 ? 'line' : 'lines'} like it)`;
  return new Problem(code, `${message}${words}`, hint, place);
}

/** Refuses to begin anything under a file with limits that would be ignored: the first of them, and the others in its hint. */
export function refuseIgnored(reading: { readonly refused: readonly Problem[] } | undefined): void {
  const [first, ...more] = reading?.refused ?? [];
  if (first === undefined) return;
  const others = more.slice(0, maxTold).map(({ message }) => `\nand ${message}`);
  const rest = more.length > maxTold ? [`\nand ${more.length - maxTold} more`] : [];
  throw new Problem(first.code, first.message, [first.hint, ...others, ...rest].join(''), first.place);
}

const maxTold = 9;

/** Keys that describe somebody and ask for nothing: context for agents, without a warning. */
export const describing: Known = new Map(
  [
    ...[
      'avatar',
      'avatar_color',
      'avatar_colour',
      'avatar_symbol',
      'avatar_url',
      'color',
      'colour',
      'emoji',
      'icon',
      'image',
    ],
    ...['background', 'bio', 'description', 'focus', 'goal', 'goals', 'mission', 'motto', 'name', 'note', 'notes'],
    ...['personality', 'pronouns', 'quote', 'responsibilities', 'role', 'skills', 'strengths', 'style', 'summary'],
    ...['tagline', 'title', 'tone', 'values', 'vibe', 'vision', 'voice'],
  ].map((key) => [key, leftAlone]),
);
