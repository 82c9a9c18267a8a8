import {
  type Expected,
  formatStatement,
  type Rights,
  type Statement,
  type Subject,
} from '../../domain/rules/statement.ts';
import type { Signer } from '../../signing/allowed-signers.ts';
import { Problem } from '../../text/problem.ts';
import type { BookEntry } from '../entry.ts';

/** What must be signed from a commit of the queue on, and by whom. */
export interface Signing {
  /** The id of the org, which every statement names. */
  readonly org: string;
  /** The commit that puts this into force. */
  readonly commit: string;
  readonly signers: readonly Signer[];
  readonly rights: Rights;
  /** The first commit of them: what was decided before it needs no signature. */
  readonly since: string;
  /** The tree of ORG.md, org.yaml, policies and `allowed_signers`. */
  readonly act: string;
  readonly policies: string | undefined;
}

/** What the decisions up to a commit of the queue say. */
export interface DecisionState {
  /** Undefined where nothing is signed. */
  readonly signing: Signing | undefined;
  /** What was asked, by its id. A history has thousands, so the next state goes on with the same map, as with the sets below. */
  readonly asked: Map<string, AskedSubject>;
  /** What each statement has decided: it decides nothing a second time. */
  readonly spent: Set<string>;
  /** The machines that people have named by deciding there. */
  readonly machines: Set<string>;
  /** The commit that froze the org, where it must be signed to thaw it. */
  readonly frozen: BookEntry | undefined;
  /** The last commit that froze, thawed or signed the org: the next statement about the org names it. */
  readonly previous: string | undefined;
  /** The last commit that was looked at. */
  readonly last: string;
  /** No commit counts as older than the one before it: the time in a commit is its writer's choice. */
  readonly at: number;
}

export interface AskedSubject extends Subject {
  readonly asked: NonNullable<Expected['asked']> | undefined;
  /** After somebody has answered, no more agents are covered. */
  readonly isAnswered: boolean;
  /** The commit of the win, where it is one. */
  readonly win?: string | undefined;
}

export const noDecisions = (): DecisionState => ({
  ...{ signing: undefined, asked: new Map(), spent: new Set<string>(), machines: new Set<string>() },
  ...{ frozen: undefined, previous: undefined, last: '', at: 0 },
});

/** The same state with books of its own, to go on from. */
export const copyDecisions = (state: DecisionState): DecisionState => ({
  ...state,
  ...{ asked: new Map(state.asked), spent: new Set(state.spent), machines: new Set(state.machines) },
});

/** Refuses to write what was signed about something that has changed since. It would not count. */
export function refuseStale(
  { signing, asked, previous, spent }: DecisionState,
  { statement }: { readonly statement: Statement },
  writes: string,
): void {
  const { kind, about, policies } = statement;
  const isStale = about.some(({ id, ask, agents }) => {
    if (spent.has(spentBy(id, formatStatement(statement)))) return id === writes;
    if (kind === 'apply') return ask !== signing?.commit;
    if (id === 'org') return ask !== previous;
    const one = asked.get(id);
    return one !== undefined && (one.ask !== ask || one.agents.join() !== agents.join());
  });
  if (!isStale && (kind === 'apply' || policies === signing?.policies)) return;
  throw new Problem(
    'usage/argument',
    `what you signed about ${writes === 'org' ? 'the org' : writes} has changed meanwhile, and it was not written`,
    'Look at it again, and decide again.',
  );
}

/** How a statement is remembered that has decided something. */
export const spentBy = (id: string, text: string): string => `${id}\n${text}`;

/** A win as its next decision names it: the first follows the win, each other one the decision before it. */
export function winSubject(
  { asked }: Pick<DecisionState, 'asked'>,
  id: string,
  win: string | undefined,
): AskedSubject | undefined {
  const decided = asked.get(id);
  if (decided !== undefined) return decided.win === win ? decided : undefined;
  return { id, ask: win, act: 'win', agents: [], asked: undefined, isAnswered: false, win };
}
