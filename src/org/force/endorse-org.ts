import { personSigning, type RightsOfPerson, rightsOf, type Statement } from '../../domain/rules/statement.ts';
import type { Person } from '../../domain/staff/charter.ts';
import { editTree, entryAt, type TreeEntry } from '../../git/objects/tree.ts';
import { writeCheckpoint } from '../../records/checkpoints.ts';
import { treeOf } from '../../records/entry.ts';
import type { Org } from '../../records/org.ts';
import {
  type DecisionState,
  decisionNamespace,
  decisionsNow,
  newestCheckpoint,
  refuseSecretIn,
  refuseStale,
  type SignedStatement,
  type Signing,
  signersOnQueue,
  statementParts,
  writeAct,
} from '../../records/requests/requests.ts';
import { readSignersAt } from '../../records/signers.ts';
import { ownLines, refuseSigner, type Signer, signersFile } from '../../signing/allowed-signers.ts';
import { Problem, problemAt } from '../../text/problem.ts';
import { orgFile, yamlFile } from '../read/org-file.ts';
import { pinBrief } from './pin-brief.ts';
import { policiesDir } from './policy-files.ts';

/** What a person who changes it must sign, where decisions are signed. */
export const guardedPaths = [orgFile, yamlFile, policiesDir, signersFile] as const;

/** A statement but for who decides, where, and until when it counts. */
type DraftStatement = Omit<Statement, 'by' | 'machine' | 'until'>;

/** How the person at the keyboard signs. It gives the whole statement. */
export type SignsDecision = (draft: DraftStatement) => Promise<SignedStatement>;

/** The id of these paths of a tree, as a tree of their own. It is stored nowhere. */
export async function guardedTree(org: Org, tree: string): Promise<string> {
  const found = new Map<string, TreeEntry>();
  for (const path of guardedPaths) {
    const entry = await entryAt(org.repo, tree, path);
    if (entry !== undefined) found.set(path, entry);
  }
  return (await editTree(org.repo, undefined, found)).oid;
}

/** Refuses an org that must be signed before it is in force, and is not. */
export async function refuseUnsignedOrg(org: Org, tree: string): Promise<void> {
  const { signing } = await decisionsNow(org);
  if (signing === undefined || signing.act === (await guardedTree(org, tree))) return;
  throw new Problem(
    'credentials/signing',
    `${guardedPaths.join(', ')}: they differ on your branch from what was signed`,
    'Look at what changed and sign it: orgrepo plan, then orgrepo apply. Or take the change back.',
  );
}

/**
 * Puts who may decide into force, as a commit of the queue. The first `allowed_signers` needs no signature. Every later change of
 * the org needs one of a person whom the org in force lets sign.
 */
export async function endorseOrg(org: Org, trunk: string, by: string, sign?: SignsDecision): Promise<DecisionState> {
  const now = await decisionsNow(org);
  const { signing } = now;
  const tree = await treeOf(org, trunk);
  const file = await entryAt(org.repo, tree, signersFile);
  if (signing === undefined && file === undefined) return now;
  const act = await guardedTree(org, tree);
  if (signing?.act === act) return now;
  if (signing !== undefined && sign === undefined) await refuseUnsignedOrg(org, tree);
  const { rights, policies } = await signersAt(org, trunk);
  const draft: DraftStatement = {
    ...{ org: await anOrgId(org), kind: 'apply', note: '', policies, rights },
    about: [{ id: 'org', ask: signing?.commit, act, agents: [] }],
  };
  const signed: SignedStatement =
    signing === undefined || sign === undefined
      ? {
          statement: { ...draft, machine: undefined, by: by.replaceAll(/\s+/g, ' '), until: 0 },
          signature: undefined,
          fingerprint: undefined,
        }
      : await sign(draft);
  const { files, trailers } = statementParts('org', signed);
  const text = file === undefined ? undefined : await textOf(org, file.oid);
  refuseSecretIn(text ?? '', signersFile);
  await writeAct(org, (_acts, _queue, state) => {
    refuseStale(state, signed, 'org');
    return {
      event: 'endorse',
      title: `endorse: ${file === undefined ? 'nothing is signed from here on' : `the people and policies of ${trunk.slice(0, 7)}`}`,
      files: new Map([...files, [signersOnQueue, text]]),
      trailers: { ...trailers, By: signed.statement.by, Trunk: trunk, Act: act, Signers: file?.oid ?? 'none' },
    };
  });
  return decisionsNow(org);
}

/** What a commit of the trunk puts into force, if people sign it. */
export async function endorsedAt(org: Org, trunk: string): Promise<Pick<Signing, 'act' | 'policies' | 'rights'>> {
  const tree = await treeOf(org, trunk);
  const [signers, policies] = await Promise.all(
    [signersFile, policiesDir].map((path) => entryAt(org.repo, tree, path)),
  );
  const people = rightsOf((await pinBrief(org, trunk)).charter?.charter.people ?? []);
  return { act: await guardedTree(org, tree), policies: policies?.oid, rights: { signers: signers?.oid, people } };
}

/** The same, with the signers. Refuses those that would let nobody decide. */
export async function signersAt(org: Org, trunk: string) {
  const signers = await readSignersAt(org, await treeOf(org, trunk));
  const endorsed = await endorsedAt(org, trunk);
  if (signers !== undefined) refuseWithoutSigners(endorsed.rights.people, signers, Date.now() / 1000);
  return { ...endorsed, signers };
}

/** The id of the org: its first checkpoint gives it one. */
export async function anOrgId(org: Org): Promise<string> {
  const known = (await decisionsNow(org)).signing?.org ?? (await newestCheckpoint(org))?.org;
  if (known !== undefined) return known;
  await writeCheckpoint(org, 'decisions are signed from here on');
  return (await newestCheckpoint(org))?.org ?? '';
}

/**
 * Refuses signers with whom nobody could decide anything any more: one of them must be able to sign now, and where the org names
 * people, be one of these who may thaw it. A key stands for one person.
 */
export function refuseWithoutSigners(people: readonly RightsOfPerson[], signers: readonly Signer[], now: number): void {
  for (const { names, place } of signers) {
    const meant = people.filter((person) => personSigning([person], names) !== undefined).map(({ id }) => id);
    if (meant.length > 1) throw problemAt('signers/people', place, `${meant.join(' and ')} have one key`, ownLines);
  }
  const able = signers.filter((signer) => refuseSigner(signer, decisionNamespace, now) === undefined);
  const may = people.filter(({ mayPause }) => mayPause);
  if (able.some(({ names }) => people.length === 0 || personSigning(may, names) !== undefined)) return;
  throw new Problem(
    'signers/people',
    able.length === 0
      ? `no key in ${signersFile} may sign decisions now`
      : `${signersFile} names nobody who could freeze and thaw the org`,
    able.length === 0
      ? 'Each line has expired, is not valid yet, or has namespaces without orgrepo-approval@1.'
      : `Add a line for ${may.map(({ id }) => id).join(' or ')}: ${may[0]?.id} ssh-ed25519 AAAA…`,
  );
}

/** Reads the signers of a tree and refuses those with whom nobody could decide. Gives the people who can. */
export async function checkSigners(org: Org, tree: string, people: readonly Person[]): Promise<readonly Person[]> {
  const signers = await readSignersAt(org, tree);
  if (signers === undefined) return people;
  const now = Date.now() / 1000;
  refuseWithoutSigners(rightsOf(people), signers, now);
  const names = signers.flatMap((one) => (refuseSigner(one, decisionNamespace, now) === undefined ? one.names : []));
  return people.filter((person) => personSigning(rightsOf([person]), names) !== undefined);
}

async function textOf(org: Org, oid: string): Promise<string> {
  const found = await org.repo.reader.read(oid);
  return found?.type === 'blob' ? found.content.toString('utf8') : '';
}
