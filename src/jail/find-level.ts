import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runCommand } from '../process/run-process.ts';
import { orElse } from '../text/otherwise.ts';
import type { Cell } from './cell.ts';
import { whyNoKeeper } from './cell-keeper.ts';
import { inCell, type Walls } from './housing.ts';

const tried = new Map<Walls, Promise<string | undefined>>();

/** The best level that a person's wish allows and this machine has; undefined when it has none of them. */
export async function findLevel(wish: JailWish): Promise<JailLevel | undefined> {
  for (const level of levelsFor(wish)) if (level === 'none' || (await whyNot(level)) === undefined) return level;
  return undefined;
}

/** Why a kind of walls is not to be had here; undefined when it is. Asked of the machine once. */
export function whyNot(walls: Walls): Promise<string | undefined> {
  let answer = tried.get(walls);
  if (answer === undefined) {
    answer = tryOut(walls);
    tried.set(walls, answer);
  }
  return answer;
}

/** A cell like those that candidates get. */
async function tryOut(walls: Walls): Promise<string | undefined> {
  if (process.platform !== 'linux') return `there are no namespaces on ${process.platform}`;
  const missing = whyNoKeeper();
  if (missing !== undefined) return missing;
  return whyNoCell(walls, { shown: [], hidden: [], open: [], held: [], scratchBytes: 1_000_000, network: false });
}

/** Why this very cell cannot be made; undefined when it can. A shell in it must find itself alone. */
export async function whyNoCell(walls: Walls, cell: Cell): Promise<string | undefined> {
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
  const [file = '', ...args] = inCell(walls, cell, ['/bin/bash', '-c', 'test $$ = 1']);
  const ran = await runCommand({ file, args, cwd: '/', env, deadlineMs: 5_000 });
  if (ran.code === 0) return undefined;
  return ran.notStarted ?? (ran.stderr.text.trim().split('\n').at(-1) || `it ended with ${ran.code ?? ran.signal}`);
}

/** How well candidates are held: by bubblewrap, by namespaces made by hand, or not at all. */
export type JailLevel = 'bubblewrap' | 'namespaces' | 'none';

/** What a person asks for: the best there is (auto), that or nothing (require), or a level by name. */
export type JailWish = 'auto' | 'require' | JailLevel;

export const jailWishes: readonly JailWish[] = ['auto', 'require', 'bubblewrap', 'namespaces', 'none'];

/** The levels that would do, best first. */
export function levelsFor(wish: JailWish): readonly JailLevel[] {
  if (wish === 'auto') return ['bubblewrap', 'namespaces', 'none'];
  return wish === 'require' ? ['bubblewrap', 'namespaces'] : [wish];
}

/** What a jail needs, by the program that shows it is there: the first of each is what a person would install. */
const needed: readonly { readonly programs: readonly string[]; readonly install: string }[] = [
  { programs: ['bwrap'], install: 'bubblewrap' },
  { programs: ['bash'], install: 'bash' },
  { programs: ['unshare', 'setpriv', 'prlimit', 'mount'], install: 'util-linux' },
];

const filters = ['perl', 'python3'];

const usual = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

const isHere = (program: string): boolean =>
  `${process.env.PATH ?? ''}${delimiter}${usual}`.split(delimiter).some((dir) => existsSync(join(dir, program)));

/** What the kernel is set to, and what a person types where that keeps everybody from walls. */
const settings: readonly { readonly file: string; readonly closed: string; readonly open: string }[] = [
  { file: 'user/max_user_namespaces', closed: '0', open: 'user.max_user_namespaces=10000' },
  { file: 'kernel/unprivileged_userns_clone', closed: '0', open: 'kernel.unprivileged_userns_clone=1' },
  {
    file: 'kernel/apparmor_restrict_unprivileged_userns',
    closed: '1',
    open: 'kernel.apparmor_restrict_unprivileged_userns=0',
  },
];

/** What would give this machine a jail: never what it has already. */
export function howToJail(): string {
  if (process.platform !== 'linux') return 'Run on Linux, in a virtual machine for one.';
  const missing = needed.filter(({ programs }) => !programs.every(isHere)).map(({ install }) => install);
  if (!filters.some(isHere)) missing.push('perl');
  if (missing.length > 0) return `Install a jail: apt install ${missing.join(' ')}.`;
  const closed = settings.find(({ file, closed: value }) => settingOf(file) === value);
  if (closed !== undefined) return `Let the kernel give a jail: sysctl -w ${closed.open}.`;
  return 'Let the kernel give a jail: in a container, start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined.';
}

const settingOf = (file: string): string => orElse(() => readFileSync(`/proc/sys/${file}`, 'utf8').trim(), '');
