import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { programDirs } from '../../src/jail/cell.ts';
import { jailOf, type Walls } from '../../src/jail/jail.ts';
import { type Launcher, openLauncher } from '../../src/process/launcher.ts';
import { ideas } from './ideas.ts';

/** What a look said before somebody left something, right after in the same command, and in the next command. */
export interface Looked {
  readonly name: string;
  readonly before: string;
  readonly within: string;
  readonly after: string;
}

/** Tries all ideas in cells of a launcher, as whoever runs this. */
export async function tryIdeas(walls: Walls, below: string): Promise<readonly Looked[]> {
  const dir = mkdtempSync(path.join(below, 'orgrepo-ideas-'));
  const [arena, shown, out, pipes] = ['arena', 'shown', 'out', 'pipes'].map((name) => path.join(dir, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const part of [arena, shown, pipes]) mkdirSync(part);
  writeFileSync(path.join(shown, 'note'), 'shown\n');
  writeFileSync(path.join(shown, 'module.py'), 'x = 1\n');
  const env = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/tmp',
    OUT: out,
    SHOWN: shown,
  };
  const open = async (): Promise<Launcher> => {
    const jail = jailOf(walls, {
      ...{ shown: [...programDirs(env.PATH, undefined), arena, shown, pipes], hidden: [], open: [], memory: [out] },
      ...{ scratchBytes: 20_000_000, network: false },
    });
    const launcher = await openLauncher(pipes, env, jail);
    if (launcher === undefined) throw new Error(`no launcher in ${walls}`);
    return launcher;
  };
  let launcher = await open();
  const run = async (script: string): Promise<string> => {
    const command = {
      file: '/bin/bash',
      args: ['-c', script],
      cwd: arena,
      env,
      deadlineMs: 60_000,
      keepBytes: 2 ** 20,
    };
    let ran = await launcher.run(command);
    if (ran === undefined) {
      launcher.close(); // One that cannot be relied on is never used again; the next is a new one, as in a room.
      launcher = await open();
      ran = await launcher.run(command);
    }
    if (ran === undefined) throw new Error('the launcher is lost');
    return ran.stdout.text;
  };
  try {
    const looked: Looked[] = [];
    for (const { name, leave, look } of ideas) {
      const before = await run(`( ${look}\n) 2>&1`);
      const within = await run(`( ${leave}\n) > /dev/null 2>&1\n( ${look}\n) 2>&1`);
      looked.push({ name, before, within, after: await run(`( ${look}\n) 2>&1`) });
    }
    return looked;
  } finally {
    launcher.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

const [walls, below] = process.argv.slice(2);
if (process.argv[1] === import.meta.filename && walls !== undefined && below !== undefined)
  process.stdout.write(JSON.stringify(await tryIdeas(walls as Walls, below)));
