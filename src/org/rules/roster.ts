import { workersOf } from '../../domain/staff/chart.ts';
import { type Charter, type Member, topOf } from '../../domain/staff/charter.ts';
import { may } from '../../domain/staff/permit.ts';
import { type AgentChoice, type Duty, type Post, reviewersIn } from '../../domain/staff/staff.ts';
import type { Brief } from '../../domain/words/brief.ts';

type Org = Pick<Charter, 'members' | 'people' | 'departments' | 'policies'>;

/**
 * A brief whose staff is the chart: who there is, what each of them does, and what runs behind it. Without agents in the
 * chart the brief's own chief and juniors work.
 */
export function staffed(brief: Brief, org: Org): Brief {
  if (org.members.length === 0) return brief;
  const workers = new Set(workersOf(org).map(({ id }) => id));
  const charted = org.members.map((member) => postOf(member, brief, org, workers.has(member.id)));
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

/** Whoever nobody reports to does the work; whoever may create specs writes them; whoever may review checks. */
function postOf(member: Member, brief: Brief, org: Org, works: boolean): Post {
  const duties = dutiesOf(member, org, works);
  return { id: member.id, duties, choice: choiceFor(member, duties, brief), reportsTo: member.reportsTo };
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
function choiceFor({ model }: Member, duties: readonly Duty[], { staff }: Brief): AgentChoice {
  if (model !== undefined) return { kind: 'api', model, baseUrl: baseUrlOf(staff.juniors[0]) };
  return duties.includes('junior') ? staff.juniors[0] : staff.chief;
}

const baseUrlOf = (choice: AgentChoice): string | undefined => ('baseUrl' in choice ? choice.baseUrl : undefined);
