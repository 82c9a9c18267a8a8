import { entryAt } from '../git/objects/tree.ts';
import { parseSigners, type Signer, signerOf, signersFile } from '../signing/allowed-signers.ts';
import { findPersonKey, type PersonSide, signAsPerson } from '../signing/person-key.ts';
import { decodeText } from '../text/decode.ts';
import { Problem, problemAt } from '../text/problem.ts';
import { treeOf } from './entry.ts';
import { type Org, trunkTip } from './org.ts';

/** The people who may sign, by `allowed_signers` of the trunk; undefined where there is no such file. */
export const readSigners = async (org: Org): Promise<readonly Signer[] | undefined> =>
  readSignersAt(org, await treeOf(org, await trunkTip(org)));

/** The same, by that file of a tree. */
export async function readSignersAt(org: Org, tree: string): Promise<readonly Signer[] | undefined> {
  const entry = await entryAt(org.repo, tree, signersFile);
  if (entry !== undefined && !entry.mode.startsWith('100'))
    throw problemAt(
      'signers/syntax',
      { file: signersFile },
      'it is not a regular file',
      'Make it one: a line for each key, ada ssh-ed25519 AAAA…',
    );
  const found = entry && (await org.repo.reader.read(entry.oid));
  return found?.type === 'blob' ? parseSigners(decodeText(found.content, signersFile, 'signers/syntax')) : undefined;
}

/** Signs a text as the person at the keyboard, and gives the name that these signers have for their key. */
export async function signInName(
  signers: readonly Signer[] | undefined,
  text: string,
  namespace: string,
  side: PersonSide,
): Promise<{ readonly by: string; readonly signature: string }> {
  if (signers === undefined)
    throw new Problem(
      'credentials/signing',
      `your branch has no ${signersFile}, so nobody can tell whose a signature is`,
      `Write a line with a name and a public key, and commit it: echo "ada $(cat ~/.ssh/id_ed25519.pub)" > ${signersFile}`,
    );
  const signature = await signAsPerson(text, namespace, await findPersonKey(side, signers), side);
  const by = signerOf(signers, text, signature, namespace, Date.now() / 1000);
  if ('names' in by) return { by: by.names[0] ?? '', signature };
  throw new Problem('credentials/signing', by.wrong, `See who may sign: ${signersFile}`);
}
