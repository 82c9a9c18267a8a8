import { type Act, actKinds } from '../domain/rules/act.ts';
import type { Decision, DecisionResult, Reason } from '../domain/rules/decision.ts';
import type { Problem } from '../text/problem.ts';
import { type AuthorizationAnswer, type CedarEngine, loadCedar, withoutTrap } from './cedar.ts';
import { type CedarRequest, cedarRequest } from './cedar-request.ts';
import { decisionId } from './decision-id.ts';
import { type Policy, parsePolicies, preparedSchema, tooMuchForCedar } from './policy-set.ts';

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
    const parsed = withoutTrap(
      () => engine.preparsePolicySet(`${what} ${name}`, { staticPolicies }),
      (why) => {
        throw tooMuchForCedar({ file: [...files.keys()].join(', ') }, why);
      },
    );
    if (parsed.type === 'failure') throw new Error(parsed.errors.map(({ message }) => message).join('; '));
    return `${what} ${name}`;
  };
  const all = [...policies.values()];
  return {
    ...{ tree, engine, policies, warnings },
    all: keep('all', all),
    rules: keep(
      'rules',
      all.filter(({ approval }) => approval === undefined),
    ),
  };
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
  if (first.decision === 'allow')
    return { result: allow, reasons: first.reason.map((key) => reasonOf(policies, key, act)) };
  if (first.reason.length === 0) return nothingPermits;
  const found = first.reason.flatMap((key) => policies.policies.get(key) ?? []);
  const hard = found.filter(({ approval }) => approval === undefined);
  if (hard.length > 0) return deny(hard.map(({ key }) => reasonOf(policies, key, act)));
  // All that is against it is what people can lift: now it counts what the others say.
  const rest = ask(policies, policies.rules, request);
  if ('result' in rest) return rest;
  if (rest.decision === 'deny') return nothingPermits;
  const lacking = found.filter(({ approval }) => approval !== undefined && !act.approved.includes(approval));
  if (lacking.length === 0) return { result: allow, reasons: rest.reason.map((key) => reasonOf(policies, key, act)) };
  const by = [...new Set(lacking.flatMap(({ approval }) => approval ?? []))].sort();
  return { result: { kind: 'needs-approval', by }, reasons: lacking.map(({ key }) => reasonOf(policies, key, act)) };
}

const allow: DecisionResult = { kind: 'allow' };
const deny = (reasons: readonly Reason[]): Answer => ({ result: { kind: 'deny' }, reasons });
export const nothingPermits = deny([{ message: 'no policy permits it' }]);

type Asked = Extract<AuthorizationAnswer, { type: 'success' }>['response'];

/** Cedar leaves out a policy that fails while it is evaluated. Here that refuses the act: no policy is skipped. */
function ask(
  { engine, policies }: PolicySet,
  set: string,
  request: CedarRequest,
): { readonly decision: Asked['decision']; readonly reason: readonly string[] } | Answer {
  const names = { preparsedPolicySetId: set, preparsedSchemaName: preparedSchema };
  const said = withoutTrap(
    () => engine.statefulIsAuthorized({ ...request, ...names, validateRequest: true }),
    (why) => deny([{ message: `Cedar cannot decide it: ${why}` }]),
  );
  if ('result' in said) return said;
  if (said.type === 'failure')
    return deny(said.errors.map(({ message }) => ({ message: `it is not in the schema of acts: ${message}` })));
  const { decision, diagnostics } = said.response;
  if (diagnostics.errors.length > 0)
    return deny(
      diagnostics.errors.map(({ policyId, error }) => ({
        ...placeOfPolicy(policies.get(policyId)),
        message: `the policy cannot be evaluated: ${error.message}`,
      })),
    );
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
