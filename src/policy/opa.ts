import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { runCommand, startCompanion } from '../process/run-process.ts';
import { Problem, problemAt } from '../text/problem.ts';

/** An OPA server of our own, on this machine's loopback, for as long as we live. */
export interface OpaServer {
  /** The value of a document such as `org/payments`; throws when OPA does not say. */
  ask(document: string, input: unknown): Promise<unknown>;
  close(): void;
}

const environment = (): Record<string, string> => ({ PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: '/nonexistent' });

/** Refuses Rego that OPA cannot read, and Rego without OPA. Gives the flags with which it can be read. */
export async function checkRego(files: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const dir = layOut(files);
  try {
    return await check(dir, files);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

export async function startOpa(files: ReadonlyMap<string, string>, token: string): Promise<OpaServer> {
  const dir = layOut(files);
  const remove = (): void => rmSync(dir, { recursive: true, force: true });
  try {
    const flags = await check(dir, files);
    // Others on this machine may reach the port: without the token nobody is answered, and nothing is changed.
    writeFileSync(path.join(dir, 'authz.rego'), `package system.authz\n\nallow := input.identity == "${token}"\n`);
    for (let tries = 1; ; tries++) {
      const server = await start(dir, ['authz.rego', ...files.keys()], flags, token);
      if (typeof server !== 'string') return { ...server, close: () => [server.close(), remove()] };
      if (tries === 3)
        throw new Problem('org/policy', `OPA did not start: ${server}`, 'See what it says: opa run --server policies/');
    }
  } catch (error) {
    remove();
    throw error;
  }
}

function layOut(files: ReadonlyMap<string, string>): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-opa-')); // Nobody but us may look into it.
  for (const [name, text] of files) {
    mkdirSync(path.join(dir, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(dir, name), text);
  }
  return dir;
}

/** Rego of before OPA 1.0 is read by OPA 1.0 too, with this option. */
async function check(dir: string, files: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const names = [...files.keys()].filter((name) => name.endsWith('.rego'));
  const failures: (readonly OpaError[])[] = [];
  for (const flags of [[], ['--v0-compatible']]) {
    const args = ['check', '--format', 'json', ...flags, ...names];
    const ran = await runCommand({ file: 'opa', args, cwd: dir, env: environment(), deadlineMs: 30_000 });
    if (ran.notStarted !== undefined) throw withoutOpa(names[0] ?? '');
    if (ran.code === 0) return flags;
    failures.push(errorsIn(ran.stderr.text || ran.stdout.text));
  }
  const [first = [], second = []] = failures;
  const errors = second.length > 0 && second.length < first.length ? second : first;
  const { message = 'OPA cannot read it', location } = errors[0] ?? {};
  const place = { file: location?.file ?? names[0] ?? 'policies', line: location?.row, column: location?.col };
  const more = errors.length > 1 ? `\n${errors.length - 1} more: opa check policies/` : '';
  throw problemAt(
    'org/policy',
    place,
    message,
    `The language: https://www.openpolicyagent.org/docs/policy-language${more}`,
  );
}

interface OpaError {
  readonly message?: string;
  readonly location?: { readonly file?: string; readonly row?: number; readonly col?: number };
}

function errorsIn(said: string): readonly OpaError[] {
  try {
    const { errors } = JSON.parse(said) as { readonly errors?: readonly OpaError[] };
    return errors ?? [];
  } catch {
    return said.trim() === '' ? [] : [{ message: said.trim().split('\n')[0] ?? '' }];
  }
}

const withoutOpa = (file: string): Problem =>
  problemAt(
    'org/policy',
    { file, line: 1, column: 1 },
    'Rego is decided by OPA, and there is no opa on the PATH',
    'Install it: https://www.openpolicyagent.org/docs#1-download-opa. Or write the policy in Cedar (policies/*.cedar), which needs nothing.',
  );

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

/** The shell reads our end of a pipe and ends OPA when it closes: so OPA is gone even when we are killed. Nothing else ends it. */
const withUs = 'trap : TERM INT HUP; "$@" < /dev/null & opa=$!; cat > /dev/null; kill -9 "$opa" 2> /dev/null; wait';

const startMs = 15_000;
const askMs = 5_000;

async function start(dir: string, names: readonly string[], flags: readonly string[], token: string) {
  const port = await freePort();
  const access = ['--authentication', 'token', '--authorization', 'basic', '--skip-version-check'];
  const opa = ['opa', 'run', '--server', '--addr', `127.0.0.1:${port}`, '--log-level', 'error', ...access, ...flags];
  const companion = startCompanion('/bin/sh', ['-c', withUs, 'sh', ...opa, ...names], environment(), { cwd: dir });
  let said = '';
  for (const voice of [companion.stdout, companion.stderr])
    voice.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString('utf8')).slice(-2_000);
    });
  const close = (): void => void companion.stdin.end();
  const ask: OpaServer['ask'] = async (document, input) => {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/data/${document}?strict-builtin-errors=true`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ input }),
      signal: AbortSignal.timeout(askMs),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`it answered ${answer.status}: ${text.slice(0, 300)}`);
    return (JSON.parse(text) as { readonly result?: unknown }).result;
  };
  for (const giveUpAt = performance.now() + startMs; performance.now() < giveUpAt; await wait(20)) {
    const up = await ask('system/version', {}).then(
      () => true,
      () => false,
    );
    if (up) return { ask, close };
    if (said.includes('address already in use')) break;
  }
  close();
  return said.trim() || `it did not answer on port ${port}`;
}
