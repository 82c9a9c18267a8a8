import type { BudgetPolicy, Period, Quantity, Setting } from '../../domain/staff/charter.ts';
import { type Place, problemAt, shown } from '../../text/problem.ts';
import { type Facts, fromPlace, type OrgFact, type OrgNotes, type PlacedText } from '../read/org-metadata.ts';
import { formatQuantity, readPeriod, readQuantity, wrongDollars } from '../read/org-quantity.ts';
import { type Item, plainWords } from '../read/org-sections.ts';
import { choice, readShare } from '../read/org-values.ts';
import { formatLines, keysOf, type Lines, readLines, saidSetting } from './org-settings.ts';

/** What org.yaml says of money: dollars for a month, for a single act, and for a month of tools. */
export type YamlBudget = Readonly<Partial<Record<keyof typeof ofYaml, PlacedText | undefined>>>;

const ofYaml = {
  total: 'the total of the budget',
  singleAct: 'what a single act may cost',
  tools: 'what tools may pay in a month',
};

const quantity = {
  read: (said: PlacedText, label: string): Quantity => readQuantity(said, label).quantity,
  write: (value: Quantity): string => `${formatQuantity(value)}/period`,
  show: formatQuantity,
};
const dollars = {
  read: (said: PlacedText, label: string): number => readDollars(said, label),
  write: (value: number): string => `$${value}`,
};

export const budgetLines: Lines<BudgetPolicy> = {
  perAgent: { label: 'Per-agent limit', also: ['per_agent', 'agent_limit'], ...quantity },
  total: { label: 'Total limit', also: ['total', 'org_limit', 'total_budget'], ...quantity },
  period: {
    label: 'Period',
    read: readPeriod,
    write: (value) => ({ day: 'daily', week: 'weekly', month: 'monthly' })[value],
    show: String,
  },
  alertAt: {
    label: 'Alert threshold',
    also: ['alert', 'alert_at'],
    read: readShare,
    write: String,
    show: (value) => `${Math.round(value * 100)} %`,
  },
  overage: {
    label: 'Overage behavior',
    also: ['overage_behaviour', 'overage'],
    ...choice({
      pause: /^pause\b/,
      warn: /^(?:warn|alert|flag|log|no hard[- ]stops?|don't (?:hard-)?stop)\b/,
      stop: /^(?:hard[- ])?stop\b/,
    }),
    write: (value) => ({ pause: 'pause and escalate', warn: 'warn only', stop: 'stop' })[value],
    show: String,
  },
  singleAct: {
    label: 'Single act',
    also: ['single_action', 'single_act_limit', 'max_single_action_without_approval'],
    ...dollars,
  },
  tools: {
    label: 'Tools',
    also: ['monthly_tools', 'tools_limit'],
    ...dollars,
    read: (said, label) => readDollars(said, label, 'month'),
    show: (value) => `$${value} a month`,
  },
};

export const budgetKeys = keysOf(budgetLines);

const defaultBudget: BudgetPolicy = {
  perAgent: undefined,
  total: undefined,
  period: { value: 'week', from: 'default' },
  alertAt: { value: 0.8, from: 'default' },
  overage: { value: 'pause', from: 'default' },
  singleAct: undefined,
  tools: undefined,
};

/** `### Budget`, with what org.yaml says, and what a policy such as Exploration Budget says where Budget does not. */
export function readBudgetPolicy(
  facts: Facts,
  named: readonly NamedBudget[],
  yaml: YamlBudget,
  notes: OrgNotes,
): BudgetPolicy {
  const merged = mergeNamed(facts, named, notes);
  const keys = {
    total: yaml.total && saidSetting(readQuantity(yaml.total, 'monthly_compute', 'usd').quantity, yaml.total),
    singleAct: yaml.singleAct && saidSetting(readDollars(yaml.singleAct, 'Single act'), yaml.singleAct),
    tools: yaml.tools && saidSetting(readDollars(yaml.tools, 'monthly_tools', 'month'), yaml.tools),
  };
  const budget = readLines(budgetLines, merged, { ...defaultBudget, ...keys });
  for (const key of ['total', 'singleAct', 'tools'] as const) refuseDifferent(key, budget, keys[key], yaml[key]);
  return { ...budget, period: periodOf(merged, yaml.total) };
}

/** Lines for what the file says of it; `elsewhere` are places whose own policies are written anyway. */
export const formatBudget = (budget: BudgetPolicy, elsewhere: ReadonlySet<string>): readonly string[] =>
  formatLines(budgetLines, budget, elsewhere);

/** What a policy that is called a budget of something says of money. */
export interface NamedBudget {
  readonly name: string;
  readonly facts: Facts;
}

/** `No hard stops — flag at 90%`: what happens at the limit, in words of its own. */
export function spokenBudget(items: readonly Item[]): Facts {
  const facts = new Map<string, OrgFact>();
  for (const { head, place } of items) {
    const text = plainWords(head);
    const fact = (label: string, value: string): OrgFact => ({ label, text: value, place, end: place.line });
    if (/\b(?:no|never|without) hard[- ]stops?\b/i.test(text))
      facts.set('overage_behavior', fact('Overage behavior', 'warn only'));
    const flag = /\b(?:flag|alert|warn) at ([0-9]{1,3}%)/i.exec(text)?.[1];
    if (flag !== undefined) facts.set('alert_threshold', fact('Alert threshold', flag));
  }
  return facts;
}

/** What Budget says counts; what a named one says beside it is said aloud. */
function mergeNamed(facts: Facts, named: readonly NamedBudget[], notes: OrgNotes): Facts {
  const merged = new Map(facts);
  for (const { name, facts: more } of named) {
    for (const [key, fact] of more) {
      const before = merged.get(key);
      if (before === undefined) merged.set(key, fact);
      else if (before.text !== fact.text) {
        const what = `${fact.label} of ${shown(name)} is not in force: ${fromPlace(before.place)} says ${shown(before.text)}`;
        notes.warn(problemAt('org/value', fact.place, what, 'Keep one of the two.'));
      }
    }
  }
  return merged;
}

/** `usual` is the period that the line is about anyway. */
function readDollars(said: PlacedText, label: string, usual?: Period): number {
  const { quantity, period } = readQuantity(said, label, 'usd');
  if (quantity.unit === 'usd' && (period === undefined || period === usual)) return quantity.amount;
  throw wrongDollars(label, said);
}

/** One period for all: what `Period` says, and what amounts say for themselves. */
function periodOf(facts: Facts, monthly: PlacedText | undefined): Setting<Period> {
  const said = ['period', 'per_agent_limit', 'total_limit'].flatMap((key): { value: Period; place: Place }[] => {
    const fact = facts.get(key);
    const value = key === 'period' ? fact && readPeriod(fact) : fact && readQuantity(fact, fact.label).period;
    return fact === undefined || value === undefined ? [] : [{ value, place: fact.place }];
  });
  if (monthly !== undefined) said.push({ value: 'month', place: monthly.place });
  const [first] = said;
  if (first === undefined) return defaultBudget.period;
  const other = said.find(({ value }) => value !== first.value);
  if (other !== undefined) {
    const what = `this is for a ${other.value}, and ${fromPlace(first.place)} says a ${first.value}`;
    throw problemAt('org/value', other.place, what, 'Use one period for all of the budget.');
  }
  return { value: first.value, from: fromPlace(first.place) };
}

function refuseDifferent(
  key: keyof typeof ofYaml,
  { [key]: one }: BudgetPolicy,
  other: Setting<unknown> | undefined,
  said: PlacedText | undefined,
): void {
  if (said === undefined || JSON.stringify(one?.value) === JSON.stringify(other?.value)) return;
  const words = `${ofYaml[key]} is ${shown(said.text)} here and another at ${one?.from}`;
  throw problemAt('org/value', said.place, words, 'Take one of the two out, or make them the same.');
}
