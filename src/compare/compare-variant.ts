import { existsSync } from 'node:fs';
import path from 'node:path';
import { entryAt } from '../git/objects/tree.ts';
import { git, tryGit } from '../git/run-git.ts';
import { nearestPath } from '../preflight/checks/check-commands.ts';
import { readRegularBytes } from '../process/untrusted-files.ts';
import { readEntry } from '../records/entry.ts';
import { type Org, trunkTip } from '../records/org.ts';
import { contentOf } from '../score/arena/zone-files.ts';
import { decodeText } from '../text/decode.ts';
import { nearestName, Problem } from '../text/problem.ts';

/** What a person wants compared: a file that says how the org works, in place of the trunk's; or a whole commit. */
export type Variant =
  | { readonly kind: 'brief' | 'org' | 'yaml'; readonly typed: string; readonly text: string }
  | { readonly kind: 'commit'; readonly typed: string; readonly commit: string };

/** `program.md`, `program.md@HEAD~1`, `ORG-v2.md`, `org.yaml@v1`; or a commit or branch: `HEAD~3`. */
export async function findVariant(org: Org, dir: string, typed: string): Promise<Variant> {
  const { file, revision } = splitTyped(typed);
  if (file === undefined) return { kind: 'commit', typed, commit: await commitOf(org, typed, typed) };
  const kind = kindOf(file);
  if (revision === undefined) return { kind, typed, text: await textHere(org, dir, file) };
  const commit = await commitOf(org, revision, typed);
  return { kind, typed, text: await textThen(org, dir, file, commit) };
}

/** A file has a name that briefs and orgs have; everything else is for git to know. */
function splitTyped(typed: string): { readonly file?: string; readonly revision?: string } {
  const match = /^(.+?\.(?:md|yaml|yml))(?:@(.+))?$/is.exec(typed);
  const [, file, revision] = match ?? [];
  return { ...(file === undefined ? {} : { file }), ...(revision === undefined ? {} : { revision }) };
}

/** orgrepo.md is a brief, ORG.md and ORG-v2.md are orgs. */
function kindOf(file: string): 'brief' | 'org' | 'yaml' {
  if (!file.toLowerCase().endsWith('.md')) return 'yaml';
  return /^org(?!repo)/i.test(path.basename(file)) ? 'org' : 'brief';
}

const codeOf = (file: string) => (kindOf(file) === 'brief' ? 'brief/syntax' : 'org/syntax');

/** More than anybody has written by hand. */
const mostBytes = 8 * 1024 * 1024;

async function textHere(org: Org, dir: string, file: string): Promise<string> {
  const place = path.resolve(dir, file);
  const bytes = readRegularBytes(place, mostBytes);
  if (bytes !== undefined) return decodeText(bytes, file, codeOf(file));
  if (existsSync(place)) throw new Problem('file/missing', `${file} is no file that can be read`, example, { file });
  throw await missing(org, await trunkTip(org), dir, file, `there is no file ${file}`);
}

async function textThen(org: Org, dir: string, file: string, commit: string): Promise<string> {
  const tree = (await readEntry(org, commit))?.commit.tree ?? '';
  const entry = await entryAt(org.repo, tree, insideOf(org, dir, file));
  if (entry?.mode.startsWith('100')) return decodeText(await contentOf(org.repo, entry.oid), file, codeOf(file));
  throw await missing(org, commit, dir, file, `there is no file ${file} in ${commit.slice(0, 7)}`);
}

async function missing(org: Org, commit: string, dir: string, file: string, what: string): Promise<Problem> {
  const tree = (await readEntry(org, commit))?.commit.tree ?? '';
  const near = await nearestPath(org, tree, insideOf(org, dir, file));
  return new Problem('file/missing', what, near === undefined ? example : `Did you mean ${near}?`, { file });
}

/** A file's path as trees spell it. */
const insideOf = ({ repo }: Org, dir: string, file: string): string =>
  path.relative(repo.root, path.resolve(dir, file)).split(path.sep).join('/');

async function commitOf(org: Org, revision: string, typed: string): Promise<string> {
  // In a linked work tree the common directory's HEAD is somebody else's.
  const tip = /^(HEAD|@)(?=$|[~^])/.test(revision) ? await trunkTip(org) : undefined;
  const meant = tip === undefined ? revision : revision.replace(/^(HEAD|@)/, tip);
  const asked = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${meant}^{commit}`];
  const found = meant.includes('\0') ? undefined : await tryGit(org.repo, asked);
  if (found?.code === 0) return found.stdout.text.trim();
  const refs = await git(org.repo, ['for-each-ref', '--format=%(refname:short)', 'refs/heads', 'refs/tags']);
  const names = refs.split('\n').filter((name) => name !== '');
  const near = nearestName(revision, ['HEAD', ...names, ...(typed === revision ? ['program.md', 'ORG.md'] : [])]);
  throw new Problem(
    'usage/argument',
    `git knows no commit ${JSON.stringify(revision)}${typed === revision ? '' : `, of ${JSON.stringify(typed)}`}`,
    near === undefined ? example : `Did you mean ${near}?`,
  );
}

const example = 'For example: orgrepo compare program.md@HEAD~1 program.md, or: orgrepo compare HEAD~3 HEAD';
