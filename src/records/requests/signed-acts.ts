import { createHash } from 'node:crypto';
import {
  type Expected,
  type Rights,
  refuseStatement,
  type StatementKind,
  type Subject,
  statementKinds,
} from '../../domain/rules/statement.ts';
import type { EscalationAnswer } from '../../domain/staff/escalation.ts';
import { parseLedger } from '../../domain/words/ledger.ts';
import { entryAt } from '../../git/objects/tree.ts';
import { parseSigners, type Signer, signerOf } from '../../signing/allowed-signers.ts';
import { orElse, Problem } from '../../text/problem.ts';
import { type BookEntry, readEntry } from '../entry.ts';
import type { Org } from '../org.ts';
import {
  decisionNamespace,
  orgId,
  readStatement,
  type SignedStatement,
  signersOnQueue,
  statementFile,
  textInCommit,
} from './statement-files.ts';

/** What must be signed from a commit of the queue on, and by whom. */
export interface Signing {
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
  /** What was asked, by its id. A history has thousands, so the next state goes on with the same map. */
  readonly asked: Map<string, AskedSubject>;
  /** The commit that froze the org, where it must be signed to thaw it. */
  readonly frozen: BookEntry | undefined;
  /** The last commit that froze, thawed or signed the org: the next statement about the org names it. */
  readonly previous: string | undefined;
  /** The last commit that was looked at. */
  readonly last: string;
  /** No commit counts as older than the one before it: the time in a commit is its writer's choice. */
  readonly at: number;
}

interface AskedSubject extends Subject {
  readonly asked: NonNullable<Expected['asked']> | undefined;
  /** After somebody has answered, no more agents are covered. */
  readonly isAnswered: boolean;
}

export const noDecisions = (): DecisionState => ({
  ...{ signing: undefined, asked: new Map(), frozen: undefined, previous: undefined, last: '', at: 0 },
});

/** Refuses to write what was signed about something that has changed since. It would not count. */
export function refuseStale({ signing, asked, previous }: DecisionState, { statement }: SignedStatement): void {
  const { kind, about, policies } = statement;
  const isStale = about.some(({ id, ask, agents }) => {
    if (kind === 'apply') return ask !== signing?.commit;
    if (id === 'org') return ask !== previous;
    const one = asked.get(id);
    return one !== undefined && (one.ask !== ask || one.agents.join() !== agents.join());
  });
  if (!isStale && (kind === 'apply' || policies === signing?.policies)) return;
  throw new Problem(
    'usage/argument',
    'what you signed has changed meanwhile, and nothing was written',
    'Look at it again, and decide again.',
  );
}

/** What an answer to an escalation decides, as its statement names it. */
export const answerKey = ({ kind, text, to }: EscalationAnswer): string =>
  createHash('sha256')
    .update(`${kind} ${to ?? ''}\n${text}`)
    .digest('hex')
    .slice(0, 40);

/** The state after one more commit of the queue, and why it does not count; undefined where it does. */
export async function judgeDecision(
  org: Org,
  before: DecisionState,
  entry: BookEntry,
): Promise<{ readonly state: DecisionState; readonly wrong: string | undefined }> {
  const [below = ''] = entry.commit.parents;
  const parent = below === before.last ? undefined : await readEntry(org, below);
  const at = Math.max(before.at, parent?.commit.committer.at ?? 0, entry.commit.committer.at);
  const now = { ...before, at, last: entry.commit.oid };
  const kind = kindOf(entry);
  const wrong =
    kind === undefined || before.signing === undefined
      ? undefined
      : await wrongIn(org, before.signing, entry, { kind, at, state: before });
  return { state: wrong === undefined ? await after(org, now, entry) : now, wrong };
}

/** Whether a commit decides something in a person's name, signed or not. */
export const isPersonsDecision = (entry: BookEntry): boolean => kindOf(entry) !== undefined;

/** A decision of a person that must be signed where anything is; undefined for what orgrepo and agents write. */
function kindOf(entry: BookEntry): StatementKind | undefined {
  if (entry.event === 'endorse') return 'apply';
  const kind = statementKinds.find((one) => one === entry.event);
  if (kind !== 'answer') return kind;
  const { author, committer } = entry.commit;
  return [author, committer].some(({ email }) => email.endsWith('@agents.invalid')) ? undefined : kind;
}

interface Judging {
  readonly kind: StatementKind;
  readonly at: number;
  readonly state: DecisionState;
}

async function wrongIn(
  org: Org,
  signing: Signing,
  entry: BookEntry,
  { kind, at, state }: Judging,
): Promise<string | undefined> {
  const subject = subjectOf(kind, entry, state);
  if (subject === undefined) return 'it is about nothing that was asked';
  const by = entry.get('By') ?? '';
  const read = await readStatement(org, entry, statementFile(kind, subject.id, by));
  if (read === undefined) return 'it is not signed';
  const signed = signerOf(signing.signers, read.text, read.signature, decisionNamespace, at);
  if ('wrong' in signed) return signed.wrong;
  const as = entry.get('As')?.split(', ');
  return refuseStatement(read.statement, signed.names, {
    ...{
      org: (await orgId(org)) ?? '',
      kind,
      subject,
      policies: signing.policies,
      people: signing.rights.people,
      at,
      by,
    },
    ...(kind === 'approve' && subject.asked !== undefined && as !== undefined && { as, asked: subject.asked }),
  });
}

function subjectOf(kind: StatementKind, entry: BookEntry, state: DecisionState): AskedSubject | undefined {
  const whole = { agents: [], asked: undefined, isAnswered: false };
  if (kind === 'freeze' || kind === 'thaw') return { id: 'org', ask: state.previous, act: kind, ...whole };
  if (kind === 'apply') return { id: 'org', ask: state.signing?.commit, act: entry.get('Act') ?? '', ...whole };
  const asked = state.asked.get(entry.get('Approval') ?? entry.get('Escalation') ?? '');
  if (kind === 'answer') return asked && { ...asked, act: answerKey(answerIn(entry)) };
  const [n, cause] = [entry.get('Experiment'), entry.get('Cause')];
  return asked ?? (n === undefined ? undefined : { id: n, ask: cause, act: 'win', ...whole });
}

const answerIn = (entry: BookEntry): EscalationAnswer => ({
  kind: (entry.get('Answer') ?? 'close') as EscalationAnswer['kind'],
  text: entry.body,
  to: entry.get('To'),
});

async function after(org: Org, before: DecisionState, entry: BookEntry): Promise<DecisionState> {
  const { event, commit } = entry;
  const [request, escalation] = [entry.get('Approval'), entry.get('Escalation')];
  if (event === 'ask' && request !== undefined) return withAsked(before, request, entry);
  if (event === 'escalate' && escalation !== undefined) {
    const one = { id: escalation, ask: commit.oid, act: '', agents: [], asked: undefined, isAnswered: false };
    before.asked.set(escalation, one);
    return before;
  }
  const answered = before.asked.get(request ?? '');
  if ((event === 'approve' || event === 'deny') && answered !== undefined)
    before.asked.set(answered.id, { ...answered, isAnswered: true });
  if (event === 'freeze' || event === 'thaw')
    return { ...before, previous: commit.oid, frozen: event === 'freeze' ? entry : undefined };
  if (event !== 'endorse') return before;
  const signing = await signingIn(org, entry, before.signing?.since ?? commit.oid);
  const isFrozen = before.signing === undefined && parseLedger(entry.get('Ledger') ?? '').frozen;
  return { ...before, previous: commit.oid, signing, frozen: isFrozen ? entry : before.frozen };
}

/** Another agent that asks for the same act is covered by the same request, until somebody has answered it. */
function withAsked(before: DecisionState, id: string, entry: BookEntry): DecisionState {
  const first = before.asked.get(id);
  const agent = entry.get('Agent') ?? '';
  if (first?.isAnswered || (first !== undefined && first.act !== entry.get('Act'))) return before;
  const by = (entry.get('By') ?? '').split(', ').filter((name) => name !== '');
  const one = first ?? {
    ...{ id, ask: entry.commit.oid, act: entry.get('Act') ?? '', agents: [], isAnswered: false },
    asked: { by, act: entry.get('Kind') ?? '' },
  };
  const agents = one.agents.includes(agent) ? one.agents : [...one.agents, agent];
  before.asked.set(id, { ...one, agents });
  return before;
}

/** What an `endorse` puts into force. A file that cannot be read lets nobody decide anything: signing was on, and stays on. */
async function signingIn(org: Org, entry: BookEntry, since: string): Promise<Signing | undefined> {
  const read = await readStatement(org, entry, statementFile('apply', 'org', ''));
  const rights = read?.statement.rights;
  if (rights === undefined || rights.signers === undefined) return undefined;
  const file = await entryAt(org.repo, entry.commit.tree, signersOnQueue);
  const text = file?.oid === rights.signers ? await textInCommit(org, entry, signersOnQueue) : undefined;
  return {
    ...{ commit: entry.commit.oid, since, rights, act: entry.get('Act') ?? '', policies: read?.statement.policies },
    signers: orElse(() => parseSigners(text ?? ''), []),
  };
}
