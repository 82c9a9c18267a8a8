import { randomBytes } from 'node:crypto';
import {
  type Act,
  type Decision,
  formatReasons,
  formatResult,
  landAct,
  personPrincipal,
  type Reason,
} from '../domain/rules/act.ts';
import { mayApprove } from '../domain/rules/request.ts';
import type { Person } from '../domain/staff/charter.ts';
import { policyFilesOf } from '../org/force/policy-files.ts';
import type { Org } from '../records/org.ts';
import { cleanLine, type Problem, problemAt } from '../text/problem.ts';
import type { RecordedDecision } from './decision-book.ts';
import { checkRego, type OpaServer, startOpa } from './opa.ts';
import {
  decideByPolicies,
  decisionId,
  loadPolicies,
  nothingPermits,
  type PolicySet,
  refusedOutright,
} from './policy.ts';

/** All policies of one tree, in whatever language, ready to be asked. */
export type Judge = Awaited<ReturnType<typeof openJudge>>;

/** Cedar is decided in this process; for Rego an OPA server is started, and ended with `close`. */
export async function openJudge(files: ReadonlyMap<string, string>, tree: string) {
  const { cedar, rego } = byLanguage(files);
  const policies = cedar.size === 0 ? undefined : await loadPolicies(cedar, tree);
  const opa = hasRego(rego) ? await openRego(rego) : undefined;
  return {
    tree,
    judge: (act: Act): Promise<Decision> => judgeByBoth(tree, policies && decideByPolicies(policies, act), opa, act),
    close: () => opa?.close(),
  };
}

/** Looks for whatever is wrong with policies, and starts nothing that stays. Gives what a person may want to know. */
export async function checkPolicies(
  files: ReadonlyMap<string, string>,
  tree: string,
  people: readonly Person[],
  able = people,
): Promise<readonly Problem[]> {
  const { cedar, rego } = byLanguage(files);
  const policies = cedar.size === 0 ? undefined : await loadPolicies(cedar, tree);
  if (policies !== undefined) refuseDeadEnds(policies, people, able);
  packagesIn(rego);
  if (hasRego(rego)) await checkRego(rego);
  return policies?.warnings ?? [];
}

/**
 * Refuses an approval that no person in ORG.md could give, or none of those with a key where decisions are signed; and policies under
 * which no person could land anything.
 */
function refuseDeadEnds(policies: PolicySet, people: readonly Person[], able: readonly Person[]): void {
  const approvals = [...policies.policies.values()].filter(({ approval }) => approval !== undefined);
  for (const { approval = '', file, line, column } of people.length === 0 ? [] : approvals) {
    const [may, can] = [people, able].map((some) => mayApprove(some, { by: [approval], act: '' }));
    if (can !== undefined && can.length > 0) continue;
    throw problemAt(
      'org/policy',
      { file, line, column },
      may?.[0] === undefined
        ? `@approval("${approval}") waits for a person that ORG.md does not have`
        : `@approval("${approval}") waits for ${may.join(' or ')}, and allowed_signers has no key of theirs that may sign now`,
      may?.[0] === undefined
        ? `Add a line below a person in ORG.md: - **Approves:** ${approval}`
        : `Add a line there: ${may[0]} ssh-ed25519 AAAA…`,
    );
  }
  const small = { files: 1, lines: 1, reviewed: true };
  const names = people.length === 0 ? ['a person'] : people.map(({ id }) => id);
  const said = names.map((id) => decideByPolicies(policies, landAct(personPrincipal(id), 'land/a-change', small)));
  const [first] = said.flatMap(({ reasons }) => reasons);
  // Where no policy permits it, one may be added. A forbid ends it for everybody.
  if (first?.file === undefined || said.some(({ result }) => result.kind !== 'deny')) return;
  throw problemAt(
    'org/policy',
    { file: first.file, line: first.line },
    'no person could land anything: this policy forbids it to all of them',
    'Let it except somebody: unless { principal == Person::"ada" }',
  );
}

function byLanguage(files: ReadonlyMap<string, string>) {
  const cedar = new Map([...files].filter(([name]) => name.endsWith('.cedar')));
  return { cedar, rego: new Map([...files].filter(([name]) => /\.(rego|json)$/.test(name))) };
}

const hasRego = (files: ReadonlyMap<string, string>): boolean =>
  [...files.keys()].some((name) => name.endsWith('.rego'));

/** Where there are both, both must allow it: neither knows what the other was written for. */
async function judgeByBoth(tree: string, own: Decision | undefined, opa: RegoPolicies | undefined, act: Act) {
  if (opa === undefined && own !== undefined) return own;
  const other = refusedOutright(act) ?? (await opa?.judge(act));
  const said = [own, other].flatMap((one) => one ?? []);
  const by = said.flatMap(({ result }) => (result.kind === 'needs-approval' ? result.by : []));
  const isDenied = said.some(({ result }) => result.kind === 'deny');
  const yes: Decision['result'] =
    by.length > 0 ? { kind: 'needs-approval', by: [...new Set(by)].sort() } : { kind: 'allow' };
  const result: Decision['result'] = isDenied ? { kind: 'deny' } : yes;
  const reasons = said.filter((one) => one.result.kind === result.kind).flatMap((one) => one.reasons);
  return { id: decisionId(tree, act), policies: tree, act, result, reasons };
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

type Answer = Pick<Decision, 'result' | 'reasons'>;

/** The Rego policies of one tree, behind the OPA server that evaluates them. */
export type RegoPolicies = Awaited<ReturnType<typeof openRego>>;

/** A package that is asked, and the file that it stands in. */
type Package = Readonly<Record<'name' | 'file', string>>;

export async function openRego(files: ReadonlyMap<string, string>) {
  const packages = packagesIn(files);
  const server = await startOpa(files, randomBytes(24).toString('hex'));
  return { judge: (act: Act): Promise<Answer> => judgeByAll(server, packages, act), close: server.close };
}

/** Every package below `org` is asked; `lib` is for what they share. What stood elsewhere nobody would ever ask. */
export function packagesIn(files: ReadonlyMap<string, string>): readonly Package[] {
  const found = [...files].flatMap(([file, text]) => {
    if (!file.endsWith('.rego') || file.endsWith('_test.rego')) return [];
    const said = /^[ \t]*package[ \t]+([\w.]+)/m.exec(text);
    const line = said === null ? 1 : text.slice(0, said.index).split('\n').length;
    const name = said?.[1] ?? '';
    if (/^lib(\.|$)/.test(name)) return [];
    if (/^org\.\w+(\.\w+)*$/.test(name)) return [{ name, file }];
    throw problemAt(
      'org/policy',
      { file, line, column: 1 },
      `it is of the package ${name || '(none)'}, which is never asked`,
      'Begin it with: package org.payments (or package lib.… for what others import).',
    );
  });
  return [...new Map(found.map((one) => [one.name, one])).values()];
}

/** As with permits and forbids: a deny is heard first, then a rule that wants a person's yes, and one that allows is enough. */
async function judgeByAll(server: OpaServer, packages: readonly Package[], act: Act): Promise<Answer> {
  const input = inputFor(act);
  const said = await Promise.all(packages.map((one) => askPackage(server, one, input)));
  const denied = said.flatMap(({ denies }) => denies);
  if (denied.length > 0) return { result: { kind: 'deny' }, reasons: denied };
  const wanting = said.filter(({ approvers }) => approvers.length > 0);
  const isApproved = (who: string): boolean => (who === anybody ? act.approved.length > 0 : act.approved.includes(who));
  const lacking = wanting.flatMap(({ approvers, reason }) =>
    approvers.filter((who) => !isApproved(who)).map((who) => ({ who, reason })),
  );
  if (lacking.length > 0) {
    const by = [...new Set(lacking.map(({ who }) => who))].sort();
    return { result: { kind: 'needs-approval', by }, reasons: [...new Set(lacking.map(({ reason }) => reason))] };
  }
  const allowing = [...said.filter(({ allows }) => allows), ...wanting].map(({ reason }) => reason);
  return allowing.length === 0 ? nothingPermits : { result: { kind: 'allow' }, reasons: [...new Set(allowing)] };
}

/** Any person who may approve, where a rule says no more than that somebody has to. */
const anybody = 'person';

interface Said {
  readonly reason: Reason;
  readonly denies: readonly Reason[];
  readonly approvers: readonly string[];
  readonly allows: boolean;
}

/** What one package says. Whatever cannot be understood is a no: a policy is never silently skipped. */
async function askPackage(server: OpaServer, { name, file }: Package, input: unknown): Promise<Said> {
  const reason = { file, policy: name, message: '' };
  const no = (message: string): Said => ({ reason, denies: [{ ...reason, message }], approvers: [], allows: false });
  try {
    const said = await server.ask(name.replaceAll('.', '/'), input);
    if (typeof said !== 'object' || said === null) return no('OPA knows no such package');
    const { allow, deny, require_approval: approval } = said as Readonly<Record<string, unknown>>;
    const messages = textsIn(deny, 'it is denied');
    const approvers = textsIn(approval, anybody);
    if (messages === undefined || approvers === undefined || (allow !== undefined && typeof allow !== 'boolean'))
      return no('its allow is not yes or no, or its deny or require_approval is not a list of texts');
    const denies = messages.map((message) => ({ ...reason, message }));
    return { reason, denies, approvers, allows: allow === true };
  } catch (error) {
    return no(`OPA cannot be asked: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A rule may be a yes or no, a text, or a set of texts. */
function textsIn(value: unknown, yes: string): readonly string[] | undefined {
  if (value === undefined || value === false) return [];
  if (value === true) return [yes];
  if (typeof value === 'string') return [value];
  const texts: readonly unknown[] = Array.isArray(value) ? value : [undefined];
  return texts.every((one) => typeof one === 'string') ? [...texts].sort() : undefined;
}

/** `input.tool`, `input.agent` and a tool's arguments by name, as people write them; whose names clash, orgrepo's wins. */
const inputFor = ({ act, principal, resource, context, texts, numbers, approved }: Act): Record<string, unknown> => ({
  ...texts,
  ...numbers,
  ...context,
  ...{ act, agent: principal.id, principal, resource, approved },
  tool: act === 'tool' ? resource.id : undefined,
});
