import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import path from 'node:path';
import { orElse } from '../text/problem.ts';
import type { Repo } from './repo.ts';
import { tryGit } from './run-git.ts';
import { benchesDir } from './worktree.ts';

export type TamperCheck = ReturnType<typeof openTamperCheck>;

/**
 * What in a repository can make git run a program, or look elsewhere: asked again, it tells what is not as it was. Orgrepo's own calls of git obey none of it (`git/run-git.ts`); the next command of a person in there would. What people
 * change in their own terminal all the time, names and remotes and branches, is not watched.
 */
export function openTamperCheck(repo: Pick<Repo, 'root' | 'gitDir' | 'objectsDir'>) {
  const before = look(repo);
  return {
    /** Empty as long as nothing has changed; else `core.hooksPath in .git/config`, `.git/hooks/pre-commit`. */
    changes: async (): Promise<readonly string[]> => {
      const now = look(repo);
      const places = [...new Set([...before.keys(), ...now.keys()])].filter(
        (place) => before.get(place) !== now.get(place),
      );
      const changes = places.map(async (place) => {
        // Pointers that are not as we make them: one that we mended is not a change.
        if (place.startsWith(pointers)) return now.has(place) ? [shown(place)] : [];
        if (!isConfig(place)) return [shown(place)];
        const [was, is] = await Promise.all([settingsIn(repo, before.get(place)), settingsIn(repo, now.get(place))]);
        const keys = [...new Set([...was.keys(), ...is.keys()])].filter((key) => was.get(key) !== is.get(key));
        return keys.map((key) => `${key} in ${shown(place)}`);
      });
      return (await Promise.all(changes)).flat();
    },
  };
}

const pointers = 'pointers of ';
const shown = (place: string): string => `.git/${place.replace(pointers, '')}`;
const isConfig = (place: string): boolean => /(^|\/)config(\.worktree)?$/.test(place);

/** Config by its text, everything else by its content or where it leads; what is not there is left out. */
function look({ root, gitDir, objectsDir }: Pick<Repo, 'root' | 'gitDir' | 'objectsDir'>): ReadonlyMap<string, string> {
  const benches = namesIn(path.join(gitDir, 'worktrees')).filter((name) => name.startsWith('orgrepo-'));
  const hooks = namesIn(path.join(gitDir, 'hooks')).filter((name) => !name.endsWith('.sample'));
  const found: (readonly [string, string | undefined])[] = [
    ...['config', 'config.worktree', ...benches.map((name) => `worktrees/${name}/config.worktree`)].map(
      (name) => [name, contentOf(path.join(gitDir, name))] as const,
    ),
    ...['info/attributes', 'info/grafts', ...hooks.map((name) => `hooks/${name}`)].map(
      (name) => [name, printOf(path.join(gitDir, name))] as const,
    ),
    ['hooks', orElse(() => readlinkSync(path.join(gitDir, 'hooks')), undefined)], // A directory, as it should be, does not count.
    ['objects/info/alternates', printOf(path.join(objectsDir, 'info/alternates'))],
    ...benches.map((name) => [`${pointers}worktrees/${name}`, strangeIn(root, gitDir, name)] as const),
  ];
  return new Map(found.filter((one): one is readonly [string, string] => one[1] !== undefined));
}

/** What git's notes on one of our benches say of where it is and what it belongs to, unless they say what we wrote. */
function strangeIn(root: string, gitDir: string, name: string): string | undefined {
  const dir = path.join(gitDir, 'worktrees', name);
  const bench = path.join(root, benchesDir, name.replace(/^orgrepo-/, ''), '.git');
  const said = ['gitdir', 'commondir'].map((file) => contentOf(path.join(dir, file)));
  // One that is being made or removed has none: it leads nowhere. Some are written as paths from where they stand.
  const leadsTo = (text: string): string => path.resolve(dir, Buffer.from(text, 'latin1').toString('utf8').trimEnd());
  const isOurs = [bench, gitDir].every((place, index) => {
    const text = said[index];
    return text === undefined || leadsTo(text) === place;
  });
  return isOurs ? undefined : said.join('');
}

/** Through a link too, where git would follow it; a pipe is never waited for. */
const contentOf = (file: string): string | undefined =>
  orElse(() => (statSync(file).isFile() ? readFileSync(file, 'latin1') : 'no file'), undefined);

function printOf(file: string): string | undefined {
  const content = contentOf(file);
  if (content === undefined) return undefined;
  const isStarted = ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o111) !== 0;
  return `${isStarted} ${createHash('sha256').update(content, 'latin1').digest('hex')}`;
}

const namesIn = (dir: string): readonly string[] => orElse(() => readdirSync(dir).sort(), []);

/** The settings that can run a program or lead git elsewhere. */
const watched =
  /^(core\.(hookspath|fsmonitor|sshcommand|worktree|attributesfile|askpass|editor|pager|gitproxy|alternaterefscommand)|include(if)?\..*|filter\..*|diff\.external|diff\..*\.(textconv|command)|merge\..*\.driver|alias\..*|url\..*|credential\..*|gpg\..*|hook\..*|sequence\.editor|uploadpack\.packobjectshook|pager\..*)$/;

/** Read by git itself, from its input: nothing of it is in force meanwhile. */
async function settingsIn(repo: Pick<Repo, 'gitDir'>, text: string | undefined): Promise<ReadonlyMap<string, string>> {
  if (text === undefined) return new Map();
  const input = Buffer.from(text, 'latin1');
  const ran = await tryGit(repo, ['config', '--file', '-', '--no-includes', '-z', '--list'], { input });
  if (ran.code !== 0) return new Map([['what cannot be read', text]]);
  const settings = new Map<string, string>();
  for (const line of ran.stdout.text.split('\0')) {
    const [key = '', ...value] = line.split('\n');
    if (watched.test(key)) settings.set(key, `${settings.get(key) ?? ''}\0${value.join('\n')}`);
  }
  return settings;
}
