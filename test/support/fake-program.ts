import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A program on the PATH that is a piece of shell: it prints what the real one prints. `$HERE` is a directory of its own. */
export interface FakeProgram {
  readonly dir: string;
  /** What it was started with, a word on each line, and the names and values of its environment. */
  args(): readonly string[];
  environment(): ReadonlyMap<string, string>;
  /** What came on its input. */
  input(): string;
}

const bin = mkdtempSync(path.join(tmpdir(), 'orgrepo-fakes-'));
process.env.PATH = `${bin}:${process.env.PATH}`;
process.once('exit', () => rmSync(bin, { recursive: true, force: true }));
// The logins of the person who runs the tests are none of theirs.
process.env.CODEX_HOME = path.join(bin, 'codex-home');
delete process.env.CLAUDE_CODE_OAUTH_TOKEN;

export function fakeProgram(name: string, script: string): FakeProgram {
  const dir = path.join(bin, `of-${name}`);
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir);
  const lines = [
    '#!/bin/sh',
    `HERE=${dir}`,
    'printf "%s\\n" "$@" > $HERE/args',
    'env > $HERE/env',
    'cat > $HERE/input',
    script,
  ];
  writeFileSync(path.join(bin, name), `${lines.join('\n')}\n`);
  chmodSync(path.join(bin, name), 0o755);
  const read = (file: string): string => readFileSync(path.join(dir, file), 'utf8');
  return {
    dir,
    args: () => read('args').trimEnd().split('\n'),
    environment: () =>
      new Map(
        read('env')
          .trimEnd()
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
      ),
    input: () => read('input'),
  };
}

/** Lines that a program prints, for a script of the shell. */
export const printed = (...lines: readonly object[]): string =>
  lines.map((line) => `cat <<'EOF'\n${JSON.stringify(line)}\nEOF`).join('\n');

/** How many processes run that were started with this in their environment. Linux only. */
export const processesWith = (mark: string): number =>
  (existsSync('/proc/self/environ') ? readdirSync('/proc') : []).filter((pid) => {
    try {
      return /^[0-9]+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark);
    } catch {
      return false; // Gone meanwhile.
    }
  }).length;
