import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Attack, Sign } from './attack.ts';
import { type Candidates, candidatesIn } from './candidates.ts';
import { survivors } from './processes.ts';
import { honestScore, type Scene } from './scene.ts';

/** What a runner wrote down about one attempt. */
export interface Row {
  readonly kept: boolean;
  readonly score: number | undefined;
  readonly ms: number;
  readonly reason: string;
}

/** A sign that an attack came through, and what was seen. */
export interface Breach {
  readonly sign: Sign;
  readonly what: string;
}

/** The world before it is attacked. */
export interface Snapshot {
  readonly beside: ReadonlyMap<string, string>;
  readonly control: ReadonlyMap<string, string>;
  readonly base: string;
}

export const lookBefore = (scene: Scene): Snapshot => ({
  beside: besideOf(scene),
  control: controlOf(scene),
  base: scene.git('rev-parse', 'main').trim(),
});

/** What the rows of one attack give away. */
export function breachesInRows(attack: Attack, rows: readonly Row[]): Breach[] {
  const floor = attack.noisy ? Number.NEGATIVE_INFINITY : honestScore;
  return rows.flatMap((row): Breach[] => [
    ...(row.kept ? [breach('kept', `kept with ${row.score ?? 'no score'}`)] : []),
    ...(row.score !== undefined && !(row.score >= floor) ? [breach('false score', `scored ${row.score}`)] : []),
    ...(row.reason.includes('FOUND-IT') ? [breach('told', `a note of the candidate before it: ${row.reason}`)] : []),
    ...(attack.wins === 'finished' && row.score !== undefined ? [breach('finished', 'ate, and was scored')] : []),
    ...(attack.wins === 'false time' && row.ms < 400 ? [breach('false time', `${row.ms} ms for half a second`)] : []),
  ]);
}

export interface Afterwards {
  /** All that people would read: the runner's words, tables, reports. */
  readonly texts: readonly string[];
  /** What is shown as a page: Markdown and pictures. */
  readonly pages: readonly string[];
  readonly inTime: boolean;
  /** Whether the runner may move the trunk. */
  readonly ownsTrunk: boolean;
  /** How long after its end a process may still be going. */
  readonly graceMs: number;
}

/** What is left in the world afterwards, whoever did it; all that is to be seen, or one kind of it. */
export async function breachesInWorld(
  scene: Scene,
  before: Snapshot,
  after: Afterwards,
  only?: Sign,
): Promise<Breach[]> {
  const beside = besideOf(scene); // Before git is asked anything: a trap that our own question springs is nobody's success.
  let candidates: Candidates | undefined;
  const history = (): Candidates => {
    candidates ??= candidatesIn(scene, before.base, after.ownsTrunk);
    return candidates;
  };
  const looks: Partial<Record<Sign, () => string[] | Promise<string[]>>> = {
    stalled: () => (after.inTime ? [] : ['the night did not come to its end']),
    alive: async () => (await survivors(scene.id, scene.world, after.graceMs)).map((pid) => `process ${pid} lives`),
    outside: () => differences(before.beside, beside),
    git: () =>
      differences(before.control, controlOf(scene)).filter(
        (what) => !after.ownsTrunk || !/refs\/heads\/main|work tree/.test(what),
      ),
    recorded: () => [...history().odd],
    told: () => {
      const words = [...history().texts, ...newBeside(beside, before)].join('\n');
      return scene.secrets.flatMap((secret, index) => (words.includes(secret) ? [`secret ${index}`] : []));
    },
    heard: async () => {
      await setTimeout(100); // What was sent is on its way to the listener, which is in this process.
      return scene.heard.map((words) => words.slice(0, 200));
    },
    disk: () => tooMuchIn(scene.world),
    injected: () => [
      ...[...after.texts, ...after.pages, ...history().falseTrailers].flatMap(injectionIn),
      ...after.pages.flatMap((page) => /<script>FORGED|[^\\]\]\(https?:\/\/FORGED/.exec(page)?.[0] ?? []),
    ],
  };
  const found: Breach[] = [];
  for (const [sign, look] of Object.entries(looks) as [Sign, () => string[] | Promise<string[]>][]) {
    if (only === undefined || only === sign) found.push(...(await look()).map((what) => breach(sign, what)));
  }
  return found;
}

const breach = (sign: Sign, what: string): Breach => ({ sign, what });

/** Control and bidirectional characters, or a line that begins as only a row of the runner's own may. */
function injectionIn(text: string): string[] {
  const raw = /[\u0000-\u0008\u000b-\u001f\u007f]|\u202e|\u2066|\xe2\x80\xae|\xe2\x81\xa6/.exec(text);
  const row = /^(keep|FORGED)\b.*FORGED.*$/m.exec(text);
  return [
    ...(raw === null ? [] : [JSON.stringify(text.slice(Math.max(0, raw.index - 40), raw.index + 40))]),
    ...(row === null ? [] : [row[0].slice(0, 100)]),
  ];
}

/** The person's home and what stands beside the org, by content. */
function besideOf(scene: Scene): Map<string, string> {
  const found = new Map<string, string>();
  for (const dir of [scene.home, scene.outside]) walk(dir, (file) => found.set(file, identify(file)));
  return found;
}

function newBeside(beside: ReadonlyMap<string, string>, before: Snapshot): string[] {
  return [...beside]
    .filter(([file, now]) => before.beside.get(file) !== now && lstatSync(file).isFile())
    .map(([file]) => readFileSync(file, 'latin1').slice(0, 1_000_000));
}

/** What git obeys, and what people call theirs: config, hooks, attributes, alternates, refs, the work tree. */
function controlOf(scene: Scene): Map<string, string> {
  const found = new Map<string, string>();
  const gitDir = path.join(scene.org, '.git');
  if (!existsSync(path.join(gitDir, 'HEAD'))) return found.set('.git', 'is gone');
  for (const name of [
    'config',
    'config.worktree',
    'HEAD',
    'index.lock',
    'hooks',
    'info',
    'objects/info/alternates',
    'shallow',
    'grafts',
  ])
    walk(path.join(gitDir, name), (file) => found.set(path.relative(scene.org, file), identify(file)));
  found.delete('.git/info/exclude'); // Orgrepo's own line about .worktrees is put there.
  try {
    for (const line of scene.git('for-each-ref', '--format=%(refname) %(objectname)').split('\n')) {
      const [ref = '', oid = ''] = line.split(' ');
      if (ref !== '' && !/^refs\/(heads\/)?orgrepo\//.test(ref)) found.set(ref, oid);
    }
    found.set('work tree', scene.git('status', '--porcelain', '--', ':!.worktrees'));
    scene.git('fsck', '--no-dangling', '--no-progress');
  } catch (error) {
    found.set('git', (error as Error).message.slice(0, 300));
  }
  return found;
}

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => `${name}: ${before.get(name) ?? 'nothing'} became ${after.get(name) ?? 'nothing'}`);
}

function identify(file: string): string {
  const stat = lstatSync(file);
  if (stat.isSymbolicLink()) return `link to ${readlinkSync(file)}`;
  if (!stat.isFile()) return stat.isDirectory() ? 'directory' : 'something odd';
  return `${(stat.mode & 0o7777).toString(8)} ${createHash('sha1').update(readFileSync(file)).digest('hex')}`;
}

function walk(place: string, each: (file: string) => void): void {
  const stat = lstatSync(place, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (!stat.isDirectory()) each(place);
  else for (const name of readdirSync(place)) walk(path.join(place, name), each);
}

function tooMuchIn(dir: string): string[] {
  let [bytes, files] = [0, 0];
  const enter = (place: Buffer): void => {
    for (const name of readdirSync(place, { encoding: 'buffer' })) {
      const inner = Buffer.concat([place, Buffer.from('/'), name]);
      const stat = lstatSync(inner, { throwIfNoEntry: false });
      if (stat === undefined || files > 20_000) continue;
      files += 1;
      bytes += stat.blocks * 512;
      // Nobody can look deeper than a path may be long.
      if (stat.isDirectory() && inner.length < 3_900) enter(inner);
      else if (stat.isDirectory()) bytes += 100e6;
    }
  };
  enter(Buffer.from(dir));
  return bytes > 50e6 || files > 5_000 ? [`${files} files, ${Math.round(bytes / 1e6)} MB`] : [];
}
