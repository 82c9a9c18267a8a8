import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { sealLine } from '../../src/records/entry.ts';
import { anOrg } from './builders.ts';
import { forget, writeCommit } from './forge.ts';
import { runNight, trailers } from './night.ts';
import { briefText, type TestOrg } from './org.ts';
import { type KeyPair, makeKeyPair } from './ssh.ts';

export const policies = `permit (principal, action, resource);
@id("board-first") @message("critical work is for the board to begin") @approval("board")
forbid (principal, action == Action::"claim", resource) when { resource.risk == "critical" };
`;
export const critical = (title: string): string =>
  `---\ntitle: ${title}\nby: people\nrisk: critical\n---\nAny number.\n`;
export const chart = `# Org

## Structure

### Ada (Human Principal)
- **Approves:** board

### Bob (Human Principal)
- **Approves:** hiring
`;
export const queue = 'refs/heads/orgrepo/queue';

export interface Signed {
  readonly org: TestOrg;
  readonly ada: KeyPair;
  readonly bob: KeyPair;
  /** Whose key is at hand. */
  readonly as: (key: KeyPair | undefined) => void;
}

/** An org in which Ada and Bob sign, and claims wait for the board: two, and those of more specs. */
export async function signedOrg(juniors = 1, specs: Readonly<Record<string, string>> = {}): Promise<Signed> {
  const org = anOrg({
    files: {
      ...specs,
      'program.md': briefText({ chief: '{ agent: human }', juniors: `${juniors}` }),
      'specs/0001-first.md': critical('bring the numbers to 3'),
      'specs/0002-second.md': critical('bring the numbers to 2'),
      'policies/a.cedar': policies,
      'ORG.md': chart,
    },
  });
  const git = path.join(org.dir, '.git');
  const [ada, bob] = [makeKeyPair(git, 'ed25519'), makeKeyPair(git, 'ed25519')];
  org.write('allowed_signers', `ada ${ada.line}\nbob namespaces="orgrepo-approval@1" ${bob.line}\n`);
  org.commit('Ada and Bob sign');
  await runNight(org, '--max', '1');
  const as = (key: KeyPair | undefined): void => {
    if (key === undefined) org.git('config', '--unset', 'user.signingkey');
    else org.git('config', 'user.signingkey', key.file);
  };
  return { org, ada, bob, as };
}

/** Remembers all refs. What is called puts them back, as if nothing had been done since. */
export function remember(org: TestOrg): () => void {
  const refs = (format: string): string[] =>
    org.git('for-each-ref', `--format=${format}`, 'refs/heads/orgrepo', 'refs/orgrepo').split('\n').filter(Boolean);
  const before = refs('update %(refname) %(objectname)');
  const seen = path.join(org.dir, '.git/orgrepo/seen');
  const known = existsSync(seen) ? readFileSync(seen, 'utf8') : undefined;
  return () => {
    const steps = [...refs('delete %(refname)'), ...before];
    gitWith(org, `${steps.filter((one) => !isMoved(one, before)).join('\n')}\n`, 'update-ref', '--stdin');
    forget(org);
    if (known === undefined) rmSync(seen, { force: true });
    else writeFileSync(seen, known);
  };
}

/** One call of git may move a ref once: what is put back need not be deleted before. */
const isMoved = (step: string, before: readonly string[]): boolean =>
  step.startsWith('delete ') && before.some((one) => one.startsWith(`update ${step.slice('delete '.length)} `));

function gitWith({ dir }: TestOrg, input: string, ...args: string[]): string {
  const env = { ...process.env, GIT_INDEX_FILE: path.join(dir, '.git/forged-index') };
  return execFileSync('git', args, { cwd: dir, env, input, encoding: 'utf8' });
}

/**
 * A commit on the queue like this one, sealed and counted, as somebody writes it who knows the form. Its tree is that of the queue
 * with these files.
 */
export function append(
  org: TestOrg,
  like: string,
  edit: (message: string) => string,
  files: Readonly<Record<string, string>> = {},
): string {
  const tip = tipOf(org);
  const ledger = trailers(org, 'Ledger', '-1', tip)[0] ?? '';
  const counted = ledger.replace(/acts=(\d+)/, (_, n: string) => `acts=${Number(n) + 1}`);
  const message = edit(org.git('log', '-1', '--format=%B', like).replace(/Org-Seal: .*\n/, ''));
  const written = message.trimEnd().replace(/Org-Ledger: .*/, `Org-Ledger: ${counted}`);
  return commitOn(org, queue, { tip, tree: treeWith(org, tip, files), message: written });
}

/** The tree of a commit with these files in it. */
export function treeWith(org: TestOrg, commit: string, files: Readonly<Record<string, string>>): string {
  if (Object.keys(files).length === 0) return org.git('rev-parse', `${commit}^{tree}`).trim();
  const blobs = Object.entries(files).map(([file, text]) => {
    const id = gitWith(org, text, 'hash-object', '-w', '--stdin').trim();
    return `100644 ${id}\t${file}\n`;
  });
  gitWith(org, '', 'read-tree', commit);
  gitWith(org, blobs.join(''), 'update-index', '--index-info');
  return gitWith(org, '', 'write-tree').trim();
}

/** A commit by hand on a ref, with a seal, so many seconds from now. */
export function commitOn(
  org: TestOrg,
  ref: string,
  { tip, tree, message }: { readonly tip: string; readonly tree: string; readonly message: string },
  later = 0,
): string {
  const person = `Test Person <person@example.invalid> ${Math.floor(Date.now() / 1000) + later} +0000`;
  const content = `tree ${tree}\nparent ${tip}\nauthor ${person}\ncommitter ${person}\n\n${message}\n`;
  const id = writeCommit(org, content + sealLine(Buffer.from(content)));
  org.git('update-ref', ref, id);
  forget(org);
  return id;
}

export const events = (org: TestOrg): string[] =>
  trailers(org, 'Event', 'orgrepo/queue', '--not', 'main').filter((one) =>
    ['endorse', 'ask', 'approve', 'deny', 'use', 'freeze', 'thaw'].includes(one),
  );
export const tipOf = (org: TestOrg): string => org.git('rev-parse', queue).trim();

/** A text signed by ssh-keygen alone, as somebody signs it who has a key and no orgrepo. */
export const signWith = (key: KeyPair, text: string, namespace = 'orgrepo-approval@1'): string =>
  execFileSync('ssh-keygen', ['-Y', 'sign', '-q', '-n', namespace, '-f', key.file], {
    ...{ input: text, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] },
  });

/** Sets variables until the test ends. */
export function setEnv(t: TestContext, variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) {
    const before = process.env[name];
    process.env[name] = value;
    t.after(() => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
  }
}
