import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { overwriteFile } from '../../process/regular-file.ts';
import type { AgentTask } from '../agent-contract.ts';
import type { Site } from './search-sites.ts';

/** A file of the sandbox. Each character is one byte, so that whatever the encoding, what is not changed stays the same. */
export interface SandboxFile {
  readonly path: string;
  readonly text: string;
}

const largestFile = 1_000_000;

/** The text files that an agent may change; what cannot be read, is no text or is too large is passed over. */
export function readSandboxFiles(task: AgentTask): readonly SandboxFile[] {
  return [...task.files].sort().flatMap((path) => {
    const text = readText(join(task.dir, path));
    return text === undefined ? [] : [{ path, text }];
  });
}

function readText(path: string): string | undefined {
  try {
    const stat = lstatSync(path);
    if (!stat.isFile() || stat.size > largestFile) return undefined;
    return textIn(readFileSync(path));
  } catch {
    return undefined; // Somebody else's file, or gone since it was listed: there is enough to do in the others.
  }
}

/** A file's bytes as text; undefined when they are none, or too many. */
export function textIn(content: Buffer): string | undefined {
  return content.length > largestFile || content.includes(0) ? undefined : content.toString('latin1');
}

/** The files with new texts at some of their sites. */
export function replaceSites(files: readonly SandboxFile[], values: ReadonlyMap<Site, string>): readonly SandboxFile[] {
  return files.map((file) => {
    const edits = [...values].filter(([site]) => site.file === file.path).sort(([a], [b]) => a.start - b.start);
    if (edits.length === 0) return file;
    let text = '';
    let end = 0;
    for (const [site, value] of edits) {
      text += file.text.slice(end, site.start) + value;
      end = site.start + site.text.length;
    }
    return { path: file.path, text: text + file.text.slice(end) };
  });
}

export function writeSandbox(task: AgentTask, before: readonly SandboxFile[], after: readonly SandboxFile[]): void {
  for (const [index, file] of after.entries()) {
    if (file !== before[index]) overwriteFile(join(task.dir, file.path), Buffer.from(file.text, 'latin1'));
  }
}

/** The same for the same files, and for no others. */
export function fingerprint(files: readonly SandboxFile[]): string {
  const hash = createHash('sha1');
  for (const file of files) hash.update(`${file.path}\0${file.text.length}\0`).update(file.text, 'latin1');
  return hash.digest('hex').slice(0, 16);
}
