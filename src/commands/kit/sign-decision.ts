import { existsSync } from 'node:fs';
import path from 'node:path';
import { isListed } from '../../domain/rules/request.ts';
import {
  formatStatement,
  personSigning,
  type Rights,
  type RightsOfPerson,
  type Statement,
} from '../../domain/rules/statement.ts';
import type { Person } from '../../domain/staff/charter.ts';
import { idFrom } from '../../domain/staff/role-name.ts';
import { signingKeyOf } from '../../git/persons-git.ts';
import { anOrgId, endorseOrg, type SignsDecision, signersAt } from '../../org/force/endorse-org.ts';
import { machineOf } from '../../records/checkpoints.ts';
import { type Org, trunkTip } from '../../records/org.ts';
import {
  decisionNamespace,
  decisionsNow,
  type SignedStatement,
  type Signing,
} from '../../records/requests/requests.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import { refuseSigner, type Signer, signerOf, signersFile } from '../../signing/allowed-signers.ts';
import { findPersonKey, type PersonKey, type PersonSide, signAsPerson } from '../../signing/person-key.ts';
import { visibleLines } from '../../terminal/visible.ts';
import { cleanLine, Problem } from '../../text/problem.ts';
import type { VerbCall } from './command.ts';
import { refuseAgents, speakerAs } from './person-who-may.ts';

/** How long a person has to put on the queue what they signed. */
const validSeconds = 24 * 3600;

/** A reason on one line, as it is signed and stored. */
export const noteIn = (text: string): string => cleanLine(hideSecrets(text).replaceAll(/\s+/g, ' '), 1_000);

/** What is decided, and about what. */
type Decided = Pick<Statement, 'kind' | 'about' | 'note'>;

/** The person who decides, and how they sign, where decisions are signed. */
export interface Decider {
  /** Undefined where nothing is signed. */
  readonly signing: Signing | undefined;
  /** Undefined where the org knows nobody by that name. */
  readonly person: Pick<Person, 'id' | 'name' | 'approves' | 'mayPause'> | undefined;
  readonly by: string;
  /** Undefined where nothing is signed. */
  sign(decided: Decided): Promise<SignedStatement | undefined>;
}

/**
 * Finds out who decides: where `allowed_signers` says whose keys count, the person whose key is at hand; else the one who git says
 * is at the keyboard.
 */
export async function deciderOf(org: Org, call: VerbCall, people: readonly Person[]): Promise<Decider> {
  const git = await org.person();
  await refuseAgents(org);
  const trunk = await trunkTip(org);
  const inForce = (await decisionsNow(org)).signing;
  // What is on the branch and not applied yet lets nobody decide, but for the first file of signers.
  const { signers, rights } = inForce ?? (await signersAt(org, trunk));
  if (signers === undefined) {
    if (existsSync(path.join(org.repo.root, signersFile)))
      call.say(`note  ${signersFile} is not committed, so this is not signed\n`);
    const person = speakerAs(people, call.value('as'), git);
    return { signing: undefined, person, by: person?.id ?? git.name, sign: async () => undefined };
  }
  const hand = await handOf(org, call, { signers, rights }, call.value('as')); // Before anything is written.
  const signing = inForce ?? (await endorseOrg(org, trunk, git.name)).signing;
  if (signing === undefined) throw new Error(`${signersFile} is not in force`);
  if (inForce === undefined) call.say(signedFromHere);
  const sign = async (decided: Decided): Promise<SignedStatement> =>
    signWith(org, call, hand, signing, {
      ...decided,
      rights: undefined,
      policies: signing.policies,
      org: await anOrgId(org),
    });
  return { signing, person: hand.person, by: hand.by, sign };
}

export const signedFromHere = `Decisions are signed from here on, by the keys in ${signersFile}.\n`;

export const unsignedFromHere = 'Decisions are not signed any more.\n';

/** How a person signs the change of an org. */
export const signsChange =
  (org: Org, call: VerbCall, signing: Signing): SignsDecision =>
  async (draft) =>
    signWith(org, call, await handOf(org, call, signing), signing, draft);

/** A key, and whose it is as far as that is known before it signs. */
interface Hand {
  readonly key: PersonKey;
  readonly side: PersonSide;
  readonly person: RightsOfPerson | undefined;
  readonly by: string;
}

async function handOf(
  org: Org,
  call: VerbCall,
  { signers, rights: { people } }: { readonly signers: readonly Signer[]; readonly rights: Pick<Rights, 'people'> },
  named?: string,
): Promise<Hand> {
  const side = { env: process.env, configured: await signingKeyOf(org.repo.root), isAttended: call.mayAsk };
  // ssh-agent may hold an expired key beside the new one.
  const able = signers.filter((one) => refuseSigner(one, decisionNamespace, Date.now() / 1000) === undefined);
  const as = people.length === 0 ? named : idFrom(named ?? '');
  const isOwn = ({ names }: Signer): boolean =>
    as !== undefined && (people.length === 0 ? names.includes(as) : personSigning(people, names)?.id === as);
  const key = await findPersonKey(side, able.length === 0 ? signers : [...able.filter(isOwn), ...able]);
  const names = signers.find((one) => key.key !== undefined && one.key.blob.equals(key.key.blob))?.names;
  if (key.key !== undefined && names === undefined)
    throw new Problem(
      'credentials/signing',
      `allowed_signers does not name your key ${key.key.fingerprint} (${key.from})`,
      'Name the key that it has for you: ORGREPO_SIGNING_KEY=~/.ssh/id_ed25519. Or have a person whom it names add yours and apply it.',
    );
  const git = await org.person();
  const person =
    names !== undefined
      ? personSigning(people, names)
      : people.find(({ id, addresses, name }) =>
          as === undefined ? isListed({ addresses }, git.email) || name === idFrom(git.name) : id === as,
        );
  const by =
    person?.id ??
    names?.[0] ??
    signers.flatMap((one) => one.names).find((name) => name === git.email || name === idFrom(git.name));
  if (by === undefined || (people.length > 0 && person === undefined))
    throw new Problem(
      'org/approval',
      names === undefined
        ? `whose key ${key.named} is cannot be read off it, and git knows you as ${git.name} <${git.email}>`
        : `your key is that of ${names.join(', ')} in allowed_signers, and no person in ORG.md has that name or address`,
      names === undefined
        ? `Say who you are: --as ${people.map(({ id }) => id).join(' or --as ')}`
        : `The people are ${people.map(({ id }) => id).join(', ')}. Write one of these names before the key, and apply it.`,
    );
  if (as !== undefined && as !== by)
    throw new Problem(
      'credentials/signing',
      `your key is that of ${by}, and no key of ${as} is at hand`,
      `A decision is in the name of the key that signs it. ${as} decides on their own machine.`,
    );
  return { key, side, person, by };
}

/** Prints what is signed from the very bytes, then signs it. */
async function signWith(
  org: Org,
  call: VerbCall,
  { key, side, by }: Hand,
  { signers, rights }: Signing,
  draft: Parameters<SignsDecision>[0],
): Promise<SignedStatement> {
  const now = Math.floor(Date.now() / 1000);
  const from = Math.max(now, (await decisionsNow(org)).at); // The clock of another machine may be ahead.
  const statement: Statement = { ...draft, machine: machineOf(org), by, until: Math.ceil(from) + validSeconds };
  const text = formatStatement(statement);
  call.say(`You sign:\n${visibleLines(text).trimEnd().replace(/^/gm, '  ')}\n`);
  const signature = await signAsPerson(text, decisionNamespace, key, side);
  const signed = signerOf(signers, text, signature, decisionNamespace, from);
  if ('wrong' in signed) throw new Problem('credentials/signing', signed.wrong, 'See who may sign: allowed_signers');
  const whose = personSigning(rights.people, signed.names)?.id ?? signed.names[0];
  if (whose !== by)
    throw new Problem(
      'org/approval',
      `the key is that of ${whose}, and you are ${by} by git`,
      `Say who you are: --as ${whose}`,
    );
  return { statement, signature, fingerprint: signed.fingerprint };
}
