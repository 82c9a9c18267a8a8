import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';

/** What may be left for stage 2: more than this is no output but an attack, or a mistake. */
const mostFiles = 10_000;
const mostDepth = 20;

/**
 * Looks through what stage 1 left, as hostile: regular files in directories and nothing else, no more and no larger than
 * may be. Gives back what is wrong, or undefined. With `to`, the files are copied there, and only what was looked at.
 */
export function takeOutput(from: string, to: string | undefined, mostBytes: number): string | undefined {
  let bytes = 0;
  let files = 0;
  const enter = (dir: string, depth: number): string | undefined => {
    for (const name of readdirSync(path.join(from, dir), { encoding: 'buffer' })) {
      const file = path.join(dir, name.toString('utf8'));
      const shown = JSON.stringify(file);
      if (!Buffer.from(name.toString('utf8')).equals(name))
        return `left ${shown} in $ORGREPO_OUT, a name that is no UTF-8`;
      const stat = lstatSync(path.join(from, file));
      if (stat.isDirectory()) {
        if (depth >= mostDepth) return `left directories deeper than ${mostDepth} in $ORGREPO_OUT`;
        if (to !== undefined) mkdirSync(path.join(to, file));
        const wrong = enter(file, depth + 1);
        if (wrong !== undefined) return wrong;
        continue;
      }
      if (!stat.isFile()) return `left ${shown} in $ORGREPO_OUT, which is no regular file`;
      if (stat.nlink > 1) return `left ${shown} in $ORGREPO_OUT, a file with more than one name`;
      files += 1;
      bytes += stat.size;
      if (files > mostFiles) return `left more than ${mostFiles} files in $ORGREPO_OUT`;
      if (bytes > mostBytes) return `left more than ${mostBytes} bytes in $ORGREPO_OUT`;
      if (to !== undefined) copyFile(path.join(from, file), path.join(to, file), stat.size);
    }
    return undefined;
  };
  return enter('', 0);
}

const piece = Buffer.alloc(64 * 1024);

/** Not by a copy of the system's: that would follow a link which somebody put there meanwhile. */
function copyFile(from: string, to: string, mostBytes: number): void {
  const source = openSync(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(source).isFile()) return;
    const target = openSync(to, 'wx', 0o644);
    try {
      for (let done = 0; done < mostBytes; ) {
        const read = readSync(source, piece, 0, Math.min(piece.length, mostBytes - done), null);
        if (read === 0) break;
        for (let written = 0; written < read; ) written += writeSync(target, piece, written, read - written);
        done += read;
      }
    } finally {
      closeSync(target);
    }
  } finally {
    closeSync(source);
  }
}
