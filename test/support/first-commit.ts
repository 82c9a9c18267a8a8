import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deflateSync } from 'node:zlib';

/** Files by path. */
export type Files = Readonly<Record<string, string>>;

/**
 * Makes a repository with one commit of these files, without starting git: an empty repository that git made once is copied,
 * and the objects and the index are written here. Hundreds of tests begin like this.
 */
export function writeFirstCommit(dir: string, files: Files, message: string): void {
  cpSync(emptyRepository(), dir, { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
    writeFileSync(path.join(dir, file), text);
  }
  const gitDir = path.join(dir, '.git');
  const blobs = Object.entries(files).map(([file, text]) => [file, store(gitDir, 'blob', Buffer.from(text))] as const);
  const tree = storeTree(gitDir, blobs);
  const at = Math.floor(Date.now() / 1000);
  const who = `Test Person <person@example.invalid> ${at} +0000`;
  const commit = store(gitDir, 'commit', Buffer.from(`tree ${tree}\nauthor ${who}\ncommitter ${who}\n\n${message}\n`));
  mkdirSync(path.join(gitDir, 'refs/heads'), { recursive: true });
  writeFileSync(path.join(gitDir, 'refs/heads/main'), `${commit}\n`);
  writeFileSync(path.join(gitDir, 'index'), indexOf(blobs));
}

let template: string | undefined;
/** Some tests say later that temporary files are elsewhere. */
const place = tmpdir();

/** What git makes of an empty directory, with somebody to commit; made once for each process of tests. */
export function emptyRepository(): string {
  if (template !== undefined) return template;
  const dir = mkdtempSync(path.join(place, 'orgrepo-empty-'));
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, stdio: 'ignore' });
  git('init', '--quiet', '--initial-branch=main', '--template=');
  for (const name of ['hooks', 'info']) mkdirSync(path.join(dir, '.git', name)); // As git's own template has them.
  git('config', 'user.name', 'Test Person');
  git('config', 'user.email', 'person@example.invalid');
  template = dir;
  return dir;
}

/** Writes a loose object and gives its id. */
function store(gitDir: string, kind: string, content: Buffer): string {
  const whole = Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content]);
  const id = createHash('sha1').update(whole).digest('hex');
  const dir = path.join(gitDir, 'objects', id.slice(0, 2));
  mkdirSync(dir, { recursive: true });
  writeFileSync(path.join(dir, id.slice(2)), deflateSync(whole, { level: 1 }), { mode: 0o444, flag: 'w' });
  return id;
}

type Blobs = readonly (readonly [file: string, id: string])[];

/** Trees first by name as git sorts them: a directory as if its name ended in a slash. */
function storeTree(gitDir: string, blobs: Blobs): string {
  const below = new Map<string, [string, string][]>();
  const entries: { readonly name: string; readonly mode: string; readonly id: string }[] = [];
  for (const [file, id] of blobs) {
    const slash = file.indexOf('/');
    if (slash < 0) entries.push({ name: file, mode: '100644', id });
    else below.set(file.slice(0, slash), [...(below.get(file.slice(0, slash)) ?? []), [file.slice(slash + 1), id]]);
  }
  for (const [name, inside] of below) entries.push({ name, mode: '40000', id: storeTree(gitDir, inside) });
  const key = ({ name, mode }: { name: string; mode: string }): Buffer =>
    Buffer.from(mode === '40000' ? `${name}/` : name);
  const sorted = entries.sort((one, other) => Buffer.compare(key(one), key(other)));
  const parts = sorted.map(({ name, mode, id }) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]),
  );
  return store(gitDir, 'tree', Buffer.concat(parts));
}

/** An index of version 2 that knows no times: git looks at each file itself. */
function indexOf(blobs: Blobs): Buffer {
  const sorted = [...blobs].sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  const entries = sorted.map(([file, id]) => {
    const name = Buffer.from(file);
    const entry = Buffer.alloc(Math.ceil((62 + name.length + 1) / 8) * 8);
    entry.writeUInt32BE(0o100644, 24);
    Buffer.from(id, 'hex').copy(entry, 40);
    entry.writeUInt16BE(Math.min(name.length, 0xfff), 60);
    name.copy(entry, 62);
    return entry;
  });
  const head = Buffer.alloc(12);
  head.write('DIRC');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(entries.length, 8);
  const whole = Buffer.concat([head, ...entries]);
  return Buffer.concat([whole, createHash('sha1').update(whole).digest()]);
}
