import { execa } from 'execa';

/** A program that speaks with the person itself: it asks for a passphrase, or to touch a device. */
export interface Foreground {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  /** Without a person the program has no terminal, and what it says is kept. */
  readonly isAttended: boolean;
}

/** Runs it for two minutes at most. With a person its messages go straight to their screen. */
export async function runInForeground({ file, args, env, input, isAttended }: Foreground): Promise<{
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly missing: boolean;
}> {
  const ran = await execa(file, [...args], {
    ...{
      env,
      extendEnv: false,
      input,
      reject: false,
      timeout: 120_000,
      detached: !isAttended,
      stripFinalNewline: false,
    },
    stderr: isAttended ? 'inherit' : 'pipe',
  });
  const { exitCode, stdout, stderr, code } = ran;
  return { code: exitCode, stdout, stderr: stderr ?? '', missing: code === 'ENOENT' };
}
