import { createHash } from 'node:crypto';
import { type Act, actKinds, type Decision, type Principal, type Reason } from '../domain/rules/act.ts';
import type { Problem } from '../text/problem.ts';
import { formatAct, resourceTypes } from './act-schema.ts';
import {
  allOf,
  type CedarEngine,
  loadCedar,
  orTooMuch,
  type Policy,
  parsePolicies,
  preparedSchema,
  withoutTrap,
} from './policy-set.ts';

/** The Cedar policies of one tree, parsed and checked. */
export interface PolicySet {
  readonly tree: string;
  readonly engine: CedarEngine;
  readonly policies: ReadonlyMap<string, Policy>;
  /** Under which names the engine keeps all of them, and those that nobody can lift by saying yes. */
  readonly all: string;
  readonly rules: string;
  /** Policies that can never apply. */
  readonly warnings: readonly Problem[];
}

/** Reads and checks the policies of a tree. What is wrong with one is thrown, with its line. */
export async function loadPolicies(files: ReadonlyMap<string, string>, tree: string): Promise<PolicySet> {
  const engine = await loadCedar();
  const { policies, warnings } = parsePolicies(engine, files);
  const name = `${tree} ${++loaded}`;
  const keep = (what: string, chosen: readonly Policy[]): string => {
    const staticPolicies = Object.fromEntries(chosen.map(({ key, text }) => [key, text]));
    const parsed = orTooMuch(allOf(files), () => engine.preparsePolicySet(`${what} ${name}`, { staticPolicies }));
    if (parsed.type === 'failure') throw new Error(parsed.errors.map(({ message }) => message).join('; '));
    return `${what} ${name}`;
  };
  const all = [...policies.values()];
  const rules = all.filter(({ approval }) => approval === undefined);
  return { tree, engine, policies, warnings, all: keep('all', all), rules: keep('rules', rules) };
}

/** The engine never forgets a set of policies, so no two of them may have one name. */
let loaded = 0;

/** What the policies say of an act: of the same act always the same. */
export function decideByPolicies(policies: PolicySet, act: Act): Decision {
  return { id: decisionId(policies.tree, act), policies: policies.tree, act, ...answer(policies, act) };
}

type Answer = Pick<Decision, 'result' | 'reasons'>;

/** What no policy could change: an act that is not in the schema, or cannot be looked at as a whole. */
export function refusedOutright(act: Act): Answer | undefined {
  if (!actKinds.includes(act.act)) return deny([{ message: `there is no act ${act.act}` }]);
  return act.unfit === undefined ? undefined : deny([{ message: act.unfit }]);
}

function answer(policies: PolicySet, act: Act): Answer {
  const outright = refusedOutright(act);
  if (outright !== undefined) return outright;
  const request = cedarRequest(act);
  const first = ask(policies, policies.all, request);
  if ('result' in first) return first;
  if (first.decision === 'allow') return allow(first.reason.map((key) => reasonOf(policies, key, act)));
  if (first.reason.length === 0) return nothingPermits;
  const found = first.reason.flatMap((key) => policies.policies.get(key) ?? []);
  const hard = found.filter(({ approval }) => approval === undefined);
  if (hard.length > 0) return deny(hard.map(({ key }) => reasonOf(policies, key, act)));
  // All that is against it is what people can lift: now it counts what the others say.
  const rest = ask(policies, policies.rules, request);
  if ('result' in rest) return rest;
  if (rest.decision === 'deny') return nothingPermits;
  const lacking = found.filter(({ approval }) => approval !== undefined && !act.approved.includes(approval));
  if (lacking.length === 0) return allow(rest.reason.map((key) => reasonOf(policies, key, act)));
  const by = [...new Set(lacking.flatMap(({ approval }) => approval ?? []))].sort();
  return { result: { kind: 'needs-approval', by }, reasons: lacking.map(({ key }) => reasonOf(policies, key, act)) };
}

const allow = (reasons: readonly Reason[]): Answer => ({ result: { kind: 'allow' }, reasons });
const deny = (reasons: readonly Reason[]): Answer => ({ result: { kind: 'deny' }, reasons });
export const nothingPermits = deny([{ message: 'no policy permits it' }]);

/** Cedar leaves out a policy that fails while it is evaluated. Here that refuses the act: no policy is skipped. */
function ask({ engine, policies }: PolicySet, set: string, request: CedarRequest) {
  const names = { preparsedPolicySetId: set, preparsedSchemaName: preparedSchema };
  const said = withoutTrap(
    () => engine.statefulIsAuthorized({ ...request, ...names, validateRequest: true }),
    (why) => deny([{ message: `Cedar cannot decide it: ${why}` }]),
  );
  if ('result' in said) return said;
  if (said.type === 'failure')
    return deny(said.errors.map(({ message }) => ({ message: `it is not in the schema of acts: ${message}` })));
  const { decision, diagnostics } = said.response;
  const failed = diagnostics.errors.map(({ policyId, error }) => ({
    ...placeOfPolicy(policies.get(policyId)),
    message: `the policy cannot be evaluated: ${error.message}`,
  }));
  if (failed.length > 0) return deny(failed);
  return { decision, reason: [...diagnostics.reason].sort() };
}

const placeOfPolicy = (policy: Policy | undefined): Omit<Reason, 'message'> =>
  policy === undefined ? {} : { file: policy.file, line: policy.line, policy: policy.id };

function reasonOf({ policies }: PolicySet, key: string, act: Act): Reason {
  const policy = policies.get(key);
  return { ...placeOfPolicy(policy), message: fillIn(policy?.message ?? '', act) };
}

/** `{country}` in a message is the argument of that name; `{agent}`, `{act}` and `{resource}` are what they say. */
function fillIn(message: string, { act, principal, resource, texts = {} }: Act): string {
  const own: Readonly<Record<string, string>> = { agent: principal.id, act, resource: resource.id };
  return message.replace(/\{([\w.-]+)\}/g, (whole, name: string) =>
    Object.hasOwn(own, name) ? (own[name] ?? '') : Object.hasOwn(texts, name) ? (texts[name] ?? '') : whole,
  );
}

type CedarCall = Parameters<CedarEngine['statefulIsAuthorized']>[0];
type CedarRequest = Pick<CedarCall, 'principal' | 'action' | 'resource' | 'context' | 'entities'>;
type Entity = CedarCall['entities'][number];
type EntityUid = Entity['uid'];
type CedarValue = Entity['attrs'][string];

/** An act as Cedar is asked about it. */
function cedarRequest(act: Act): CedarRequest {
  const { id, ...attributes } = act.resource;
  const principal = principalUid(act.principal);
  const resource = { type: resourceTypes[act.act], id };
  const entities: Entity[] = [
    principalEntity(act.principal),
    { uid: resource, attrs: { name: id, ...valuesOf(attributes) }, parents: departmentOf(attributes.department) },
  ];
  const context: CedarCall['context'] = { ...valuesOf(act.context), approved: [...act.approved] };
  if (act.act === 'tool') {
    const numbers = Object.entries(act.numbers ?? {}).map(([name, value]) => [name, decimal(value)] as const);
    entities.push(
      { uid: texts, attrs: {}, parents: [], tags: { ...act.texts } },
      { uid: numbersOf, attrs: {}, parents: [], tags: Object.fromEntries(numbers) },
    );
    Object.assign(context, { texts: { __entity: texts }, numbers: { __entity: numbersOf } });
  }
  return { principal, action: { type: 'Action', id: act.act }, resource, context, entities };
}

/** An act is about one call, so its arguments need no name. */
const texts = { type: 'Texts', id: 'this' };
const numbersOf = { type: 'Numbers', id: 'this' };

const principalUid = ({ kind, id }: Principal): EntityUid => ({ type: kind === 'agent' ? 'Agent' : 'Person', id });

function principalEntity(principal: Principal): Entity {
  const uid = principalUid(principal);
  if (principal.kind === 'person') return { uid, attrs: { name: principal.id }, parents: [] };
  const { id, role, department, domains } = principal;
  const [level, trust] = [Math.round(principal.level), Math.round(principal.trust)];
  const attrs = { name: id, role, level, department, domains: [...domains], trust };
  return { uid, attrs, parents: departmentOf(department) };
}

const departmentOf = (department: unknown): EntityUid[] =>
  typeof department === 'string' && department !== '' ? [{ type: 'Department', id: department }] : [];

/** Money is the one attribute with digits after the point; all other numbers are counted. */
function valuesOf(values: Readonly<Record<string, unknown>>): Record<string, CedarValue> {
  const { usd } = values;
  return { ...values, ...(typeof usd === 'number' ? { usd: decimal(usd) } : {}) } as Record<string, CedarValue>;
}

const mostDecimal = 922_337_203_685_477;

/** Cedar's decimals have four digits after the point. What has more counts as the next larger one: a cap must hold. */
function decimal(value: number): CedarValue {
  const bounded = Math.max(-mostDecimal, Math.min(mostDecimal, value));
  const near = bounded.toFixed(4);
  const arg = Number(near) < bounded ? (Number(near) + 0.0001).toFixed(4) : near;
  return { __extn: { fn: 'decimal', arg } };
}

/** Follows from the policies and the act alone: the same question has the same name, and no other has it. */
export const decisionId = (tree: string, act: Act): string =>
  createHash('sha256')
    .update(`${tree}\n${formatAct(act)}`)
    .digest('hex')
    .slice(0, 16);
