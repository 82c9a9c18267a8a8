import { familyOf, maskText } from './search-mask.ts';

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

/** Every site of a text file, in the order of the text. */
export function findSites(file: string, text: string): readonly Site[] {
  const masked = maskText(file, text);
  const withOperators = familyOf(file) !== 'plain';
  const sites: Site[] = [];
  let line = 1;
  let start = 0;
  while (start <= masked.length) {
    const end = endOfLine(masked, start);
    const code = masked.slice(start, end);
    const found = [...numbersIn(code), ...wordsIn(code), ...(withOperators ? operatorsIn(code) : [])];
    found.sort((a, b) => a.start - b.start);
    const label = found.length === 0 ? '' : labelOf(text.slice(start, end), code, found);
    for (const [index, one] of found.entries()) {
      sites.push({ ...one, file, line, place: index + 1, start: start + one.start, label });
    }
    start = end + 1;
    line += 1;
  }
  return sites;
}

type Found = Omit<Site, 'file' | 'line' | 'place' | 'label'>;

function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end === -1 ? text.length : end;
}

function* numbersIn(code: string): Generator<Found> {
  const onlyNumbers = /^[\s\d[\](){},;.+\-eE_]*$/.test(code);
  for (const match of code.matchAll(/(?<![\w.$#@\\])(?:\d[\d_]*(?:\.\d[\d_]*|\.(?![\w.]))?|\.\d+)(?:[eE][+-]?\d+)?/g)) {
    const before = code.slice(0, match.index);
    const after = code.slice(match.index + match[0].length);
    const suffix = /^(?:[A-Za-z_]\w*|%)?/.exec(after)?.[0] ?? '';
    if (!knownSuffix.test(suffix) || isDateOrVersion(before, match[0] + after)) continue;
    const minus = /(?:^|[([{,=:?<>!&|+*/%^;~]|\breturn|\bcase)\s*-$/.test(before);
    const text = minus ? `-${match[0]}` : match[0];
    const lead = minus ? before.slice(0, -1) : before;
    yield {
      start: match.index - (minus ? 1 : 0),
      text,
      kind: onlyNumbers || isListed(lead, after) ? 'cell' : isNamed(lead, after) ? 'setting' : 'code',
      signed: minus || !/[-+]\s*$/.test(before),
      whole: /^(?:[iu]\d|[iu]size|u?l|n$)/i.test(suffix),
    };
  }
}

const knownSuffix = /^(?:|_?f(?:32|64)?|_?[iu](?:8|16|32|64|128|size)|u?l{0,2}|n|d|px|r?em|vh|vw|deg|m?s|%)$/i;

function isDateOrVersion(before: string, from: string): boolean {
  return /^[\d.]+\.\d+\.\d|^\d+\.\d+\.[a-z]|^\d+([-/:])\d+\1\d/.test(from) || /\d[-/:]$/.test(before);
}

/** `[1, 2, 3]` or `{1, 2}` behind a name, all in one line. */
function isListed(before: string, after: string): boolean {
  return (
    /[=:]\s*[[{(]+[\s\d.,eE_+-]*$/.test(before) && /^\w*[\s\d.,eE_+-]*[\]})]/.test(after) && /,/.test(before + after)
  );
}

/** `lr = 0.01`, `"lr": 0.01,`, `--lr=0.01`, `#define LR 0.01`. */
function isNamed(before: string, after: string): boolean {
  if (!/^[\w%]*\s*(?:[,;)}\]]|$)/.test(after)) return false;
  return /(?:[\w$"'\])]\s*:?=|[\w$"'\])]\s*:)\s*$|^\s*#\s*define\s+\w+\s+$/.test(before);
}

function* wordsIn(code: string): Generator<Found> {
  for (const match of code.matchAll(/(?<![\w$.-])(?:true|false|True|False|TRUE|FALSE)(?![\w$-])/g)) {
    yield { start: match.index, text: match[0], kind: 'choice', signed: false, whole: false };
  }
}

/** Only with a space on both sides, where they cannot be a type's brackets, a sign or an arrow. */
function* operatorsIn(code: string): Generator<Found> {
  for (const match of code.matchAll(/(?<=[\w$)\]] )(?:[<>]=?|[=!]==?|[-+*/])(?= [\w$(.-])/g)) {
    yield { start: match.index, text: match[0], kind: 'choice', signed: false, whole: false };
  }
}

function labelOf(line: string, code: string, found: readonly Found[]): string {
  const last = found[found.length - 1] as Found;
  const comment =
    /(?:\/\/|#|\/\*)\s*([^*]*?)\s*(?:\*\/)?\s*$/.exec(line.slice(last.start + last.text.length))?.[1] ?? '';
  const name = /([A-Za-z_][\w$-]*)["']?\s*(?::|:?=)?\s*$/.exec(line.slice(0, found[0]?.start))?.[1] ?? '';
  const label = found.length === 1 && name !== '' && /[:=]/.test(code) ? name : comment || name;
  return /^[\x20-\x7e]{1,24}$/.test(label) ? label : '';
}
