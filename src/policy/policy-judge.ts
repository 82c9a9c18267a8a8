import { type Act, type Decision, formatReasons, formatResult } from '../domain/rules/act.ts';
import { policyFilesOf } from '../org/force/policy-files.ts';
import type { Org } from '../records/org.ts';
import { cleanLine } from '../text/clean.ts';
import type { Problem } from '../text/problem.ts';
import type { RecordedDecision } from './decision-book.ts';
import { checkRego } from './opa.ts';
import { decideByPolicies, decisionId, loadPolicies, type PolicySet, refusedOutright } from './policy.ts';
import { openRego, packagesIn, type RegoPolicies } from './rego.ts';

/** All policies of one tree, in whatever language, ready to be asked. */
export interface Judge {
  readonly tree: string;
  judge(act: Act): Promise<Decision>;
  close(): void;
}

/** Cedar is decided in this process; for Rego an OPA server is started, and ended with `close`. */
export async function openJudge(files: ReadonlyMap<string, string>, tree: string): Promise<Judge> {
  const { cedar, rego } = byLanguage(files);
  const policies = cedar.size === 0 ? undefined : await loadPolicies(cedar, tree);
  const opa = hasRego(rego) ? await openRego(rego) : undefined;
  return { tree, judge: (act) => judgeByBoth(tree, policies, opa, act), close: () => opa?.close() };
}

/** Looks for whatever is wrong with policies, and starts nothing that stays. Gives what a person may want to know. */
export async function checkPolicies(files: ReadonlyMap<string, string>, tree: string): Promise<readonly Problem[]> {
  const { cedar, rego } = byLanguage(files);
  const { warnings } = cedar.size === 0 ? { warnings: [] } : await loadPolicies(cedar, tree);
  packagesIn(rego);
  if (hasRego(rego)) await checkRego(rego);
  return warnings;
}

function byLanguage(files: ReadonlyMap<string, string>) {
  const cedar = new Map([...files].filter(([name]) => name.endsWith('.cedar')));
  return { cedar, rego: new Map([...files].filter(([name]) => /\.(rego|json)$/.test(name))) };
}

const hasRego = (files: ReadonlyMap<string, string>): boolean =>
  [...files.keys()].some((name) => name.endsWith('.rego'));

/** Where there are both, both must allow it: neither knows what the other was written for. */
async function judgeByBoth(
  tree: string,
  policies: PolicySet | undefined,
  opa: RegoPolicies | undefined,
  act: Act,
): Promise<Decision> {
  const own = policies && decideByPolicies(policies, act);
  if (opa === undefined && own !== undefined) return own;
  const common = { id: decisionId(tree, act), policies: tree, act };
  const other = refusedOutright(act) ?? (await opa?.judge(act));
  const said = [own, other].flatMap((one) => one ?? []);
  const denied = said.filter(({ result }) => result.kind === 'deny');
  if (denied.length > 0)
    return { ...common, result: { kind: 'deny' }, reasons: denied.flatMap(({ reasons }) => reasons) };
  const by = said.flatMap(({ result }) => (result.kind === 'needs-approval' ? result.by : []));
  const wanting = said.filter(({ result }) => result.kind === 'needs-approval');
  if (by.length > 0)
    return {
      ...common,
      result: { kind: 'needs-approval', by: [...new Set(by)].sort() },
      reasons: wanting.flatMap(({ reasons }) => reasons),
    };
  return { ...common, result: { kind: 'allow' }, reasons: said.flatMap(({ reasons }) => reasons) };
}

/** A decision made once more, and whether it came out as it is written down. */
export interface DecidedAgain {
  readonly recorded: RecordedDecision;
  readonly again: Decision;
  readonly same: boolean;
}

/** Decides from git alone: the act as it was recorded, by the policies in its commit. */
export async function decideAgain(org: Org, recorded: RecordedDecision): Promise<DecidedAgain> {
  const { files, tree } = await policyFilesOf(org, recorded.policies);
  const judge = await openJudge(files, tree);
  try {
    const again = await judge.judge(recorded.act);
    const reason = cleanLine(formatReasons(again.reasons), 8 * 1024); // As a trailer holds it.
    const same =
      again.id === recorded.id && formatResult(again.result) === recorded.result && reason === recorded.reason;
    return { recorded, again, same };
  } finally {
    judge.close();
  }
}
