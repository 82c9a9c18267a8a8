import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { Readable } from 'node:stream';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { commandNames, invoke } from '../../src/commands/invoke.ts';
import { openTerminal, type Streams } from '../../src/commands/screen/terminal.ts';
import './built-in.ts';
import './pace.ts';

const bundle = fileURLToPath(new URL('../../../dist/orgrepo.js', import.meta.url));

/** What a call of orgrepo finds around it, in place of what this process has. */
export interface Surroundings {
  readonly dir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the machine is called, where it is another one. */
  readonly host?: string;
  readonly stdin?: string;
  /** A keyboard, in place of `stdin`. */
  readonly keys?: Streams['stdin'];
  /** What the person types to start it: `orgrepo`, where nothing else is said. */
  readonly typed?: string;
}

/** Nobody types and nobody reads. */
export function silentStreams(dir: string): Streams {
  const nowhere = { write: () => {} };
  const program = [process.execPath, bundle] as const;
  return { stdin: Readable.from([]), stdout: nowhere, stderr: nowhere, dir, program, startedAs: () => 'orgrepo' };
}

/** A call of orgrepo that goes on in this process. */
export interface Running {
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly code: Promise<number>;
}

/** Calls orgrepo in this process: the same code as the bundle's, on real directories and real git, with streams of its own. */
export function callOrgrepo(surroundings: Surroundings, args: readonly string[]): Running {
  const leave = enter(surroundings);
  const said = { out: '', err: '' };
  const streams: Streams = {
    ...silentStreams(surroundings.dir),
    startedAs: () => surroundings.typed ?? 'orgrepo',
    stdin:
      surroundings.keys ?? Readable.from(surroundings.stdin === undefined ? [] : [Buffer.from(surroundings.stdin)]),
    stdout: {
      write: (text: string) => {
        said.out += text;
      },
    },
    stderr: {
      write: (text: string) => {
        said.err += text;
      },
    },
  };
  const code = invoke(args, openTerminal(args, streams, commandNames)).finally(leave);
  after(() => endOf(code, args));
  return { stdout: () => said.out, stderr: () => said.err, code };
}

/** No call outlives its file of tests: as it ends it would change the environment of the next one. */
async function endOf(code: Promise<number>, args: readonly string[]): Promise<void> {
  let alarm: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    alarm = setTimeout(() => fail(new Error(`orgrepo ${args.join(' ')} goes on after the tests of its file`)), 60_000);
  });
  const ended = code.catch(() => {}); // Whoever called it has heard of it.
  await Promise.race([ended, late]).finally(() => clearTimeout(alarm));
}

/** The same to its end. */
export async function ranIn(surroundings: Surroundings, ...args: string[]) {
  const running = callOrgrepo(surroundings, args);
  return { code: await running.code, stdout: running.stdout(), stderr: running.stderr() };
}

interface Entered {
  readonly key: string;
  calls: number;
  readonly before: NodeJS.ProcessEnv;
}

let entered: Entered | undefined;
const ownHost = os.hostname;
const knownOptions = new Set([process.env.NODE_OPTIONS ?? '']);

/** What these options do to a process of its own has been done to this one. */
export const holdsHereToo = (options: string): void => void knownOptions.add(options);

/** Makes these surroundings the process's own for as long as a call lasts. Two at once must have the same. */
function enter({ env, host }: Surroundings): () => void {
  if (!knownOptions.has(env.NODE_OPTIONS ?? ''))
    throw new Error('NODE_OPTIONS is for a process of its own: use org.spawned');
  const wanted = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
  const key = JSON.stringify([Object.entries(wanted).sort(), host]);
  if (entered !== undefined && entered.key !== key)
    throw new Error('another call with other surroundings is under way: start one of them as a process');
  entered ??= { key, calls: 0, before: { ...process.env } };
  entered.calls += 1;
  setEnvironment(wanted);
  setHost(host === undefined ? ownHost : () => host);
  return () => {
    if (entered === undefined || --entered.calls > 0) return;
    setEnvironment(entered.before);
    setHost(ownHost);
    entered = undefined;
  };
}

function setEnvironment(wanted: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (wanted[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(wanted))
    if (value !== undefined && process.env[name] !== value) process.env[name] = value;
}

function setHost(hostname: typeof os.hostname): void {
  if (os.hostname === hostname) return;
  os.hostname = hostname;
  syncBuiltinESMExports();
}
