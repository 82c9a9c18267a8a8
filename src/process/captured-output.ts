import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import path from 'node:path';
import type { Readable } from 'node:stream';

/** What a stream said: its first and last part, because a candidate may print ten gigabytes. */
export interface CapturedOutput {
  readonly text: string;
  readonly bytes: number;
}

/** One of the two streams that a command speaks on. */
export interface Voice {
  /** From now on everything is heard, and so much of the beginning kept. */
  listen(most: number, hear?: (chunk: Buffer) => void): Heard;
  /** A process that still has the other end is not heard any longer. */
  cut(): void;
}

export interface Heard {
  /** When nobody can say anything any more. Asked once the command itself has ended. */
  over(): Promise<void>;
  said(): CapturedOutput;
  /** How much was said so far. */
  bytes(): number;
}

/** How much is always kept of the end. */
export const keptBytes = 1024 * 1024;

export function voiceOf(stream: Readable): Voice {
  return {
    listen: (most, hear) => {
      const { take, said, bytes } = keepEnds(most, hear);
      const flowing = flowingFrom(stream, take);
      return { over: () => flowing, said, bytes };
    },
    cut: () => void stream.destroy(),
  };
}

/** The two named pipes of a launcher, in its directory. */
export const pipeNames = ['stdout', 'stderr'] as const;

/** Our ends of the pipes. Opened anew for each command, so that one which is gone has closed them for good. */
export function openPipes(dir: string): [Voice, Voice] | undefined {
  const [stdout, stderr] = pipeNames.map((name) => openVoice(path.join(dir, name)));
  if (stdout !== undefined && stderr !== undefined) return [stdout, stderr];
  stdout?.cut();
  stderr?.cut();
  return undefined;
}

/**
 * Our end of a named pipe; undefined when it is not one. A pipe holds all that a short command says, and then reading it once
 * at the end costs a quarter of what a stream costs to set up: only who speaks for longer is given one.
 */
function openVoice(file: string): Voice | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    if (fstatSync(fd).isFIFO()) return voiceFrom(fd);
  } catch {
    // Somebody has been at it.
  }
  if (fd !== undefined) closeSync(fd);
  return undefined;
}

/** A command that is still there by then is not a short one. It waits for so long at most, when it has filled the pipe. */
const shortMs = 5;

function voiceFrom(fd: number): Voice {
  let timer: NodeJS.Timeout | undefined;
  let stream: Socket | undefined;
  let open = true;
  const close = (): void => {
    clearTimeout(timer);
    if (stream !== undefined) stream.destroy();
    else if (open) closeSync(fd);
    open = false;
  };
  return {
    listen: (most, hear) => {
      const { take, said, bytes } = keepEnds(most, hear);
      let flowing: Promise<void> | undefined;
      const flow = (): Promise<void> => {
        stream ??= new Socket({ fd, readable: true, writable: false });
        flowing ??= flowingFrom(stream, take);
        return flowing;
      };
      timer = setTimeout(flow, shortMs);
      const over = async (): Promise<void> => {
        clearTimeout(timer);
        if (flowing !== undefined || !drain(fd, take)) return flow();
        close();
      };
      return { over, said, bytes };
    },
    cut: close,
  };
}

function flowingFrom(stream: Readable, take: (chunk: Buffer) => void): Promise<void> {
  stream.on('data', take);
  return new Promise((resolve) => void stream.once('close', resolve));
}

const read = Buffer.alloc(65_536);

/** Takes all that a pipe holds. False when somebody can still write to it. */
function drain(fd: number, take: (chunk: Buffer) => void): boolean {
  try {
    for (;;) {
      const bytes = readSync(fd, read);
      if (bytes === 0) return true;
      take(Buffer.from(read.subarray(0, bytes)));
    }
  } catch {
    return false;
  }
}

function keepEnds(most: number, hear: (chunk: Buffer) => void = () => {}) {
  const head: Buffer[] = [];
  let tail: Buffer[] = [];
  let headBytes = 0;
  let tailBytes = 0;
  let bytes = 0;
  const take = (chunk: Buffer): void => {
    bytes += chunk.length;
    hear(chunk);
    if (headBytes < most) {
      head.push(chunk);
      headBytes += chunk.length;
      return;
    }
    tail.push(chunk);
    tailBytes += chunk.length;
    if (tailBytes > 2 * keptBytes) {
      tail = [Buffer.concat(tail).subarray(-keptBytes)];
      tailBytes = keptBytes;
    }
  };
  const said = (): CapturedOutput => {
    const cut = bytes - headBytes - tailBytes;
    const gap = cut > 0 ? [Buffer.from(`\n… ${cut} bytes left out …\n`)] : [];
    return { text: Buffer.concat([...head, ...gap, ...tail]).toString('utf8'), bytes };
  };
  return { take, said, bytes: () => bytes };
}
