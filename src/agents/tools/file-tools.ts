import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { readRegularFile, writeRegularFile } from '../../process/untrusted-files.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import { inputForm, type Tool, type ToolResult, textInput } from '../models/conversation.ts';
import type { Quotation } from '../prompts.ts';
import { nearestLines } from './nearest-lines.ts';

/** The tools of a model at a bench: look around, read, search, change. Files are quoted to it as they are. */
export function fileTools(files: BenchFiles, { quote }: Quotation, mayWrite = ''): readonly Tool[] {
  const found = (said: string): ToolResult => ({ text: quote(shorten(said)) });
  const only = `Only files that match ${mayWrite} may change.`;
  return [
    tool(
      'list',
      'Lists the files of your directory, with their paths. All paths are relative to it, with slashes: src/a.txt.',
      { path: 'a directory; all when left out' },
      [],
      (input) => {
        const paths = files.list(text(input.path));
        return paths.length === 0 ? failed('there is nothing there') : found(paths.join('\n'));
      },
    ),
    tool(
      'read',
      `Reads a text file, or some of its lines. Each begins with its number and a tab, which are not part of the file. At most ${mostLines} lines and ${mostText / 1024} KB at a time: read the rest with "from".`,
      { path: 'the file', from: 1, lines: mostLines },
      ['path'],
      ({ path, from, lines }) => {
        const content = withoutSecrets(files.read(text(path)));
        if (content === undefined) return failed('there is no such file, or it is not a text file');
        return found(numbered(content, Number(from ?? 1), Number(lines ?? mostLines)));
      },
    ),
    tool(
      'search',
      `Finds lines that hold a text, letter for letter and not as a pattern. At most ${mostHits} lines.`,
      { text: 'what to look for', path: 'a directory or a file; all when left out' },
      ['text'],
      (input) => search(files, text(input.text), text(input.path), found),
    ),
    tool(
      'edit',
      `Replaces one piece of a file by another. "old" must be in the file exactly once, letter for letter with its spaces and line ends, and without line numbers: take lines around it until it is unique. ${only}`,
      { path: 'the file', old: 'the piece as it is', new: 'the piece as it shall be' },
      ['path', 'old', 'new'],
      (input) => edit(files, text(input.path), text(input.old), text(input.new), found),
    ),
    tool(
      'write',
      `Writes a whole file, a new one or in place of what is there. For a small change use "edit". ${only}`,
      { path: 'the file', content: 'all of it' },
      ['path', 'content'],
      (input) => outcome(files.write(text(input.path), text(input.content)), 'written'),
    ),
    tool('delete', `Removes a file. ${only}`, { path: 'the file' }, ['path'], (input) =>
      outcome(files.remove(text(input.path)), 'removed'),
    ),
  ];
}

/** What a tool tells at most: more would fill the model's memory with one look. */
const mostText = 32 * 1024;
const mostLines = 1_000;
const mostHits = 200;

/** Inputs are texts, by what they are; or numbers, by what they are when left out. */
function tool(
  name: string,
  description: string,
  inputs: Readonly<Record<string, string | number>>,
  required: readonly string[],
  use: (input: Readonly<Record<string, unknown>>) => ToolResult,
): Tool {
  const properties = Object.entries(inputs).map(([input, is]) => [
    input,
    typeof is === 'string' ? textInput(is) : { type: 'integer', description: `${is} when left out` },
  ]);
  const input = inputForm(Object.fromEntries(properties), required);
  return { name, description, input, use: async (given) => use(given) };
}

/** A file as a model hears of it: without secrets before it is cut into lines and pieces, where none would be known again. */
const withoutSecrets = (content: string | undefined): string | undefined => content && hideSecrets(content);

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const ok = (said: string): ToolResult => ({ text: said });
const failed = (said: string): ToolResult => ({ text: said, failed: true });
const outcome = (wrong: string | undefined, done: string): ToolResult =>
  wrong === undefined ? ok(done) : failed(wrong);

const shorten = (said: string): string =>
  said.length <= mostText
    ? said
    : `${said.slice(0, mostText)}\n[cut off here: ${said.length - mostText} characters more]`;

function numbered(content: string, from: number, count: number): string {
  const lines = content.split('\n');
  const first = Math.min(Math.max(1, from), lines.length);
  const shown = lines.slice(first - 1, first - 1 + Math.min(Math.max(1, count), mostLines));
  const rest = lines.length - (first - 1 + shown.length);
  const more = rest > 0 ? `\n[${rest} lines more]` : '';
  return shown.map((line, at) => `${first + at}\t${line}`).join('\n') + more;
}

function search(files: BenchFiles, wanted: string, below: string, found: Found): ToolResult {
  if (wanted === '') return failed('what is there to look for?');
  const hits: string[] = [];
  const places = files.read(below) === undefined ? files.list(below) : [below];
  for (const file of places) {
    const content = withoutSecrets(files.read(file));
    if (content === undefined || !content.includes(wanted)) continue;
    for (const [at, line] of content.split('\n').entries()) {
      if (line.includes(wanted)) hits.push(`${file}:${at + 1}: ${line.slice(0, 300)}`);
      if (hits.length >= mostHits) return found(`${hits.join('\n')}\n[more than ${mostHits} lines]`);
    }
  }
  return hits.length === 0 ? ok('no line holds it') : found(hits.join('\n'));
}

type Found = (said: string) => ToolResult;

function edit(files: BenchFiles, file: string, old: string, now: string, found: Found): ToolResult {
  const content = files.read(file);
  if (content === undefined) return failed('there is no such file, or it is not a text file');
  const times = old === '' ? 0 : content.split(old).length - 1;
  if (times !== 1) {
    const near = nearestLines(hideSecrets(content), old);
    const wrong =
      times === 0
        ? '"old" is not in the file: it must be there letter for letter, with its spaces and line ends.'
        : `"old" is in the file ${times} times: add lines around it until it is there once.`;
    const shown = near === '' ? '' : ` ${times === 0 ? 'The nearest lines' : 'The places'}:\n${found(near).text}`;
    return failed(`${wrong}${shown}`);
  }
  const changed = content.replace(old, () => now);
  return outcome(files.write(file, changed), 'replaced');
}

type BenchFiles = ReturnType<typeof benchFiles>;

/** A file larger than this is too long for a model, and no tool would show it. */
const largestFile = 2 * 1024 * 1024;

const mostFiles = 5_000;

/**
 * The files of a bench as somebody sees them who must not get out of it: by paths with slashes below its directory, through
 * no link, and never `.git`.
 */
export function benchFiles(dir: string, mayWrite: (file: string) => boolean) {
  return {
    /** Every file, sorted; at most so many. */
    list: (below: string): readonly string[] => [...walk(dir, below === '' ? '' : clean(below))].slice(0, mostFiles),
    /** Undefined when there is no such file, or it is none that can be read. */
    read: (file: string): string | undefined => {
      const found = placeIn(dir, file);
      return found && readRegularFile(found, largestFile);
    },
    /** What is wrong, or undefined when it is done. */
    write: (file: string, text: string): string | undefined => {
      const found = placeIn(dir, file);
      if (found === undefined || !mayWrite(clean(file))) return 'that is not yours to write';
      if (Buffer.byteLength(text) > largestFile) return `a file may have ${largestFile} bytes at most`;
      const stat = lstatSync(found, { throwIfNoEntry: false });
      if (stat !== undefined && !stat.isFile()) return 'that is not a file';
      mkdirSync(path.dirname(found), { recursive: true });
      writeRegularFile(found, Buffer.from(text), stat === undefined ? 0o644 : stat.mode & 0o777);
      return undefined;
    },
    remove: (file: string): string | undefined => {
      const found = placeIn(dir, file);
      if (found === undefined || !mayWrite(clean(file))) return 'that is not yours to remove';
      if (lstatSync(found, { throwIfNoEntry: false })?.isFile() !== true) return 'there is no such file';
      rmSync(found);
      return undefined;
    },
  };
}

/** A path as the bench spells it: without `./`, and with nothing that leads elsewhere. */
const clean = (file: string): string => path.posix.normalize(file).replace(/^\.\/|\/$/g, '');

/** Where a file of the bench is; undefined when it would be outside, in `.git`, or behind a link. */
function placeIn(dir: string, file: string): string | undefined {
  const parts = clean(file).split('/');
  const strange = file === '' || file.includes('\0') || path.posix.isAbsolute(file) || file.includes('\\');
  if (strange || parts.some((part) => part === '..' || part === '' || /^\.git$/i.test(part))) return undefined;
  for (let depth = 1; depth < parts.length; depth++) {
    const above = lstatSync(path.join(dir, ...parts.slice(0, depth)), { throwIfNoEntry: false });
    if (above !== undefined && !above.isDirectory()) return undefined;
  }
  return path.join(dir, ...parts);
}

function* walk(dir: string, below: string): Generator<string> {
  const start = below === '' || below === '.' ? dir : placeIn(dir, below);
  if (start === undefined || lstatSync(start, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  const entries = readdirSync(start, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const file = below === '' || below === '.' ? entry.name : `${below}/${entry.name}`;
    if (entry.name === '.git') continue;
    if (entry.isDirectory()) yield* walk(dir, file);
    else if (entry.isFile()) yield file;
  }
}
