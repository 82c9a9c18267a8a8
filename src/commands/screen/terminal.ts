import { tmpdir } from 'node:os';
import type { Readable } from 'node:stream';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import { ansiPaint, type Look, plainPaint } from '../../terminal/look.ts';
import { formatJson, formatProblem, problemJson } from '../../terminal/visible.ts';
import { exitCodeOf, isProblem, Problem } from '../../text/problem.ts';

/** What a call of orgrepo reads from and writes to: the process's own, or a test's. */
export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** The directory in which orgrepo was typed. */
  readonly dir: string;
  /** What starts orgrepo once more. */
  readonly program: readonly [string, ...string[]];
  /** What the person types to start it, in this directory or anywhere. */
  readonly startedAs: (where: string | undefined) => string;
}

/** A part of a stream to write to, with what a terminal knows of itself. */
interface OutputStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/**
 * Where a command's answer goes, and what it may look like there. No secret is ever shown. All of talk is our own words, so it
 * shows commands as the person types them; an answer also holds the words of others, so its pages ask `look.typed`.
 */
export interface Terminal {
  readonly look: Look;
  readonly isTerminal: boolean;
  out(text: string): void;
  say(text: string): void;
  readonly streams: Streams;
  /** Says what went wrong and gives the exit code for it. */
  fail(error: unknown): number;
}

export function openTerminal(argv: readonly string[], streams: Streams, verbs: readonly string[]): Terminal {
  const { env } = process;
  const { stdout, stderr } = streams;
  const coloured = wantsColour(argv, stdout);
  // `orgrepo run` in a sentence of ours, and not `orgrepo runs` or `orgrepo/queue`; books of 0.1.0 hold `npx orgrepo run`.
  const ownCommand = new RegExp(`(?<![\\w./@-])(?:npx )?orgrepo(?= (?:${verbs.join('|')})\\b)`, 'g');
  let started: string | undefined;
  const typed = (words: string): string =>
    words.replace(ownCommand, () => {
      started ??= streams.startedAs(streams.dir);
      return started;
    });
  const out = (text: string): void => void stdout.write(hideSecrets(text));
  const say = (text: string): void => void stderr.write(hideSecrets(typed(text)));
  const columns = Math.max(40, stdout.columns ?? Number(env.COLUMNS ?? 100));
  const look: Look = {
    columns,
    edge: stdout.isTTY === true ? columns : Number.POSITIVE_INFINITY,
    paint: coloured ? ansiPaint : plainPaint,
    ascii: !/utf-?8/i.test(env.LC_ALL ?? env.LC_CTYPE ?? env.LANG ?? 'C.UTF-8'),
    typed,
  };
  return {
    look,
    isTerminal: stdout.isTTY === true && env.TERM !== 'dumb',
    out,
    say,
    streams,
    fail: (failure) => {
      const error = ofTheMachine(failure) ?? failure;
      if (isProblem(error)) {
        if (argv.includes('--json')) out(`${formatJson(problemJson(error))}\n`);
        else {
          const { code, message, hint, place } = error;
          const shown = new Problem(code, message, typed(hint), place);
          stderr.write(hideSecrets(formatProblem(shown, look.paint)));
        }
        return exitCodeOf(error);
      }
      const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
      if (argv.includes('--json'))
        out(`${formatJson({ error: { code: 'bug', message: stack, hint: 'Please report it.' } })}\n`);
      else
        say(
          `error  this is a bug in orgrepo ${__VERSION__}\n${stack}\n  try  report it with the lines above and what you typed\n`,
        );
      return 70;
    },
  };
}

/** What the machine refuses is not a bug of ours: a full disk, a directory that is not ours to write to. */
function ofTheMachine(error: unknown): Problem | undefined {
  const { code, message } = error instanceof Error ? (error as NodeJS.ErrnoException) : { code: '', message: '' };
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new Problem(
      'disk/write',
      message,
      `Free some disk space and run again; nothing was lost. Where it is: df -h . ${tmpdir()}`,
    );
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new Problem('disk/write', message, 'Give yourself the right to it and run again; nothing was lost.');
  if (code === 'EMFILE' || code === 'ENFILE')
    return new Problem('disk/write', message, 'Too many files are open: raise the limit (ulimit -n) and run again.');
  return undefined;
}

function wantsColour(argv: readonly string[], stdout: OutputStream): boolean {
  const { env } = process;
  if (argv.includes('--no-color') || (env.NO_COLOR ?? '') !== '') return false;
  if ((env.FORCE_COLOR ?? '') !== '' && env.FORCE_COLOR !== '0') return true;
  return stdout.isTTY === true && env.TERM !== 'dumb';
}
