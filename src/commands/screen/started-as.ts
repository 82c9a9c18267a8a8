import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { orElse } from '../../text/problem.ts';

/** What a process knows of how it was started. */
interface Start {
  /** The script that node runs, by the name it was found under: `/usr/local/bin/orgrepo`, `/home/ada/orgrepo/dist/orgrepo.js`. */
  readonly script: string;
  /** The directory in which orgrepo was typed. */
  readonly dir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * What a person types to start orgrepo the way they started it now: `orgrepo`, `npx orgrepo`, `npx ./orgrepo-0.1.0.tgz` or
 * `node dist/orgrepo.js`. `where` is the directory in which they will type it; undefined where that is not known.
 */
export function startedAs({ script, dir, env }: Start, where: string | undefined): string {
  const fetched = packageFetched(script);
  if (fetched !== undefined) {
    const project = env.npm_config_local_prefix;
    if (fetched === project && `${where}/`.startsWith(`${project}/`)) return 'npx orgrepo'; // A clone finds itself.
    // npx would run the file of an absolute path instead of reading it, unless `file:` stands before it.
    const isFar = fetched.endsWith('.tgz') && (path.isAbsolute(fetched) || (fetched.startsWith('.') && where !== dir));
    return `npx ${asWord(isFar ? `file:${path.resolve(project ?? dir, fetched)}` : fetched)}`;
  }
  const bin = path.dirname(script);
  const isPackage = script.split(path.sep).includes('node_modules');
  if (path.basename(script) !== 'orgrepo' && !isPackage)
    return `node ${asWord(where === dir && script.startsWith(`${dir}/`) ? path.relative(dir, script) : script)}`;
  if (env.npm_lifecycle_event === 'npx') return 'npx orgrepo';
  const places = (env.PATH ?? '').split(path.delimiter);
  if (!isPackage) return places.includes(bin) ? 'orgrepo' : asWord(script);
  // npm puts the programs of a project on the PATH of its scripts, where the person's own shell has them not.
  const isScript = env.npm_lifecycle_event !== undefined;
  return !isScript && places.some((place) => existsSync(path.join(place, 'orgrepo'))) ? 'orgrepo' : 'npx orgrepo';
}

/** The package that npx was given. It keeps what it fetches in a directory of its own, with a package.json that names it. */
function packageFetched(script: string): string | undefined {
  const [, home] = /^(.*\/_npx\/[^/]+)\/node_modules\//.exec(script) ?? [];
  if (home === undefined) return undefined;
  const named = orElse(() => JSON.parse(readFileSync(path.join(home, 'package.json'), 'utf8')), undefined);
  const first: unknown = named?._npx?.packages?.[0];
  return typeof first === 'string' ? first : 'orgrepo';
}

const asWord = (word: string): string => (/^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
