import type { BudgetPolicy, Period, Quantity, Setting } from '../../domain/staff/charter.ts';
import { shown } from '../../text/clean.ts';
import { problemAt } from '../../text/problem.ts';
import {
  type Facts,
  fromPlace,
  knownKeys,
  type OrgFact,
  type OrgNotes,
  type PlacedText,
} from '../read/org-metadata.ts';
import { type Item, plainWords } from '../read/org-sections.ts';
import {
  factLine,
  formatQuantity,
  readChoice,
  readPeriod,
  readQuantity,
  readShare,
  saidSetting,
  settingOf,
  wrongDollars,
} from '../read/org-values.ts';

/** What org.yaml says of money: dollars for a month, for a single act, and for a month of tools. */
export interface YamlBudget {
  readonly total?: PlacedText | undefined;
  readonly singleAct?: PlacedText | undefined;
  readonly tools?: PlacedText | undefined;
}

export const budgetKeys = knownKeys({
  per_agent_limit: ['per_agent', 'agent_limit'],
  total_limit: ['total', 'org_limit', 'total_budget'],
  period: [],
  alert_threshold: ['alert', 'alert_at'],
  overage_behavior: ['overage_behaviour', 'overage'],
  single_act: ['single_action', 'single_act_limit', 'max_single_action_without_approval'],
  tools: ['monthly_tools', 'tools_limit'],
});

export const defaultBudget: BudgetPolicy = {
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
  const perAgent = amountOf('Per-agent limit', merged.get('per_agent_limit'));
  const total = amountOf('Total limit', merged.get('total_limit'));
  const monthly = yaml.total === undefined ? undefined : amountOf('monthly_compute', yaml.total, 'month');
  refuseDifferent('the total of the budget', total, monthly);
  const single = dollarsOf(merged.get('single_act'));
  const yamlSingle = dollarsOf(yaml.singleAct);
  refuseDifferent('what a single act may cost', single, yamlSingle);
  const tools = dollarsOf(merged.get('tools'), 'Tools');
  const yamlTools = dollarsOf(yaml.tools, 'monthly_tools');
  refuseDifferent('what tools may pay in a month', tools, yamlTools);
  return {
    perAgent: perAgent?.setting,
    total: (total ?? monthly)?.setting,
    period: periodOf(merged.get('period'), [perAgent, total, monthly]),
    alertAt: settingOf(
      merged.get('alert_threshold'),
      (fact) => readShare('Alert threshold', fact),
      defaultBudget.alertAt,
    ),
    overage: settingOf(merged.get('overage_behavior'), readOverage, defaultBudget.overage),
    singleAct: (single ?? yamlSingle)?.setting,
    tools: (tools ?? yamlTools)?.setting,
  };
}

/** Lines for what the file says of it; `elsewhere` are places whose own policies are written anyway. */
export function formatBudget(budget: BudgetPolicy, elsewhere: ReadonlySet<string>): readonly string[] {
  const own = <T>(setting: Setting<T> | undefined): Setting<T> | undefined =>
    setting !== undefined && elsewhere.has(setting.from) ? undefined : setting;
  const quantity = (value: Quantity): string => `${formatQuantity(value)}/period`;
  return [
    factLine('Per-agent limit', own(budget.perAgent), quantity),
    factLine('Total limit', own(budget.total), quantity),
    factLine('Period', own(budget.period), (value) => ({ day: 'daily', week: 'weekly', month: 'monthly' })[value]),
    factLine('Alert threshold', own(budget.alertAt), String),
    factLine('Overage behavior', own(budget.overage), (value) => overageWords[value]),
    factLine('Single act', own(budget.singleAct), (value) => `$${value}`),
    factLine('Tools', own(budget.tools), (value) => `$${value}`),
  ].filter((line) => line !== undefined);
}

/** What a policy that is called a budget of something says of money. */
export interface NamedBudget {
  readonly name: string;
  readonly facts: Facts;
}

/** `No hard stops — flag at 90%`: what happens at the limit, in words of its own. */
export function spokenBudget(items: readonly Item[], file: string): Facts {
  const facts = new Map<string, OrgFact>();
  for (const item of items) {
    const text = plainWords(item.head);
    const place = { file, line: item.line, column: item.column };
    const fact = (label: string, value: string): OrgFact => ({
      label,
      text: value,
      place,
      line: item.line,
      end: item.line,
    });
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

interface Amount {
  readonly setting: Setting<Quantity>;
  readonly period: Period | undefined;
  readonly said: PlacedText;
}

function amountOf(label: string, said: PlacedText | undefined, period?: Period): Amount | undefined {
  if (said === undefined) return undefined;
  const read = readQuantity(label, said, period === undefined ? 'credits' : 'usd');
  return { setting: saidSetting(read.quantity, said), period: period ?? read.period, said };
}

function dollarsOf(
  said: PlacedText | undefined,
  name = 'Single act',
): { readonly setting: Setting<number>; readonly said: PlacedText } | undefined {
  if (said === undefined) return undefined;
  const { quantity, period } = readQuantity(name, said, 'usd');
  if (quantity.unit === 'usd' && period === undefined) return { setting: saidSetting(quantity.amount, said), said };
  throw wrongDollars(name, said);
}

/** One period for all: what `Period` says, and what amounts say for themselves. */
function periodOf(fact: OrgFact | undefined, amounts: readonly (Amount | undefined)[]): Setting<Period> {
  const said = [
    ...(fact === undefined ? [] : [{ value: readPeriod(fact), said: fact as PlacedText }]),
    ...amounts.flatMap((amount) => (amount?.period === undefined ? [] : [{ value: amount.period, said: amount.said }])),
  ];
  const [first] = said;
  if (first === undefined) return defaultBudget.period;
  const other = said.find(({ value }) => value !== first.value);
  if (other !== undefined) {
    const what = `this is for a ${other.value}, and ${fromPlace(first.said.place)} says a ${first.value}`;
    throw problemAt('org/value', other.said.place, what, 'Use one period for all of the budget.');
  }
  return { value: first.value, from: fromPlace(first.said.place) };
}

function refuseDifferent(
  what: string,
  one: { readonly setting: Setting<unknown> } | undefined,
  other: { readonly setting: Setting<unknown>; readonly said: PlacedText } | undefined,
): void {
  if (one === undefined || other === undefined) return;
  if (JSON.stringify(one.setting.value) === JSON.stringify(other.setting.value)) return;
  const words = `${what} is ${shown(other.said.text)} here and another at ${one.setting.from}`;
  throw problemAt('org/value', other.said.place, words, 'Take one of the two out, or make them the same.');
}

const overageWords = { pause: 'pause and escalate', warn: 'warn only', stop: 'stop' };

const readOverage = (fact: OrgFact): BudgetPolicy['overage']['value'] =>
  readChoice('Overage behavior', fact, {
    pause: /^pause\b/,
    warn: /^(?:warn|alert|flag|log|no hard[- ]stops?|don't (?:hard-)?stop)\b/,
    stop: /^(?:hard[- ])?stop\b/,
  });
