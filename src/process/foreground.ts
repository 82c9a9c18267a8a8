import { spawn } from 'node:child_process';

/** A program that speaks with the person itself: it asks for a passphrase, or to touch a device. */
export interface Foreground {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  /** Without a person the program has no terminal, and what it says is kept. */
  readonly isAttended: boolean;
}

/** How it ended. `code` is undefined for a program that was not found, or that was ended. */
export interface Attended {
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly isMissing: boolean;
}

const mostMs = 120_000;
const mostBytes = 1024 * 1024;

/** Runs it for two minutes at most. With a person its messages go straight to their screen. */
export function runInForeground({ file, args, env, input, isAttended }: Foreground): Promise<Attended> {
  const stderr = isAttended ? 'inherit' : 'pipe';
  // Without a terminal of its own it cannot wait for somebody who is not there.
  const child = spawn(file, args, { env, stdio: ['pipe', 'pipe', stderr], timeout: mostMs, detached: !isAttended });
  const heard = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      if (heard[name].length < mostBytes) heard[name] += text;
    });
  child.stdin?.on('error', () => {}); // It may end without reading.
  child.stdin?.end(input);
  return new Promise((resolve) => {
    child.on('error', () => resolve({ code: undefined, ...heard, isMissing: true }));
    child.on('close', (code) => resolve({ code: code ?? undefined, ...heard, isMissing: false }));
  });
}
