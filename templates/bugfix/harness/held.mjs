// How code that nobody trusts is run by the harness itself: in a process of its own, by node's permission model, with no
// environment. It reads the places that it is given, writes none, and starts nothing.
import { spawnSync } from 'node:child_process';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';

export function runHeld(file, readable, input = '') {
  const switches = isBuiltin('node:sqlite')
    ? ['--permission', '--no-experimental-sqlite']
    : ['--experimental-permission'];
  const flags = [...switches, '--no-warnings', ...[file, ...readable].map((path) => `--allow-fs-read=${path}`)];
  const ran = spawnSync(process.execPath, [...flags, file], {
    cwd: tmpdir(),
    env: {},
    input,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    timeout: 10_000,
    killSignal: 'SIGKILL',
    maxBuffer: 4_000_000,
  });
  const [, out, err, told] = ran.output?.map(String) ?? [];
  return { ended: ran.status, out, err, told };
}
