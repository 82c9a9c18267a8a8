import { cpSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { removeTree } from '../../process/run-process.ts';
import { unlockDirectory } from '../../process/used-directory.ts';
import { speaksToAgents } from '../../score/judge/boundary.ts';

/**
 * Takes what speaks to agents out of a bench while one works there, because not every program can be told to leave it alone:
 * CLAUDE.md, .gemini/, .mcp.json and the like. What the brief lets agents write stays. The answer puts it back.
 */
export function putAside(dir: string, stays: (file: string) => boolean): () => void {
  const found = [...speakersIn(dir, '', stays)];
  if (found.length === 0) return () => {};
  const aside = mkdtempSync(path.join(tmpdir(), 'orgrepo-aside-'));
  for (const [index, file] of found.entries()) {
    copy(path.join(dir, file), path.join(aside, String(index)));
    rmSync(path.join(dir, file), { recursive: true, force: true });
  }
  return () => {
    for (const [index, file] of found.entries()) putBack(path.join(aside, String(index)), dir, file);
    removeTree(aside);
  };
}

/** Whoever worked here may have locked the way. What cannot be put back is missing: a change outside the sandbox, as it is. */
function putBack(from: string, dir: string, file: string): void {
  try {
    for (const place of placesAbove(dir, file)) unlockDirectory(place);
    if (isFree(dir, file)) copy(from, path.join(dir, file));
  } catch {
    // Gone, or in the way for good.
  }
}

const copy = (from: string, to: string): void => cpSync(from, to, { recursive: true, verbatimSymlinks: true });

function* speakersIn(dir: string, below: string, stays: (file: string) => boolean): Generator<string> {
  for (const entry of readdirSync(path.join(dir, below), { withFileTypes: true })) {
    const file = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.name === '.git') continue;
    if (speaksToAgents(entry.name) && !stays(file)) yield file;
    else if (entry.isDirectory()) yield* speakersIn(dir, file, stays);
  }
}

/** Whoever worked here may have put something else in the place, or a link in the way. Then it stays as it was left. */
function isFree(dir: string, file: string): boolean {
  return (
    placesAbove(dir, file).every((place) => lstatSync(place, { throwIfNoEntry: false })?.isDirectory() === true) &&
    lstatSync(path.join(dir, file), { throwIfNoEntry: false }) === undefined
  );
}

/** The directories on the way to a file, from the bench down. */
function placesAbove(dir: string, file: string): readonly string[] {
  const parts = file.split('/');
  return parts.map((_, depth) => path.join(dir, ...parts.slice(0, depth)));
}
