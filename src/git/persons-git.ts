import { hostname } from 'node:os';
import { type SimpleGit, simpleGit } from 'simple-git';
import { runInForeground } from '../process/foreground.ts';
import { runCommand } from '../process/run-process.ts';
import { Problem } from '../text/problem.ts';
import type { Commit, Identity } from './objects/commit.ts';
import { gitProblem, personalEnvironment, personalVariables } from './run-git.ts';

/** Ordinary git in a person's own work tree and in their name: the one place for porcelain. Never used on a bench. */
function personalGit(dir: string): SimpleGit {
  return simpleGit({ baseDir: dir }).env(personalVariables());
}

/** Asks git a question in a person's name. simple-git waits 50 ms whenever git prints nothing, and most answers here are empty. */
async function ask(dir: string, args: readonly string[]): Promise<string> {
  const env = personalEnvironment();
  const ran = await runCommand({ file: 'git', args, cwd: dir, env, deadlineMs: 600_000, keepBytes: 1024 ** 3 });
  const isEmpty = ran.code === 1 && ran.stderr.text === '';
  if (ran.code !== 0 && !isEmpty) throw gitProblem({ gitDir: dir }, args, ran);
  return ran.stdout.text;
}

/** The person who runs orgrepo, as git knows them, else the machine. */
export async function personOf(dir: string): Promise<Identity> {
  const listed = await ask(dir, ['config', '--null', '--get-regexp', '^user\\.(name|email)$']);
  // The last one of each counts, as it does for git.
  const known = new Map(
    listed.split('\0').map((entry) => [entry.slice(0, entry.indexOf('\n')), entry.replace(/^.*\n/, '')]),
  );
  return {
    name: process.env.GIT_COMMITTER_NAME ?? known.get('user.name') ?? 'orgrepo',
    email: process.env.GIT_COMMITTER_EMAIL ?? known.get('user.email') ?? `orgrepo@${hostname()}`,
  };
}

/** The files below these paths that differ from HEAD; a run does not see those changes. */
export async function uncommitted(dir: string, paths: readonly string[]): Promise<string[]> {
  // Without optional locks: a look must never stand in the way of the person's own commit.
  const args = ['--no-optional-locks', 'status', '--porcelain', '--untracked-files=all', '-z', '--', ...paths];
  const listed = await ask(dir, args);
  return listed.split('\0').flatMap((line) => (/^[ MADRCUT?!]{2} /.test(line) ? [line.slice(3)] : []));
}

/** The files of a work tree that git knows or would add. */
export async function filesInWorkTree(dir: string): Promise<readonly string[]> {
  const listed = await ask(dir, ['ls-files', '--cached', '--others', '--exclude-standard', '-z']);
  return listed.split('\0').filter((file) => file !== '');
}

/** Where HEAD stands: its branch as a full ref, and the commit. */
export async function headOf(dir: string): Promise<{ readonly ref: string; readonly commit: string }> {
  const [ref, commit] = await Promise.all([ask(dir, ['symbolic-ref', 'HEAD']), ask(dir, ['rev-parse', 'HEAD'])]);
  return { ref: ref.trim(), commit: commit.trim() };
}

/**
 * Brings the branch that a person is on, and their files with it, forward to a commit on top of it. Git itself refuses
 * where the branch has moved or a file is edited; then nothing has changed, and what it said is given back.
 */
export async function fastForward(dir: string, commit: string): Promise<string | undefined> {
  try {
    await personalGit(dir).raw(['merge', '--ff-only', '--quiet', commit]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.trim() : String(error);
  }
}

/** Where a branch would be pushed to: the remote of this branch, else the only or the usual one; undefined without any. */
export async function remoteOf(dir: string, branch: string): Promise<string | undefined> {
  const names = (await ask(dir, ['remote'])).split('\n').filter((name) => name !== '');
  if (names.length === 0) return undefined;
  const value = (await ask(dir, ['config', '--get', `branch.${branch}.remote`])).trim();
  return names.find((name) => name === value) ?? names.find((name) => name === 'origin') ?? names[0];
}

/** Whether a plain `git fetch` of this remote brings this branch. */
export async function follows(dir: string, remote: string, branch: string): Promise<boolean> {
  const values = await ask(dir, ['config', '--null', '--get-all', `remote.${remote}.fetch`]);
  const from = values.split('\0').map((spec) => spec.replace(/^\+/, '').split(':')[0] ?? '');
  return from.some((name) => name === branch || (name.endsWith('*') && branch.startsWith(name.slice(0, -1))));
}

/**
 * Fetches from a person's remote, as they would and with whatever lets them in, into the refs that are named and no
 * others: no tags, no FETCH_HEAD, nothing pruned, no hook run, and no object taken that git's own check refuses.
 * Undefined when it is done, else what git said.
 */
export async function fetchInto(dir: string, remote: string, refspecs: readonly string[], mayAsk: boolean) {
  const settings = ['core.hooksPath=/dev/null', 'hook.reference-transaction.enabled=false', 'fetch.fsckObjects=true'];
  const options = ['no-tags', 'no-write-fetch-head', 'no-auto-maintenance', 'no-recurse-submodules', 'no-prune'];
  const args = [
    ...settings.flatMap((setting) => ['-c', setting]),
    ...['fetch', '--progress', '--refmap=', ...options.map((option) => `--${option}`), '--', remote, ...refspecs],
  ];
  const env = { ...travelling(), ...(mayAsk ? {} : { GIT_TERMINAL_PROMPT: '0' }) };
  const git = simpleGit({
    ...{ baseDir: dir, timeout: { block: mayAsk ? 300_000 : 30_000 } },
    ...{ unsafe: asTheyAre, allowEnvironment: Object.keys(env) },
  });
  try {
    await git.env(env).raw(args);
    return undefined;
  } catch (error) {
    return worstLine(error instanceof Error ? error.message : String(error));
  }
}

/** What a person's own `git fetch` would obey: simple-git guards those who pass on what strangers wrote. */
const asTheyAre = {
  allowUnsafeAskPass: true,
  allowUnsafeConfigEnvCount: true,
  allowUnsafeConfigPaths: true,
  allowUnsafeCredentialHelper: true,
  allowUnsafeGitProxy: true,
  allowUnsafeHooksPath: true, // To no hooks.
  allowUnsafeSshCommand: true,
  allowUnsafeUrlRewrite: true,
} as const;

/** The variables by which git reaches another machine, and is let in there. Keys of models are not among them. */
function travelling(): Record<string, string> {
  const names =
    /^(SSH_(AUTH_SOCK|AGENT_PID|ASKPASS|ASKPASS_REQUIRE)|GIT_(SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|PROXY_COMMAND|SSL_\w+|HTTP_\w+|CONFIG_\w+|TERMINAL_PROMPT)|(https?|all|no)_proxy|SSL_CERT_(FILE|DIR)|CURL_CA_BUNDLE|DISPLAY|WAYLAND_DISPLAY|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR|GNUPGHOME|GPG_TTY|TERM|SSH_SK_PROVIDER|KRB5CCNAME|(GH|GITHUB|GITLAB)_TOKEN)$/i;
  const found = Object.entries(process.env).filter(([name]) => names.test(name));
  return { ...personalVariables(), ...(Object.fromEntries(found) as Record<string, string>), LC_ALL: 'C' };
}

/** Of all that git said, progress included, the line that tells what was wrong. */
function worstLine(said: string): string {
  const lines = said.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  return (lines.find((line) => /^(fatal|error|ssh):/.test(line)) ?? lines.at(-1) ?? 'git fetch failed').trim();
}

/** The key that the person's git signs with; undefined where it names none, or signs in another way than OpenSSH's. */
export async function signingKeyOf(dir: string): Promise<string | undefined> {
  const [key, format] = await Promise.all(
    ['user.signingkey', 'gpg.format'].map(async (name) => (await ask(dir, ['config', '--get', name])).trim()),
  );
  return key !== '' && (format === 'ssh' || /^(key::|ssh-|ecdsa-|sk-|[~./])/.test(key ?? '')) ? key : undefined;
}

/** Whether the person wants their commits signed. */
export const signsCommits = async (dir: string): Promise<boolean> =>
  (await ask(dir, ['config', '--type=bool', '--get', 'commit.gpgsign'])).trim() === 'true';

/** Writes the same commit with the person's own signature, by whatever their git signs with. */
export async function signCommit(dir: string, commit: Commit, isAttended: boolean): Promise<string> {
  const { tree, parents, author, committer, message } = commit;
  const env = {
    ...travelling(),
    ...{ GIT_AUTHOR_NAME: author.name, GIT_AUTHOR_EMAIL: author.email, GIT_AUTHOR_DATE: `@${author.at} +0000` },
    ...{ GIT_COMMITTER_NAME: committer.name, GIT_COMMITTER_EMAIL: committer.email },
    GIT_COMMITTER_DATE: `@${committer.at} +0000`,
  };
  const wanted = ['-c', 'i18n.commitEncoding=utf-8', 'commit-tree', '-S', tree];
  const args = ['-C', dir, ...wanted, ...parents.flatMap((parent) => ['-p', parent])];
  const ran = await runInForeground({ file: 'git', args, env, input: message, isAttended });
  if (ran.code === 0) return ran.stdout.trim();
  const said = worstLine(ran.stderr);
  throw new Problem(
    'credentials/signing',
    `your git signs commits (commit.gpgsign), and it did not sign this one: ${said}`,
    'Try it: git commit --allow-empty -S. To land without a signature: git config commit.gpgsign false',
  );
}

/** Whether git takes this for the name of a branch. */
export async function acceptsBranchName(dir: string, name: string): Promise<boolean> {
  return (await ask(dir, ['check-ref-format', '--branch', name]).catch(() => '')).trim() === name;
}

/** Whether git keeps this file already. */
export const tracksFile = async (dir: string, file: string): Promise<boolean> =>
  (await ask(dir, ['ls-files', '-z', '--', file])) !== '';

/** Whether git would pass over this file, by whatever rule of the person's. */
export const ignoresFile = async (dir: string, file: string): Promise<boolean> =>
  (await ask(dir, ['check-ignore', '--', file])) !== '';

/** Makes a directory a repository with everything in it committed. */
export async function startRepository(dir: string, message: string): Promise<void> {
  const git = personalGit(dir);
  await git.init(['--initial-branch=main']);
  const person = await personOf(dir);
  await git.addConfig('user.name', person.name);
  await git.addConfig('user.email', person.email);
  await git.add('.');
  await git.commit(message);
}

/** Makes a directory a repository and commits nothing. */
export async function initRepository(dir: string): Promise<void> {
  await personalGit(dir).init(['--initial-branch=main']);
}

export async function gitVersion(dir: string): Promise<string> {
  const { major, minor, patch } = await personalGit(dir).version();
  return `${major}.${minor}.${patch}`;
}
