import { isSameField } from '../../domain/rules/spec-words.ts';
import { type Chart, managersAbove, may, memberOf, workersOf } from '../../domain/staff/chart.ts';
import { type Charter, type Member, topOf } from '../../domain/staff/charter.ts';
import {
  type AgentChoice,
  choiceOf,
  type Duty,
  isProgramChoice,
  type Post,
  providerOf,
  reviewersIn,
  type Staff,
} from '../../domain/staff/staff.ts';
import type { Brief } from '../../domain/words/brief.ts';
import { formatModelId } from '../../domain/words/model-id.ts';

type Org = Pick<Charter, 'members' | 'people' | 'departments' | 'policies'>;

/**
 * A brief whose staff is the chart: the agents, what each of them does, and what runs behind it. Without agents in the
 * chart the brief's own chief and juniors work.
 */
export function staffed(brief: Brief, org: Org): Brief {
  if (org.members.length === 0) return brief;
  const workers = new Set(workersOf(org).map(({ id }) => id));
  // An agent without reports does the work; an agent that may create specs writes them; an agent that may review checks.
  const charted = org.members.map((member): Post => {
    const duties = dutiesOf(member, org, workers.has(member.id));
    return { id: member.id, duties, choice: choiceFor(member, duties, brief), reportsTo: member.reportsTo };
  });
  const chiefs = charted.some(({ duties }) => duties.includes('chief'));
  // Where nobody of the chart may write specs, people do; the embedded chief helps where it would without a chart.
  const helper: readonly Post[] =
    chiefs || brief.staff.chief.kind !== 'search'
      ? []
      : [{ id: 'chief', duties: ['chief'], choice: { kind: 'search' }, reportsTo: undefined }];
  const taken = new Set(charted.map(({ id }) => id));
  const beside = reviewersIn(brief.staff).filter(({ id }) => !taken.has(id)); // The brief's own stay beside the chart's.
  const posts = [...helper, ...charted, ...beside];
  const juniors = posts.filter(({ duties }) => duties.includes('junior')).length;
  return { ...brief, juniors, staff: { ...brief.staff, posts } };
}

function dutiesOf(member: Member, org: Org, works: boolean): readonly Duty[] {
  const writes = may(member, { act: 'create' }, org).kind === 'allowed' && (!works || topOf(org)?.id === member.id);
  const reviews = may(member, { act: 'review', maker: '' }, org).kind === 'allowed';
  return [
    ...(writes ? (['chief'] as const) : []),
    ...(works || !writes ? (['junior'] as const) : []),
    ...(reviews ? (['checker', 'critic'] as const) : []),
  ];
}

/** Its own model, or else what the brief says of its role. */
function choiceFor({ model, effort }: Member, duties: readonly Duty[], { staff }: Brief): AgentChoice {
  const [junior] = staff.juniors;
  const asked = effort === undefined ? {} : { effort };
  if (model !== undefined) {
    const baseUrl = 'baseUrl' in junior ? junior.baseUrl : undefined;
    const speaks = junior.kind === 'api' ? junior.speaks : undefined;
    return { kind: 'api', model, baseUrl, ...(speaks && { speaks }), ...asked };
  }
  const choice = duties.includes('junior') ? junior : staff.chief;
  return choice.kind === 'api' ? { ...choice, ...asked } : choice;
}

/** A critic or a checker by its name in the org. */
export interface Reviewer {
  readonly name: string;
  readonly choice: AgentChoice;
}

/** The critics of an agent's plans: those of another family of models, else of another model, else all there are. */
export function criticsFor(staff: Staff, maker: string): readonly Reviewer[] {
  const critics = reviewersOf(staff, 'critic', maker);
  const own = choiceOf(staff, maker);
  const others = (of: (choice: AgentChoice) => string) => critics.filter(({ choice }) => of(choice) !== of(own));
  return [others(familyOf), others(modelOf), critics].find((some) => some.length > 0) ?? [];
}

/** The maker of a candidate: its name in the org, and the model that is recorded, where one is. */
interface Maker {
  readonly agent: string;
  readonly model: string | undefined;
}

/**
 * The reviewers of what somebody made, in the order in which they are asked. Never the maker; and nobody of the same model where
 * another is configured. They take turns, after the maker's mentor where that is one of them. The model that was recorded
 * counts, and beside it the one that is configured: a script may have stood in for it, and the brief may name another since.
 */
export function checkersFor(staff: Staff, maker: Maker, turn: number, mentor?: string): readonly Reviewer[] {
  const checkers = reviewersOf(staff, 'checker', maker.agent);
  const own = modelOf(choiceOf(staff, maker.agent));
  const others = (not: readonly string[]) => checkers.filter(({ choice }) => !not.includes(modelOf(choice)));
  const known = maker.model ?? own;
  const fit = [others([known, own]), others([known]), checkers]
    .map((some) => some.filter(({ choice }) => choice.kind === 'api'))
    .find((some) => some.length > 0);
  if (fit === undefined) return [];
  const first = turn % fit.length;
  const inTurn = [...fit.slice(first), ...fit.slice(0, first)];
  return [...inTurn.filter(({ name }) => name === mentor), ...inTurn.filter(({ name }) => name !== mentor)];
}

/** Whether a staff has a checker of another model than one of its checkers. */
export const hasOtherChecker = (staff: Staff, reviewer: AgentChoice): boolean =>
  reviewersOf(staff, 'checker', '').some(({ choice }) => choice.kind === 'api' && hasOtherModel(choice, reviewer));

export const hasOtherModel = (one: AgentChoice, other: AgentChoice): boolean => modelOf(one) !== modelOf(other);

/** The agents that have that duty, without the maker; of a chart only those that can talk. */
const reviewersOf = (staff: Staff, duty: 'critic' | 'checker', maker: string): readonly Reviewer[] =>
  (staff.posts?.filter(({ choice }) => choice.kind === 'api') ?? reviewersIn(staff)).flatMap(
    ({ id, duties, choice }) => (duties.includes(duty) && id !== maker ? [{ name: id, choice }] : []),
  );

const modelOf = (choice: AgentChoice): string =>
  'model' in choice && choice.model !== undefined ? formatModelId(choice.model) : JSON.stringify(choice);

/** Models of one house think alike. Behind a server of one's own the first word of a model's name is the house. */
function familyOf(choice: AgentChoice): string {
  if (choice.kind !== 'api' && !isProgramChoice(choice)) return modelOf(choice);
  if (choice.model === undefined) return providerOf(choice) ?? modelOf(choice);
  const { provider, id } = choice.model;
  if (provider === 'scripted') return formatModelId(choice.model);
  return choice.baseUrl === undefined ? provider : (/[a-z]+/i.exec(id)?.[0] ?? id).toLowerCase();
}

/** From this level on somebody is a senior, and may show others how it is done. */
const seniorLevel = 6;

/**
 * The agent that looks after a new one: the closest senior of its domain by the chart, else of its department, else the
 * agent that it reports to. Nobody below its own level. Undefined where only people are above it.
 */
export function mentorOf(chart: Chart, id: string): Member | undefined {
  const newcomer = memberOf(chart, id);
  if (newcomer === undefined) return undefined;
  const seniors = chart.members
    .filter((one) => one.id !== id && one.level >= Math.max(seniorLevel, newcomer.level))
    .map((member) => ({ member, steps: stepsBetween(chart, id, member.id) }))
    .sort((a, b) => a.steps - b.steps) // Equals stay in the order of the file.
    .map(({ member }) => member);
  const isAkin = ({ domains }: Member): boolean =>
    domains.some((one) => newcomer.domains.some((other) => isSameField(one, other)));
  const isNear = ({ department }: Member): boolean => department !== undefined && department === newcomer.department;
  return seniors.find(isAkin) ?? seniors.find(isNear) ?? managersAbove(chart, id)[0];
}

/** How many lines of the chart lie between two of its agents; those who have nobody above both are far apart. */
function stepsBetween(chart: Chart, one: string, other: string): number {
  const [up, down] = [one, other].map((id) => [id, ...managersAbove(chart, id).map((manager) => manager.id)]);
  const meet = up?.findIndex((id) => down?.includes(id)) ?? -1;
  return meet < 0 ? Number.MAX_SAFE_INTEGER : meet + (down?.indexOf(up?.[meet] ?? '') ?? 0);
}
