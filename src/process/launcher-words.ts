import { chmodSync, lchownSync, mkdirSync } from 'node:fs';
import { constants as system } from 'node:os';
import path from 'node:path';
import { openVoice, type Voice } from './captured-output.ts';
import { type Companion, type Ended, killGroup, makeFifos } from './run-process.ts';

/** How a command ended whose launcher is gone, or speaks with another's tongue. */
export const lostLauncher = 'the end of its launcher';

/** A launcher that has not told the end of a killed command by then will never tell it. */
const deafMs = 1_000;

/** What the launcher says, line by line; undefined once it is gone. */
interface Words {
  next(): Promise<string | undefined>;
}

export function hear({ stdout, ended }: Companion): Words {
  let said = '';
  let gone = false;
  let wake: (() => void) | undefined;
  stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString('latin1');
    wake?.();
  });
  void ended.then(() => {
    gone = true;
    wake?.();
  });
  return {
    next: async () => {
      while (!said.includes('\n') && !gone) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const end = said.indexOf('\n');
      if (end < 0) return undefined;
      const word = said.slice(0, end);
      said = said.slice(end + 1);
      return word;
    },
  };
}

/** A command from its start to its end, as the launcher tells it: its number, then its exit code. */
export function follow(words: Words, launcher: Companion, housed: boolean): Followed {
  let pid: number | undefined;
  let begun = false;
  let killed = false;
  let over = false;
  let lastResort: NodeJS.Timeout | undefined;
  const endLauncher = (): void => void (launcher.pid !== undefined && killGroup(launcher.pid));
  const kill = (): void => {
    killed = true;
    if (pid !== undefined) killGroup(pid);
    if (over) return;
    if (housed)
      endLauncher(); // Everything behind its walls ends with it.
    // A command may have stopped or deafened the shell that started it: then that goes too.
    else lastResort ??= setTimeout(endLauncher, deafMs);
  };
  const listen = async (): Promise<Ended> => {
    const first = await words.next();
    pid = housed ? undefined : numberAfter('pid', first);
    if (lastResort !== undefined) kill();
    const second = pid === undefined ? first : await words.next();
    begun = second === 'go';
    const code = numberAfter('exit', begun ? await words.next() : second);
    over = true;
    clearTimeout(lastResort);
    if (code === undefined) return { code, signal: lostLauncher, notStarted: undefined };
    if (!begun && !killed) return { code, signal: undefined, notStarted: 'its launcher could not start it' };
    const signal = code > 128 ? nameOfSignal(code - 128) : undefined;
    return { code: signal === undefined ? code : undefined, signal, notStarted: undefined };
  };
  return { ended: listen(), kill, wasTaken: () => begun };
}

interface Followed {
  readonly ended: Promise<Ended>;
  readonly kill: () => void;
  /** Whether the order was read; one that was killed before that has still to be. */
  readonly wasTaken: () => boolean;
}

function numberAfter(tag: 'pid' | 'exit', word: string | undefined): number | undefined {
  const [first, number = ''] = (word ?? '').split(' ');
  const value = first === tag && /^[0-9]{1,9}$/.test(number) ? Number(number) : undefined;
  return tag === 'pid' && value !== undefined && value <= 1 ? undefined : value; // Whoever says so is not our launcher.
}

const nameOfSignal = (number: number): string | undefined =>
  Object.entries(system.signals).find(([, value]) => value === number)?.[0];

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const names = ['stdout', 'stderr'];

/**
 * Makes the named pipes of a launcher, in a directory that nobody else on this machine can enter: what is written to them is
 * taken for the word of a harness. Where commands run as somebody else, the pipes are theirs.
 */
export function makePipes(dir: string, owner: Owner | undefined): void {
  mkdirSync(dir, { recursive: true });
  chmodSync(dir, 0o700);
  makeFifos(dir, names);
  if (owner === undefined) return;
  for (const place of [...names.map((name) => path.join(dir, name)), dir]) lchownSync(place, owner.uid, owner.gid);
}

/** Our ends of the pipes. Opened anew for each command, so that one which is gone has closed them for good. */
export function openPipes(dir: string): [Voice, Voice] | undefined {
  const stdout = openVoice(path.join(dir, 'stdout'));
  const stderr = stdout && openVoice(path.join(dir, 'stderr'));
  if (stderr === undefined) stdout?.cut();
  return stdout && stderr && [stdout, stderr];
}
