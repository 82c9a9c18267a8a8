import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Audit, auditOrg } from '../../src/audit/audit.ts';
import { openOrg } from '../../src/records/org.ts';
import { isProblem } from '../../src/text/problem.ts';
import { anOrg } from './builders.ts';
import type { TestOrg } from './org.ts';
import { drawFrom, git, kindsOfTampering } from './tamper.ts';
import { tamperingWithBooks } from './tamper-books.ts';

/** A small org that has run, as its nights left it, packed by a gc, and both: what people would verify. */
export interface Ground {
  /** The `.git` of each form. */
  readonly forms: readonly string[];
  remove(): void;
}

export async function makeGround(): Promise<Ground> {
  const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-tampering-'));
  const org = anOrg({ brief: { juniors: '2', slots: '2' } });
  const keep = (name: string): string => {
    const copy = path.join(dir, name);
    cpSync(path.join(org.dir, '.git'), copy, { recursive: true, preserveTimestamps: true });
    return copy;
  };
  const run = async (...args: string[]): Promise<void> => {
    const ran = await org.orgrepo(...args);
    if (ran.code !== 0) throw new Error(`orgrepo ${args.join(' ')} ended with ${ran.code}: ${ran.stderr}`);
  };
  await run('run', '--json', '--max', '14');
  await run('submit', 'an idea of a person');
  await run('run', '--json', '--max', '4', '--seed', '2');
  const loose = keep('loose');
  const packed = keep('packed');
  git(packed, ['gc', '--quiet', '--prune=now']);
  org.git('gc', '--quiet', '--prune=now');
  await run('run', '--json', '--max', '5', '--seed', '3');
  const both = keep('both');
  org.remove();
  return { forms: [loose, packed, both], remove: () => rmSync(dir, { recursive: true, force: true }) };
}

/** An org whose junior is a model, played from a script: with a book of spending and traces. */
export function aPaidOrg(): TestOrg {
  const conversation = (from: number, to: number): unknown => ({
    turns: [
      { calls: [{ tool: 'edit', input: { path: 'sandbox/numbers.txt', old: `first ${from}`, new: `first ${to}` } }] },
      { calls: [{ tool: 'finish', input: { title: `first ${to}` } }] },
    ],
  });
  const conversations = [9, 8, 7, 6, 5].map((from) => conversation(from, from - 1));
  return anOrg({
    brief: { agent: '', junior: '{ model: scripted:models/junior.json }', chief: '{ agent: search }', juniors: '1' },
    files: { 'models/junior.json': JSON.stringify({ conversations }) },
  });
}

/** What outsiders tampered with, each on a copy that has forgotten where its refs were: what verify says, by name. */
export async function tamperWithBooks(org: TestOrg): Promise<ReadonlyMap<string, readonly string[]>> {
  const said = new Map<string, readonly string[]>();
  for (const [name, change] of Object.entries<(gitDir: string) => void>({ nothing: () => {}, ...tamperingWithBooks })) {
    const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-tampered-'));
    const gitDir = path.join(dir, '.git');
    cpSync(path.join(org.dir, '.git'), gitDir, { recursive: true });
    rmSync(path.join(gitDir, 'orgrepo/left'), { force: true });
    change(gitDir);
    const audit = await verifyCopy(dir);
    said.set(name, typeof audit === 'string' ? [audit] : audit.findings.map(({ what }) => what));
    rmSync(dir, { recursive: true, force: true });
  }
  return said;
}

/** What verify says of a repository that has just a `.git`. */
export async function verifyCopy(dir: string): Promise<Audit | string> {
  try {
    const org = await openOrg(dir);
    try {
      return (await auditOrg(org)) ?? 'nothing ever ran';
    } finally {
      await org.repo.close();
    }
  } catch (error) {
    if (isProblem(error) && error.code.startsWith('integrity/')) return error.message;
    throw error;
  }
}

export interface Round {
  readonly seed: number;
  readonly kind: string;
  readonly what: string;
  readonly found: boolean;
  readonly said: string;
}

/** One tampering on a fresh copy; draws again where the one that was drawn changes nothing that anybody could read. */
export async function tamperOnce(ground: Ground, seed: number): Promise<Round> {
  const draw = drawFrom(seed);
  const names = Object.keys(kindsOfTampering);
  for (;;) {
    const kind = names[draw(names.length)] ?? '';
    const from = ground.forms[draw(ground.forms.length)] ?? '';
    const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-tampered-'));
    try {
      const gitDir = path.join(dir, '.git');
      mkdirSync(gitDir);
      cpSync(from, gitDir, { recursive: true });
      const what = kindsOfTampering[kind]?.({ gitDir, form: from, draw });
      if (what === undefined) continue;
      const audit = await verifyCopy(dir);
      const findings = typeof audit === 'string' ? [{ what: audit }] : audit.findings;
      const said = findings[0]?.what ?? 'everything holds';
      return { seed, kind, what: `${path.basename(from)}: ${what}`, found: findings.length > 0, said };
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  }
}
