import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startCompanion } from '../process/run-process.ts';

/** A directory that is gone with whoever made it. */
export interface Scratch {
  readonly dir: string;
  remove(): Promise<void>;
}

/**
 * A caretaker waits for the end of a pipe that only we hold: it comes with `remove` as with our death, whatever the cause. It
 * ends what still runs in there, starts by their directory, and then takes everything away.
 */
const caretaker = `
trap '' INT TERM HUP
while read -r _; do :; done
chmod -R u+rwX -- "$1" 2> /dev/null
for round in 1 2 3 4 5 6 7 8 9; do
  for process in /proc/[0-9]*; do
    case "$(readlink "$process/cwd")" in "$1" | "$1"/*) kill -9 "\${process#/proc/}" ;; esac
  done
  rm -rf -- "$1" && exit
  sleep 0.2 # Whoever was killed may have had a last word.
done 2> /dev/null
`;

export function openScratch(): Scratch {
  const dir = realpathSync(mkdtempSync(path.join(tmpdir(), 'orgrepo-compare-')));
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin' };
  // Apart from our group: an interrupt at the terminal is for us, and not for whoever tidies up after it.
  const companion = startCompanion('/bin/sh', ['-c', caretaker, 'sh', dir], env, { cwd: '/', detached: true });
  return {
    dir,
    remove: async () => {
      companion.stdin.end();
      await companion.ended;
    },
  };
}
