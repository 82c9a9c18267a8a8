import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './org.ts';

/** How far a long campaign has come, so that one that was interrupted goes on where it was. */
export interface Campaign<Part> {
  readonly seed: number;
  /** What was done before, in the order in which it was done. */
  readonly before: readonly Part[];
  /** Remembers a part that is done. */
  add(part: Part): void;
  /** It has come to its end: the next one begins anew. */
  end(): void;
}

/** With `resume` the last one of this name goes on, with its seed, if it did not come to its end. */
export function openCampaign<Part>(name: string, seed: number, resume: boolean): Campaign<Part> {
  const file = path.join(root, 'build/campaigns', `${name}.ndjson`);
  const [first, ...before] = resume ? readLines(file) : [];
  const mine = (first as { seed: number } | undefined)?.seed ?? seed;
  mkdirSync(path.dirname(file), { recursive: true });
  if (first === undefined) writeFileSync(file, `${JSON.stringify({ seed: mine })}\n`);
  return {
    seed: mine,
    before: before as Part[],
    add: (part) => appendFileSync(file, `${JSON.stringify(part)}\n`),
    end: () => rmSync(file, { force: true }),
  };
}

/** A line that was cut off is not read. */
function readLines(file: string): readonly unknown[] {
  try {
    const whole = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    return whole.map((line) => JSON.parse(line) as unknown);
  } catch {
    return [];
  }
}
