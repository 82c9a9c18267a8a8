import { clarityOf, isSameField } from '../../domain/rules/spec-words.ts';
import { workersOf } from '../../domain/staff/chart.ts';
import { type Charter, type Member, topOf } from '../../domain/staff/charter.ts';
import { isWarmingUp, type Trust, trustInWords } from '../../domain/staff/trust.ts';
import { isAtLeast, isUrgent, type Priority, type Risk, type Spec } from '../../domain/words/spec.ts';

/** A spec as routing sees it: what it counts for has been decided by `priorityOf` and `riskOf`. */
export interface Routable extends Pick<Spec, 'title' | 'body' | 'domain'> {
  readonly priority: Priority;
  readonly risk: Risk;
}

/** Somebody of the chart with what they have to do. */
export interface RouteCandidate {
  readonly member: Member;
  /** Specs that it holds, or that wait for it. */
  readonly open: number;
  readonly trust: Trust;
  /** Why it can do nothing at the moment: paused, over its budget. Work goes to it only where nobody else is fit. */
  readonly away?: string | undefined;
}

/** The agent that gets a spec, and why, for a commit. `delegate` is the top of the chart, which passes it on. */
export type Route =
  | { readonly kind: 'work' | 'delegate'; readonly to: string; readonly why: string }
  | { readonly kind: 'nobody'; readonly why: string };

type Org = Pick<Charter, 'members' | 'people' | 'departments'>;

/** By domain, then by workload, then by trust; the order of the file settles the rest. */
export function routeSpec(spec: Routable, candidates: readonly RouteCandidate[], org: Org): Route {
  const found = fitFor(spec, org);
  const fit = found === undefined ? [] : candidates.filter(({ member }) => found.ids.has(member.id));
  const [first, ...others] = [...fit].sort((a, b) => compare(a, b, spec));
  if (found !== undefined && first !== undefined)
    return { kind: 'work', to: first.member.id, why: whyFirst(found.why, first, others) };
  const why =
    spec.domain === undefined ? 'no domain of the chart is in its words' : `nobody's domain is ${spec.domain}`;
  const top = topOf(org);
  if (top === undefined) return { kind: 'nobody', why: `${why}, and the chart has no agents` };
  return { kind: 'delegate', to: top.id, why: `${why}: ${top.id} is at the top of the chart, and delegates it` };
}

/** Agents to whom no spec is routed, because others have domains and they have none: they work what is delegated to them. */
export function unroutable(org: Org): readonly Member[] {
  const top = topOf(org);
  const leads = new Set(org.departments.map(({ lead }) => lead));
  return hasDomains(org)
    ? org.members.filter(({ id, domains }) => domains.length === 0 && id !== top?.id && !leads.has(id))
    : [];
}

interface Fit {
  readonly ids: ReadonlySet<string>;
  readonly why: string;
}

function fitFor(spec: Routable, org: Org): Fit | undefined {
  if (spec.domain !== undefined) return namedField(spec.domain, org);
  if (!hasDomains(org)) return fit(workersOf(org), 'the chart names no domains');
  const clearest = org.members
    .flatMap((member) => member.domains.map((domain) => ({ member, domain, clarity: clarityOf(domain, spec) })))
    .filter(({ clarity }) => clarity > 0)
    .sort((a, b) => b.clarity - a.clarity);
  const [first] = clearest;
  if (first === undefined) return undefined;
  const same = clearest.filter(({ clarity }) => clarity === first.clarity);
  const domains = [...new Set(same.map(({ domain }) => domain))].join(', ');
  const where = { 1: 'partly in its title', 2: 'in its words', 3: 'in its title' }[first.clarity as 1 | 2 | 3];
  return fit(
    same.map(({ member }) => member),
    `domain ${domains} is ${where}`,
  );
}

/** What a spec says itself: a domain of agents, else a department, whose lead shares it out. */
function namedField(domain: string, org: Org): Fit | undefined {
  const own = org.members.filter(({ domains }) => domains.some((one) => isSameField(one, domain)));
  if (own.length > 0) return fit(own, `its domain is ${domain}`);
  const department = org.departments.find(({ id, name }) => isSameField(id, domain) || isSameField(name, domain));
  if (department === undefined) return undefined;
  const lead = org.members.filter(({ id }) => id === department.lead);
  const inside = org.members.filter((member) => member.department === department.id);
  return fit(lead.length > 0 ? lead : inside, `its domain is the department ${department.name}`);
}

const fit = (members: readonly Member[], why: string): Fit => ({ ids: new Set(members.map(({ id }) => id)), why });

const hasDomains = ({ members }: Pick<Org, 'members'>): boolean => members.some(({ domains }) => domains.length > 0);

function compare(a: RouteCandidate, b: RouteCandidate, spec: Routable): number {
  const away = Number(a.away !== undefined) - Number(b.away !== undefined);
  return away || a.open - b.open || byTrust(a.trust, b.trust, spec);
}

/** The agents trusted most get what is hard; what is of low priority goes to those that have yet to earn it. */
function byTrust(a: Trust, b: Trust, spec: Routable): number {
  const sign = spec.priority === 'low' && !isHard(spec) ? -1 : 1;
  return sign * (Number(isWarmingUp(a)) - Number(isWarmingUp(b)) || b.score - a.score);
}

const isHard = ({ priority, risk }: Routable): boolean => isUrgent(priority) || isAtLeast(risk, 'high');

/** `its domain is backend; idle, as 1 other is; trust 62, trusted`. */
function whyFirst(domain: string, first: RouteCandidate, others: readonly RouteCandidate[]): string {
  const { open, trust, away } = first;
  const load = open === 0 ? 'idle' : open === 1 ? '1 open spec' : `${open} open specs`;
  const same = others.filter((one) => one.open === open && (one.away === undefined) === (away === undefined)).length;
  const beside =
    others.length === 0 ? 'the only one' : same === 0 ? 'the fewest' : `as ${same} of ${others.length} others`;
  const waits = away === undefined ? [] : [`it waits, since the agents fit for it are away (${away})`];
  return [domain, `${load}, ${beside}`, trustInWords(trust), ...waits].join('; ');
}
