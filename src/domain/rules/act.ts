import type { Member } from '../staff/charter.ts';
import type { Risk, Spec } from '../words/spec.ts';
import type { Amount } from '../words/spending.ts';
import { cutText, plainArguments } from './plain-arguments.ts';

/** What policies decide about. Whatever is not among them is refused wherever there are policies. */
export const actKinds = ['claim', 'tool', 'spend', 'spawn', 'land', 'network', 'message'] as const;
type ActKind = (typeof actKinds)[number];

/** The actor: an agent with what the chart says of it, or a person, of whom policies know the name alone. */
export type Principal =
  | {
      readonly kind: 'agent';
      readonly id: string;
      readonly role: string;
      readonly level: number;
      /** Empty for those beside or above all departments. */
      readonly department: string;
      readonly domains: readonly string[];
      /** 0 to 100; everybody begins at 30. */
      readonly trust: number;
    }
  | { readonly kind: 'person'; readonly id: string };

type Value = string | number | boolean | readonly string[];
type Values = Readonly<Record<string, Value>>;

/** One act that is about to happen, as plain values: this is what is decided on, and what is written down. */
export interface Act {
  readonly act: ActKind;
  readonly principal: Principal;
  readonly resource: { readonly id: string } & Values;
  readonly context: Values;
  /** Of a tool: its arguments by name, and those of them that are numbers. */
  readonly texts?: Readonly<Record<string, string>>;
  readonly numbers?: Readonly<Record<string, number>>;
  /** The people who have said yes to this very act. */
  readonly approved: readonly string[];
  /** Why it cannot be looked at as a whole: then it is refused, whatever the policies say. */
  readonly unfit?: string;
}

const startingTrust = 30;

/** An agent as policies see it; one that no chart knows is of the lowest level and in no department. */
export function agentPrincipal(id: string, member?: Member | undefined, trust = startingTrust): Principal {
  const { level = 1, department = '', domains = [] } = member ?? {};
  const role = member?.role.name ?? id.replace(/-[0-9]+$/, '');
  return { kind: 'agent', id, role, level, department: department ?? '', domains, trust };
}

export const personPrincipal = (id: string): Principal => ({ kind: 'person', id });

type ForSpec = { readonly spec?: string | undefined };
const of = ({ spec }: ForSpec): Values => (spec === undefined ? {} : { spec });
const known = <T extends Value>(key: string, value: T | undefined): Values =>
  value === undefined ? {} : { [key]: value };

/** An act that nobody has approved yet. */
const actOf = (act: ActKind, principal: Principal, resource: Act['resource'], context: Values = {}): Act => ({
  ...{ act, principal, approved: [], resource, context },
});

/** The risk is the spec's own or the brief's, whichever is more. */
export const claimAct = (principal: Principal, { id, title, by }: Spec, risk: Risk): Act =>
  actOf('claim', principal, { id, title: cutText(title).text, risk, by });

/** The server of orgrepo's own tools. */
export const ownServer = 'orgrepo';

/** `stripe.charge` is the tool charge of the server stripe; orgrepo's own tools have their plain names. */
export function toolAct(
  principal: Principal,
  tool: { readonly server: string; readonly name: string } & ForSpec,
  input: Readonly<Record<string, unknown>>,
): Act {
  const { server, name } = tool;
  const { texts, numbers, cut, unfit } = plainArguments(input);
  return {
    ...actOf(
      'tool',
      principal,
      { id: server === ownServer ? name : `${server}.${name}`, server },
      { ...of(tool), cut },
    ),
    ...{ texts, numbers },
    ...(unfit === undefined ? {} : { unfit }),
  };
}

/** A call to a model that may use so much at most; what nobody knows the price of has no `usd`. */
export const spendAct = (
  principal: Principal,
  model: { readonly provider: string; readonly model: string } & ForSpec,
  most: Amount,
): Act => {
  const context = { ...of(model), ...known('usd', most.usd), tokens_in: most.tokensIn, tokens_out: most.tokensOut };
  return actOf('spend', principal, { id: `${model.provider}/${model.model}`, provider: model.provider }, context);
};

/** A lead asks for one more agent; `count` is how many its department would then have. */
export const spawnAct = (
  principal: Principal,
  agent: { readonly id: string; readonly role: string; readonly level: number; readonly department?: string },
  count: number,
): Act => {
  const { id, role, level, department = '' } = agent;
  return actOf('spawn', principal, { id, role, level, department }, { count });
};

export const landAct = (
  principal: Principal,
  branch: string,
  { files, lines, reviewed }: { readonly files: number; readonly lines: number; readonly reviewed: boolean },
): Act => actOf('land', principal, { id: branch }, { files, lines, reviewed });

/** Any host: policies cannot distinguish what a program with the network may reach. */
export const anyHost = '*';

/** `what` needs the network: `program`, `command`, or a server of tools as `server docs`. */
export const networkAct = (principal: Principal, host: string, reason: { readonly what: string } & ForSpec): Act =>
  actOf('network', principal, { id: host }, { ...of(reason), what: reason.what });

/** The same act with people's word for it. */
export const approvedBy = (act: Act, approved: readonly string[]): Act => ({
  ...act,
  approved: [...new Set([...act.approved, ...approved])].sort(),
});

/** `junior-1 wants to use the tool stripe.charge` */
export function actInWords({ act, principal, resource }: Pick<Act, 'act' | 'principal' | 'resource'>): string {
  const what: Readonly<Record<ActKind, string>> = {
    claim: 'claim',
    tool: 'use the tool',
    spend: 'ask',
    spawn: 'spawn',
    land: 'land',
    network: 'reach',
    message: 'write to',
  };
  return `${principal.id} wants to ${what[act] ?? act} ${resource.id === anyHost ? 'any host' : resource.id}`;
}

export type DecisionResult =
  | { readonly kind: 'allow' }
  | { readonly kind: 'deny' }
  /** A person must say yes first: everybody who is named. */
  | { readonly kind: 'needs-approval'; readonly by: readonly string[] };

/** Why: a policy, with where it stands; without a file it is what holds where no policy says anything. */
export interface Reason {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly policy?: string | undefined;
  readonly message: string;
}

/** What the policies say of an act. The same policies say the same of the same act, at any time and to any caller. */
export interface Decision {
  /** Follows from policies and act alone, so to name it names both. */
  readonly id: string;
  /** The id of the tree that the policies are; empty where there are none. */
  readonly policies: string;
  readonly act: Act;
  readonly result: DecisionResult;
  readonly reasons: readonly Reason[];
}

/** Why an act is not done, in words for the agent or person that wanted it. */
export interface PolicyRefusal {
  readonly words: string;
  /** The request that waits for a person's yes, by its key; undefined where nobody is asked, or has said no. */
  readonly request: string | undefined;
}

export const isAllowed = ({ result }: Pick<Decision, 'result'>): boolean => result.kind === 'allow';

/** `allow`, `deny`, `needs-approval: board, legal` */
export const formatResult = (result: DecisionResult): string =>
  result.kind === 'needs-approval' ? `${result.kind}: ${result.by.join(', ')}` : result.kind;

/** `policies/payments.cedar:12 wire-abroad: wire to KP denied; …` */
export const formatReasons = (reasons: readonly Reason[]): string =>
  reasons
    .map(({ file, line, policy, message }) => {
      const place = file === undefined ? '' : [file, line].filter((part) => part !== undefined).join(':');
      return [[place, policy].filter(Boolean).join(' '), message].filter((part) => part !== '').join(': ');
    })
    .join('; ');

/** What an agent and a notebook get to read of a refusal: the policies' own words. */
export function refusalOf({ result, reasons }: Pick<Decision, 'result' | 'reasons'>): string {
  const words = reasons.map(({ message, policy }) => message || policy || '').filter((part) => part !== '');
  const why = words.length === 0 ? '' : `: ${words.join('; ')}`;
  return result.kind === 'needs-approval'
    ? `it needs the approval of ${result.by.join(' and ')}${why}`
    : `a policy is against it${why}`;
}
