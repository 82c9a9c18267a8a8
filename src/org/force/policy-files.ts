import { entryAt, isTree, readTree, treeMode } from '../../git/objects/tree.ts';
import type { Org } from '../../records/org.ts';
import { decodeText } from '../../text/decode.ts';
import { showPath } from '../../text/paths.ts';
import { Problem, problemAt } from '../../text/problem.ts';

/** The policies of an org as they are committed. */
interface PolicyFiles {
  /** The id of the tree that `policies/` is. */
  readonly tree: string;
  /** By their paths: `policies/payments.cedar`. Policies, and what Rego takes for data. */
  readonly files: ReadonlyMap<string, string>;
}

export const policiesDir = 'policies';

/** The policies in the trunk's tree; undefined where there are none, and nothing is to be asked. */
export async function readPolicyFiles(org: Org, trunkTree: string): Promise<PolicyFiles | undefined> {
  const entry = await entryAt(org.repo, trunkTree, policiesDir);
  if (entry === undefined) return undefined;
  if (!isTree(entry)) throw unfit('it is not a directory', '');
  return policyFilesAt(org, entry.oid, (bytes, file) => decodeText(bytes, file, 'org/policy'));
}

const mostBytes = 1024 * 1024;
const policy = /\.(cedar|rego)$/;
/** What people put beside policies, and nobody takes for one. */
const beside = /^(\..*|.*\.(md|txt|json)|LICENSE)$/;

/** The same by the id of the directory's tree. */
async function policyFilesAt(
  org: Org,
  tree: string,
  decode: (bytes: Buffer, file: string) => string,
): Promise<PolicyFiles | undefined> {
  const files = new Map<string, string>();
  for (const [name, { mode, oid }] of await readTree(org.repo, tree)) {
    if (mode === treeMode) throw unfit('it is a directory, and policies stand in policies/ itself', name);
    if (!policy.test(name) && !beside.test(name))
      throw unfit('it is neither .cedar nor .rego, so nobody would obey it', name);
    if (!policy.test(name) && !name.endsWith('.json')) continue;
    if (!mode.startsWith('100')) throw unfit('it is not a regular file', name);
    if (!/^[\w.-]+$/.test(name)) throw unfit('its name has more in it than letters, digits, . _ and -', name);
    const { bytes = 0 } = (await org.repo.reader.describe(oid)) ?? {};
    if (bytes > mostBytes) throw unfit(`it has ${bytes} bytes, expected at most ${mostBytes}`, name);
    const blob = await org.repo.reader.read(oid);
    if (blob?.type !== 'blob') throw missing(oid);
    const file = `${policiesDir}/${name}`;
    files.set(file, decode(blob.content, file));
  }
  return [...files.keys()].some((name) => policy.test(name)) ? { tree, files } : undefined;
}

/** The policies that an earlier decision was made by, in whatever encoding: they are decided by again as they were then. */
export async function policyFilesOf(org: Org, tree: string): Promise<PolicyFiles> {
  const found = await org.repo.reader.describe(tree);
  const files = found?.type === 'tree' ? await policyFilesAt(org, tree, (bytes) => bytes.toString('utf8')) : undefined;
  if (files === undefined) throw missing(tree);
  return files;
}

const missing = (id: string): Problem =>
  new Problem(
    'integrity/history',
    `the policies ${id} are missing from the repository`,
    'Get them from another clone: git fetch origin "refs/orgrepo/*:refs/orgrepo/*". What is damaged: git fsck',
  );

function unfit(what: string, name: string): Problem {
  const file = name === '' ? policiesDir : `${policiesDir}/${showPath(name)}`;
  const hint = 'Policies are files such as policies/payments.cedar. Rename it or move it elsewhere, and commit.';
  return problemAt('org/policy', { file, line: 1, column: 1 }, what, hint);
}
