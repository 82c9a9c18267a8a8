import { createHash } from 'node:crypto';
import { refuseStatement, type StatementKind, statementKinds } from '../../domain/rules/statement.ts';
import type { EscalationAnswer } from '../../domain/staff/escalation.ts';
import { parseLedger } from '../../domain/words/ledger.ts';
import { entryAt } from '../../git/objects/tree.ts';
import { parseSigners, signerOf } from '../../signing/allowed-signers.ts';
import { orElse } from '../../text/problem.ts';
import { type BookEntry, readEntry } from '../entry.ts';
import type { Org } from '../org.ts';
import { type AskedSubject, type DecisionState, type Signing, spentBy, winSubject } from './decision-state.ts';
import { decisionNamespace, readStatement, signersOnQueue, statementFile, textInCommit } from './statement-files.ts';

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
  const judged =
    kind === undefined || before.signing === undefined
      ? undefined
      : await judgeSigned(org, before.signing, entry, { kind, at, state: before });
  if (judged !== undefined && 'wrong' in judged) return { state: now, wrong: judged.wrong };
  if (judged !== undefined) now.spent.add(judged.spends);
  if (judged?.machine !== undefined) now.machines.add(judged.machine);
  return { state: await after(org, now, entry), wrong: undefined };
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

async function judgeSigned(
  org: Org,
  signing: Signing,
  entry: BookEntry,
  { kind, at, state }: Judging,
): Promise<{ readonly wrong: string } | { readonly spends: string; readonly machine: string | undefined }> {
  const subject = subjectOf(kind, entry, state);
  if (subject === undefined) return { wrong: 'it is about nothing that was asked' };
  const by = entry.get('By') ?? '';
  const read = await readStatement(org, entry, statementFile(kind, subject.id, by));
  if (read === undefined) return { wrong: 'it is not signed' };
  const { text, signature, statement } = read;
  if (statement === undefined) return { wrong: 'its statement is cut off or changed' };
  const signed = signerOf(signing.signers, text, signature, decisionNamespace, at);
  if ('wrong' in signed) return signed;
  const spends = spentBy(subject.id, text);
  if (state.spent.has(spends)) return { wrong: `its statement has decided ${subject.id} once already` };
  const as = entry.get('As')?.split(', ');
  const wrong = refuseStatement(statement, signed.names, {
    ...{
      org: signing.org,
      kind,
      subject,
      policies: signing.policies,
      people: signing.rights.people,
      at,
      by,
    },
    ...(subject.asked !== undefined && as !== undefined && { as, asked: subject.asked }),
  });
  return wrong === undefined ? { spends, machine: statement.machine } : { wrong };
}

function subjectOf(kind: StatementKind, entry: BookEntry, state: DecisionState): AskedSubject | undefined {
  const whole = { agents: [], asked: undefined, isAnswered: false };
  if (kind === 'freeze' || kind === 'thaw') return { id: 'org', ask: state.previous, act: kind, ...whole };
  if (kind === 'apply') return { id: 'org', ask: state.signing?.commit, act: entry.get('Act') ?? '', ...whole };
  const request = entry.get('Approval') ?? entry.get('Escalation');
  const asked = state.asked.get(request ?? '');
  if (kind === 'answer') return asked && { ...asked, act: answerKey(answerIn(entry)) };
  const n = entry.get('Experiment');
  return request !== undefined || n === undefined ? asked : winSubject(state, n, entry.get('Cause'));
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
  if (event === 'approve' || event === 'deny') {
    const answered = before.asked.get(request ?? '');
    const n = entry.get('Experiment');
    if (answered !== undefined) before.asked.set(answered.id, { ...answered, isAnswered: true });
    else if (n !== undefined && entry.get('Signer') !== undefined)
      before.asked.set(n, {
        ...{ id: n, ask: commit.oid, act: 'win', agents: [], asked: undefined, isAnswered: true },
        win: entry.get('Cause'),
      });
  }
  if (event === 'freeze' || event === 'thaw')
    return { ...before, previous: commit.oid, frozen: event === 'freeze' ? entry : undefined };
  if (event !== 'endorse') return before;
  const signing = await signingIn(org, entry, before.signing);
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
async function signingIn(org: Org, entry: BookEntry, before: Signing | undefined): Promise<Signing | undefined> {
  const read = await readStatement(org, entry, statementFile('apply', 'org', ''));
  const rights = read?.statement?.rights;
  if (rights === undefined || rights.signers === undefined) return undefined;
  const file = await entryAt(org.repo, entry.commit.tree, signersOnQueue);
  const text = file?.oid === rights.signers ? await textInCommit(org, entry, signersOnQueue) : undefined;
  return {
    ...{
      commit: entry.commit.oid,
      since: before?.since ?? entry.commit.oid,
      rights,
      act: entry.get('Act') ?? '',
      policies: read?.statement?.policies,
    },
    org: before?.org ?? read?.statement?.org ?? '',
    signers: orElse(() => parseSigners(text ?? ''), []),
  };
}
