import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentTask } from '../agent-contract.ts';

/** A file of the sandbox. Each character is one byte, so that whatever the encoding, what is not changed stays the same. */
export interface SandboxFile {
  readonly path: string;
  readonly text: string;
}

const largestFile = 1_000_000;

/** The text files that an agent may change; what cannot be read, is not text or is too large is passed over. */
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

/** A place in a file that can be changed: a number, a true or false, an operator. */
export interface Site {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** Which site of its line it is, from 1. */
  readonly place: number;
  readonly start: number;
  readonly text: string;
  /**
   * `cell`: a number among numbers, as in a table; `setting`: a number with a name; `code`: a number in an expression;
   * `choice`: a word or an operator with few alternatives.
   */
  readonly kind: 'cell' | 'setting' | 'code' | 'choice';
  /** False where a minus sign before it would be read as something else. */
  readonly signed: boolean;
  /** True where the language would refuse a fraction. */
  readonly whole: boolean;
  /** What people call it: the comment behind it or the name before it; empty when there is none. */
  readonly label: string;
}

/** The sites of a text file in the order of the text, up to as many as a search could ever try. */
export function findSites(file: string, text: string): readonly Site[] {
  const last = found.get(file);
  if (last?.text === text) return last.sites;
  const sites = searchText(file, text);
  if (found.size >= mostFound) found.clear();
  found.set(file, { text, sites });
  return sites;
}

/** A file is searched for every proposal, and changes only when something was kept. */
const found = new Map<string, { readonly text: string; readonly sites: readonly Site[] }>();
const mostFound = 64;

function searchText(file: string, text: string): readonly Site[] {
  const masked = maskText(file, text);
  const hasOperators = familyOf(file) !== 'plain';
  const sites: Site[] = [];
  let row: Row = rowAt(masked, 0, 1);
  let place = 0;
  for (const match of masked.matchAll(anySite)) {
    while (row.end < match.index) {
      row = rowAt(masked, row.end + 1, row.line + 1);
      place = 0;
    }
    const [found, number, , operator] = match;
    if (operator !== undefined && !hasOperators) continue;
    const site = number === undefined ? choiceAt(match.index, found) : numberAt(match.index, found, row);
    if (site === undefined) continue;
    place += 1;
    sites.push({ ...site, file, line: row.line, place, label: labelOf(text, row, site) });
    if (sites.length === mostSites) break;
  }
  return sites;
}

const mostSites = 10_000;

type Found = Omit<Site, 'file' | 'line' | 'place' | 'label'>;

/** A line of the masked text. */
interface Row {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly code: string;
  readonly hasOnlyNumbers: boolean;
  /** A loop or a condition: the numbers in it are seldom what a person would turn. */
  readonly steers: boolean;
}

function rowAt(masked: string, start: number, line: number): Row {
  const newline = masked.indexOf('\n', start);
  const end = newline === -1 ? masked.length : newline;
  const code = masked.slice(start, end);
  return {
    line,
    start,
    end,
    code,
    hasOnlyNumbers: /^[\s\d[\](){},;.+\-eE_]*$/.test(code),
    steers: /^[\s}]*(?:for|while|if|else|elif|switch|match|case|return|assert)\b/.test(code),
  };
}

const aNumber = /(?=[\d.])(?<![\w.$#@\\])((?:\d[\d_]*(?:\.\d[\d_]*|\.(?![\w.]))?|\.\d+)(?:[eE][+-]?\d+)?)/;
const aWord = /(?<![\w$.-])(true|false|True|False|TRUE|FALSE)(?![\w$-])/;
// Only with a space on both sides, where it cannot be a type's bracket, a sign or an arrow.
const anOperator = /(?<=[\w$)\]] )([<>]=?|[=!]==?|[-+*/])(?= [\w$(.-])/;
const anySite = new RegExp([aNumber, aWord, anOperator].map((one) => one.source).join('|'), 'g');

const choiceAt = (start: number, text: string): Found => ({ start, text, kind: 'choice', signed: false, whole: false });

/** How far around a number is looked: a minified file is one line of a megabyte. */
const reach = 100;

function numberAt(start: number, digits: string, row: Row): Found | undefined {
  const at = start - row.start;
  const before = row.code.slice(Math.max(0, at - reach), at);
  const after = row.code.slice(at + digits.length, at + digits.length + reach);
  const suffix = /^(?:[A-Za-z_]\w*|%)?/.exec(after)?.[0] ?? '';
  if (!knownSuffix.test(suffix) || isDateOrVersion(before, digits + after)) return undefined;
  const minus = /(?:^|[([{,=:?<>!&|+*/%^;~]|\breturn|\bcase)\s*-$/.test(before);
  const lead = minus ? before.slice(0, -1) : before;
  return {
    start: minus ? start - 1 : start,
    text: minus ? `-${digits}` : digits,
    kind: kindOf(row, lead, after),
    signed: minus || !/[-+]\s*$/.test(before),
    whole: /^(?:[iu]\d|[iu]size|u?l|n$)/i.test(suffix),
  };
}

function kindOf(row: Row, before: string, after: string): Site['kind'] {
  if (row.steers) return 'code';
  if (row.hasOnlyNumbers || isListed(before, after)) return 'cell';
  return isNamed(before, after) ? 'setting' : 'code';
}

const knownSuffix = /^(?:|_?f(?:32|64)?|_?[iu](?:8|16|32|64|128|size)|u?l{0,2}|n|d|px|r?em|vh|vw|deg|m?s|%)$/i;

function isDateOrVersion(before: string, from: string): boolean {
  return /^[\d.]+\.\d+\.\d|^\d+\.\d+\.[a-z]|^\d+([-/:])\d+\1\d/.test(from) || /\d[-/:]$/.test(before);
}

/** `[1, 2, 3]` or `{1, 2}` behind a name, all in one line, or the middle of one too long to see its ends. */
function isListed(before: string, after: string): boolean {
  const opens = /[=:]\s*[[{(]+[\s\d.,eE_+-]*$/.test(before) || isMiddle(before);
  const closes = /^\w*[\s\d.,eE_+-]*[\]})]/.test(after) || isMiddle(after);
  return opens && closes && (before.includes(',') || after.includes(','));
}

const isMiddle = (text: string): boolean => text.length >= reach - 1 && /^[\s\d.,eE_+\-[\](){}]*$/.test(text);

/** `lr = 0.01`, `"lr": 0.01,`, `--lr=0.01`, `#define LR 0.01`. */
function isNamed(before: string, after: string): boolean {
  if (!/^[\w%]*\s*(?:[,;)}\]]|$)/.test(after)) return false;
  return /(?:[\w$"'\])]\s*:?=|[\w$"'\])]\s*:)\s*$|^\s*#\s*define\s+\w+\s+$/.test(before);
}

function labelOf(text: string, row: Row, site: Found): string {
  const end = site.start + site.text.length;
  const before = text.slice(Math.max(row.start, site.start - reach), site.start);
  const after = text.slice(end, Math.min(row.end, end + reach));
  const name = /([A-Za-z_][\w$-]*)["']?\s*(?::|:?=)\s*$/.exec(before)?.[1];
  const comment = /(?:\/\/|#|\/\*)\s*([^*]*?)\s*(?:\*\/)?\s*$/.exec(after)?.[1];
  const label = name ?? (site.kind === 'cell' ? comment : undefined) ?? '';
  return /^[\x20-\x7e]{1,24}$/.test(label) ? label : '';
}

/**
 * The text with the insides of comments, strings and import lines blanked, so that what is left is code.
 * Every character keeps its place. It is a guess from the file's name, and a wrong guess only hides or shows a few sites.
 */
function maskText(path: string, text: string): string {
  const hidden = path.endsWith('.rs') ? hiddenInRust : hiddenIn[familyOf(path)];
  return text.replace(hidden, blankInside).replace(importLine, blankAll);
}

/** Whether a file's name tells of no programming language. */
export const isPlainText = (path: string): boolean => familyOf(path) === 'plain';

/** How a language writes comments, as far as a file's name tells. */
function familyOf(path: string): keyof typeof hiddenIn {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  if (slashEndings.has(ending)) return 'slash';
  return hashEndings.has(ending) ? 'hash' : 'plain';
}

const slashEndings = new Set(
  'js mjs cjs jsx ts mts cts tsx c h cc cpp cxx hpp hh cu cuh m mm cs java kt kts scala swift go rs dart zig php css scss less glsl wgsl proto sol v'.split(
    ' ',
  ),
);

const hashEndings = new Set('py pyi pyx rb sh bash zsh fish pl pm r jl nim ex exs cr tcl awk cmake mk'.split(' '));

const doubleQuoted = /"(?:\\.|[^"\\\n])*"?/;
const singleQuoted = /'(?:\\.|[^'\\\n])*'?/;
const slashComment = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/;
const hashComment = /#(?<!\S#)(?![ \t]*define\b)[^\n]*/;

// Only where a division cannot stand.
const pattern = /\/(?<=(?:[=(,:!&|?{;]|\breturn)[ \t]*\/)(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/[a-z]*/;

const hiddenIn = {
  slash: either(slashComment, doubleQuoted, singleQuoted, /`(?:\\.|[^`\\])*`?/, pattern),
  hash: either(/"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)/, hashComment, doubleQuoted, singleQuoted),
  // An apostrophe in a text or in YAML is not a quotation mark unless its partner stands on the same line.
  plain: either(hashComment, /\/\/(?<!\S\/\/)[^\n]*/, /"(?:\\.|[^"\\\n])*"/, /'(?<!\w')[^'\n]*'(?!\w)/),
};

// A lone apostrophe is a lifetime.
const hiddenInRust = either(slashComment, doubleQuoted, /'(?:\\.|[^'\\\n])'/);

const importLine = /^[ \t]*(?:(?:import|from|require|package|use)[ \t]+[\w"'{*<.@]|#[ \t]*include\b|@import\b).*$/gm;

function either(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map((one) => one.source).join('|'), 'g');
}

/** A string keeps its quotation marks, so that a quoted name before a colon can still be seen. */
function blankInside(found: string): string {
  const mark = found.charAt(0);
  if (mark !== '"' && mark !== "'") return blankAll(found);
  return found.length < 3 ? found : mark + blankAll(found.slice(1, -1)) + found.charAt(found.length - 1);
}

function blankAll(found: string): string {
  return found.replace(/[^\n]/g, ' ');
}
