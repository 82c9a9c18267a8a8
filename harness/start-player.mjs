// How code that nobody trusts is held by the harness itself, within the cell that orgrepo runs all of stage 1 in.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Starts player.mjs. `ask` gives it the item that is next in each list and waits for as many answers; `end` does away with it. */
export function startPlayer(listCount) {
  // Node opens itself to a debugger when another process sends it this signal, and a debugger can do anything in here.
  // Where somebody listens to the signal, that is all that happens.
  process.on('SIGUSR1', () => {});
  const place = mkdtempSync(join(tmpdir(), 'player-'));
  const [items, answers] = makePipes(place, ['items', 'answers']);
  const child = spawn(process.execPath, [...permissions(), fileOf('player.mjs'), String(listCount)], {
    cwd: place,
    env: {}, // Ours says where the output is written to, and the seed.
    stdio: [items.reader, answers.writer, 'inherit'],
  });
  for (const end of [items.reader, answers.writer]) closeSync(end); // They are the player's now: when it dies, we are told.
  return {
    ask: makeAsk(items.writer, answers.reader, listCount),
    end: () => {
      child.kill('SIGKILL'); // It may have any reason not to end by itself.
      child.unref();
      rmSync(place, { recursive: true });
    },
  };
}

/**
 * Node's permission model: it reads these files, writes none, and starts no process, no thread and no machine code.
 * SQLite, where node brings it, would write all the same.
 */
function permissions() {
  const switches = isBuiltin('node:sqlite')
    ? ['--permission', '--no-experimental-sqlite']
    : ['--experimental-permission'];
  const readable = ['player.mjs', '../sandbox/*'].map((path) => `--allow-fs-read=${fileOf(path)}`);
  return [...switches, ...readable, '--no-warnings'];
}

const fileOf = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Pipes of the system's own, because reads and writes on them wait. Those that node makes for a child do not, and 5,000
 * questions by way of its event loop take twice the work.
 */
function makePipes(place, names) {
  const paths = names.map((name) => join(place, name));
  const { status, error } = spawnSync('mkfifo', paths);
  if (status !== 0) throw new Error(`mkfifo failed, which makes pipes: ${error?.message ?? `it ended with ${status}`}`);
  return paths.map((path) => {
    const both = openSync(path, 'r+'); // While this is open, the two below need not wait for each other.
    const [reader, writer] = [openSync(path, 'r'), openSync(path, 'w')];
    closeSync(both);
    return { reader, writer };
  });
}

function makeAsk(to, from, listCount) {
  const answers = new Uint8Array(listCount + 1); // One more than there should be, to see whether there is.
  return (sizes, item) => {
    let got = 0;
    try {
      writeSync(to, sizes);
      for (let read = 1; read > 0 && got < listCount; got += read)
        read = readSync(from, answers, got, answers.length - got, null);
    } catch (error) {
      if (error.code !== 'EPIPE') throw error; // Nobody reads there any more: it has ended.
    }
    if (got < listCount) throw new Error(`item ${item}: the sandbox's process ended before it had answered`);
    if (got > listCount) throw new Error(`item ${item}: the sandbox's process gave more than ${listCount} answers`);
    return answers.subarray(0, listCount);
  };
}
