import type { Candidates } from '../../agents/agent-contract.ts';
import { may } from '../../domain/staff/chart.ts';
import type { Charter, Member } from '../../domain/staff/charter.ts';
import { choiceOf } from '../../domain/staff/staff.ts';
import { trustInWords } from '../../domain/staff/trust.ts';
import { riskOf, type Spec } from '../../domain/words/spec.ts';
import { type Routable, type Route, type RouteCandidate, routeSpec } from '../../org/rules/route.ts';
import { type Delegation, recordDelegation } from '../../records/queue/spec-events.ts';
import { consult, unlessRemoved } from '../attempt/agent-task.ts';
import type { AttemptParts, Night, NightInForce } from '../night/night.ts';
import { isClosing, warn, worksHere } from '../night/night-basics.ts';
import { trustNow } from '../standing/night-standing.ts';
import { checkAway, hoursNow, presentAsKnown, priorityIn, refusalFor, whyGone } from '../standing/standing-now.ts';
import type { Delegated, Sharing } from './night-claims.ts';

/**
 * A spec that is in the field of nobody who can work it: the fit agent shares it out where that is a lead, else the top of the
 * chart. One that is a model is asked, once for a spec; else, and where it says nothing that can be done, the rule decides: to
 * the idle worker who is trusted most.
 */
export async function delegate(
  night: Night,
  spec: Spec,
  routable: Routable,
  charter: Charter,
  able: readonly Member[],
): Promise<Delegated | undefined> {
  const everybody = charter.members.map((member) => candidateIn(night, member));
  const fit = routeSpec(routable, everybody, charter);
  if (fit.kind === 'nobody') return undefined;
  const gone = whyGone(night, fit.to, worksHere(night.inForce, fit.to) ? spec.id : undefined);
  if (fit.kind === 'delegate' && gone === undefined && able.some(({ id }) => id === fit.to)) return fit; // A top that works.
  const giver = charter.members.find(({ id }) => id === fit.to);
  const isAllowed = ({ id }: Member): boolean =>
    giver !== undefined && may(giver, { act: 'delegate', to: id }, charter).kind === 'allowed';
  if (idleIn(night, able).length === 0) return undefined; // The next idle agent gets it.
  const said = gone === undefined ? await shareOut(night, spec, fit, able.filter(isAllowed)) : undefined;
  if (night.run.signal.aborted) return undefined;
  const ableNow = able.filter(({ id }) => whyGone(night, id, spec.id) === undefined); // A model takes its time.
  if (said?.to !== undefined && ableNow.some(({ id }) => id === said.to))
    return pass(night, { spec, by: fit.to, to: said.to, why: said.why, spent: said.spent });
  const idle = idleIn(night, ableNow);
  const to = idle.find(({ member }) => isAllowed(member)) ?? idle[0];
  if (to === undefined) return undefined;
  const by = isAllowed(to.member) ? fit.to : 'orgrepo';
  const reasons = [
    whyPassedOn(fit, gone, by),
    ...(said === undefined ? [] : [`${fit.to} was asked, and the rule decides: ${whyNotSo(said)}`]),
    `${to.member.id} is idle and trusted most (${to.trust.score})`,
  ];
  return pass(night, { spec, by, to: to.member.id, why: reasons.join('; '), spent: said?.spent });
}

/** A spec as routing sees it. */
export const routableIn = (inForce: NightInForce, spec: Spec): Routable => ({
  ...spec,
  priority: priorityIn(inForce, spec),
  risk: riskOf(spec, inForce.pinned.brief),
});

/** A member of the chart as routing sees it now. */
export function candidateIn(night: Pick<Night, 'inForce' | 'claims' | 'standing'>, member: Member): RouteCandidate {
  const present = presentAsKnown(night, member.id);
  const away = present.kind === 'go' ? undefined : present.reason;
  return { member, open: openOf(night, member.id), trust: trustNow(night.standing, member.id), away };
}

/** What it holds and may go on with, and what was delegated to it. */
function openOf(night: Pick<Night, 'inForce' | 'claims' | 'standing'>, id: string): number {
  const { live, delegated } = night.claims;
  const isOpenOrGiven = ([spec, { agent }]: readonly [string, { readonly agent: string }]): boolean =>
    agent === id && refusalFor(night, id, spec) === undefined;
  const given = [...delegated].filter(([spec, { to }]) => to === id && !live.has(spec));
  return [...live].filter(isOpenOrGiven).length + given.length;
}

/** Those who can begin at once, the most trusted first. */
const idleIn = (
  night: Pick<Night, 'inForce' | 'claims' | 'standing'>,
  able: readonly Member[],
): readonly RouteCandidate[] =>
  able
    .map((member) => candidateIn(night, member))
    .filter(({ open, away }) => open === 0 && away === undefined)
    .sort((a, b) => b.trust.score - a.trust.score);

const whyNotSo = ({ to, why }: Sharing): string => (to === undefined ? why : `${to} can take it no more`);

/** It is in git before it counts. */
async function pass(night: Pick<Night, 'run' | 'claims'>, delegation: Delegation): Promise<Delegated> {
  await recordDelegation(night.run.org, delegation);
  const { spec, by, to, why } = delegation;
  const delegated = { to, why: `delegated by ${by}: ${why}` };
  night.claims.delegated.set(spec.id, delegated);
  return delegated;
}

/** What a model says about it; undefined if none is asked. A spec that was delegated before is not asked about again. */
async function shareOut(
  night: Night,
  spec: Spec,
  fit: Exclude<Route, { kind: 'nobody' }>,
  others: readonly Member[],
): Promise<Sharing | undefined> {
  if (night.claims.delegated.has(spec.id)) return undefined;
  const before = night.claims.asked.get(spec.id);
  if (before !== undefined) return before;
  const isModel = choiceOf(night.inForce.pinned.brief.staff, fit.to).kind === 'api';
  const isOpen = hoursNow(night.inForce, fit.to, priorityIn(night.inForce, spec)).kind === 'go';
  const present = others.map((member) => candidateIn(night, member)).filter(({ away }) => away === undefined);
  if (!isModel || !isOpen || present.length === 0 || isClosing(night) || (await checkAway(night, fit.to)))
    return undefined;
  const said = await ask(night, spec, fit, present);
  night.claims.asked.set(spec.id, said);
  const gave =
    said.to === undefined ? `did not say who works ${spec.id}, and the rule decides` : `gives ${spec.id} to ${said.to}`;
  warn(night.run, `${fit.to} ${gave}: ${said.why}`);
  return said;
}

async function ask(
  night: AttemptParts,
  spec: Spec,
  { to: agent, why }: { readonly to: string; readonly why: string },
  others: readonly RouteCandidate[],
): Promise<Sharing> {
  const { best } = night.tally;
  const opinion = await unlessRemoved(
    consult(
      night,
      night.inForce.pinned,
      { tip: best.commit, tree: best.tree },
      { role: 'delegator', agent, spec, attempt: 0, candidates: { why, others: others.map(inWords) } },
      'at once', // Others stand behind it, and there is a rule.
    ),
  );
  const { spent } = opinion ?? {};
  if (opinion?.kind === 'said' && opinion.answer?.to !== undefined)
    return { to: opinion.answer.to, why: opinion.text, spent };
  const reason = opinion === undefined || opinion.kind === 'said' ? 'it gave no answer' : opinion.reason;
  return { to: undefined, why: reason, spent };
}

const inWords = ({ member, open, trust }: RouteCandidate): Candidates['others'][number] => ({
  ...{ id: member.id, domains: member.domains, open, trust: trustInWords(trust) },
});

function whyPassedOn(fit: Exclude<Route, { kind: 'nobody' }>, gone: string | undefined, by: string): string {
  const why = gone ?? (fit.kind === 'work' ? `${fit.why.split(';')[0]}, and ${fit.to} leads it` : fit.why);
  return by === 'orgrepo' ? `${why}; ${fit.to} may delegate it to nobody who is idle` : why;
}
