import { findIn, type PatternStep } from './pattern-search.ts';

/**
 * Regular expressions whose time grows with the text and with nothing else: all ways through the pattern are walked at once, one
 * character at a time. There are no back references and no look-around, which have no such bound.
 */
export interface LinearPattern {
  /** How many parentheses capture. */
  readonly captures: number;
  readonly matchesNothing: boolean;
  readonly steps: readonly PatternStep[];
}

/** What is wrong with a pattern, and at which of its characters, from 1. */
export interface PatternFault {
  readonly fault: string;
  readonly at: number;
}

const mostLength = 200;
const mostSteps = 500;
const mostRepeats = 100;

export function compilePattern(source: string): LinearPattern | PatternFault {
  try {
    const { node, captures } = parse(source);
    const steps: PatternStep[] = [];
    emit(node, steps, source.length);
    steps.push({ kind: 'done' });
    const pattern = { captures, steps, matchesNothing: false };
    return { ...pattern, matchesNothing: findIn(pattern, '', { steps: mostSteps * 2 }, 1).length > 0 };
  } catch (error) {
    if (error instanceof Fault) return { fault: error.message, at: error.at + 1 };
    throw error;
  }
}

class Fault extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

type Node =
  | { readonly kind: 'leaf'; readonly step: PatternStep }
  | { readonly kind: 'row' | 'either'; readonly parts: readonly Node[] }
  | { readonly kind: 'group'; readonly inner: Node; readonly marks: boolean }
  | {
      readonly kind: 'repeat';
      readonly inner: Node;
      readonly least: number;
      readonly most: number;
      readonly lazy: boolean;
    };

function parse(source: string): { readonly node: Node; readonly captures: number } {
  let at = 0;
  let captures = 0;
  if (source.length > mostLength) throw new Fault(`it has more than ${mostLength} characters`, mostLength);

  const either = (depth: number): Node => {
    const parts = [row(depth)];
    while (source[at] === '|') {
      at += 1;
      parts.push(row(depth));
    }
    return parts.length === 1 ? (parts[0] as Node) : { kind: 'either', parts };
  };

  const row = (depth: number): Node => {
    const parts: Node[] = [];
    while (at < source.length && source[at] !== '|' && !(source[at] === ')' && depth > 0)) parts.push(repeated(depth));
    return { kind: 'row', parts };
  };

  const repeated = (depth: number): Node => {
    const node = atom(depth);
    const [sign, least, most] = /^(?:[*+?]|\{(\d+)(?:,(\d*))?\})/.exec(source.slice(at)) ?? [];
    if (sign === undefined) return node;
    const from = sign === '+' ? 1 : Number(least ?? 0);
    const to = sign === '?' ? 1 : least === undefined || most === '' ? Number.POSITIVE_INFINITY : Number(most ?? least);
    if (Math.max(from, Number.isFinite(to) ? to : 0) > mostRepeats)
      throw new Fault(`${sign} repeats more than ${mostRepeats} times`, at);
    if (from > to) throw new Fault(`${sign} ends before it begins`, at);
    if (node.kind === 'leaf' && node.step.kind === 'place') throw new Fault(`${sign} has nothing to repeat`, at);
    at += sign.length;
    const lazy = source[at] === '?';
    if (lazy) at += 1;
    if (/^[*+?{]/.test(source.slice(at))) throw new Fault(`${source[at]} has nothing to repeat`, at);
    return { kind: 'repeat', inner: node, least: from, most: to, lazy };
  };

  const atom = (depth: number): Node => {
    const sign = source[at] as string;
    if (sign === '(') return group(depth);
    if (sign === ')') throw new Fault('this ) closes nothing', at);
    if (/[*+?{]/.test(sign)) throw new Fault(`${sign} has nothing to repeat`, at);
    if (sign === '^') return place(1, (_, here) => here === 0);
    if (sign === '$') return place(1, (text, here) => here === text.length);
    if (/^\\[bB]/.test(source.slice(at))) {
      const wanted = source[at + 1] === 'b';
      return place(2, (text, here) => (isWord(text[here - 1]) !== isWord(text[here])) === wanted);
    }
    return one();
  };

  const place = (length: number, holds: (text: string, at: number) => boolean): Node => {
    at += length;
    return { kind: 'leaf', step: { kind: 'place', holds } };
  };

  const group = (depth: number): Node => {
    const opened = at;
    const rest = source.slice(at);
    const plain = rest.startsWith('(?:');
    if (!plain && rest.startsWith('(?')) throw new Fault('only ( ) and (?: ) are understood', at);
    at += plain ? 3 : 1;
    if (!plain) captures += 1;
    const marks = !plain && captures === 1;
    const inner = either(depth + 1);
    if (source[at] !== ')') throw new Fault('this ( is never closed', opened);
    at += 1;
    return { kind: 'group', inner, marks };
  };

  /** A character, an escape or a class: the engine of the language says what a single one of them accepts. */
  const one = (): Node => {
    const found = /^(?:\[(?:\\.|[^\]\\])+\]|\\[^bBkpPu0-9xc]|[^\\[])/s.exec(source.slice(at))?.[0];
    if (found === undefined)
      throw new Fault(
        source[at] === '[' ? 'this [ is never closed' : `${source.slice(at, at + 2)} is not understood`,
        at,
      );
    const accepts = acceptedBy(found, at);
    at += found.length;
    return { kind: 'leaf', step: { kind: 'one', accepts } };
  };

  const node = either(0);
  return { node, captures };
}

const isWord = (char: string | undefined): boolean => char !== undefined && /\w/.test(char);

function acceptedBy(atom: string, at: number): (code: number) => boolean {
  const only = atom.length === 1 && atom !== '.' ? atom.charCodeAt(0) : undefined;
  if (only !== undefined) return (code) => code === only;
  try {
    const test = new RegExp(`^${atom}$`);
    const low = Array.from({ length: 128 }, (_, code) => test.test(String.fromCharCode(code)));
    return (code) => low[code] ?? test.test(String.fromCharCode(code));
  } catch {
    throw new Fault(`${atom} is not understood`, at);
  }
}

/** A short text that a pattern matches, with this in its parentheses. */
export const exampleOf = (source: string, captured: string): string => exampleFor(parse(source).node, captured);

function exampleFor(node: Node, captured: string): string {
  if (node.kind === 'group') return node.marks ? captured : exampleFor(node.inner, captured);
  if (node.kind === 'repeat') return exampleFor(node.inner, captured).repeat(node.least);
  if (node.kind !== 'leaf')
    return (node.kind === 'row' ? node.parts : node.parts.slice(0, 1))
      .map((part) => exampleFor(part, captured))
      .join('');
  const { step } = node;
  return step.kind === 'one' ? (printable.find((char) => step.accepts(char.charCodeAt(0))) ?? '') : '';
}

const printable = Array.from({ length: 95 }, (_, code) => String.fromCharCode(32 + code));

function emit(node: Node, steps: PatternStep[], end: number): void {
  if (steps.length > mostSteps) throw new Fault('it is too large: repeat less', end - 1);
  if (node.kind === 'leaf') steps.push(node.step);
  else if (node.kind === 'row') for (const part of node.parts) emit(part, steps, end);
  else if (node.kind === 'group') {
    if (node.marks) steps.push({ kind: 'mark', isEnd: false });
    emit(node.inner, steps, end);
    if (node.marks) steps.push({ kind: 'mark', isEnd: true });
  } else if (node.kind === 'either') emitEither(node.parts, steps, end);
  else if (node.kind === 'repeat') emitRepeat(node, steps, end);
}

/** Each part but the last: try it, else the next; a jump is a choice of one. */
function emitEither(parts: readonly Node[], steps: PatternStep[], end: number): void {
  const jumps: number[] = [];
  for (const [index, part] of parts.entries()) {
    const split = steps.length;
    if (index < parts.length - 1) steps.push({ kind: 'done' });
    emit(part, steps, end);
    if (index === parts.length - 1) continue;
    jumps.push(steps.length);
    steps.push({ kind: 'done' });
    steps[split] = { kind: 'split', first: split + 1, second: steps.length };
  }
  for (const jump of jumps) steps[jump] = { kind: 'split', first: steps.length, second: steps.length };
}

function emitRepeat(
  { inner, least, most, lazy }: Extract<Node, { kind: 'repeat' }>,
  steps: PatternStep[],
  end: number,
): void {
  const choice = (into: number, past: number): PatternStep => ({
    kind: 'split',
    first: lazy ? past : into,
    second: lazy ? into : past,
  });
  for (let count = 0; count < least; count++) emit(inner, steps, end);
  if (most === Number.POSITIVE_INFINITY) {
    const split = steps.length;
    steps.push({ kind: 'done' });
    emit(inner, steps, end);
    steps.push({ kind: 'split', first: split, second: split });
    steps[split] = choice(split + 1, steps.length);
    return;
  }
  const splits: number[] = [];
  for (let count = least; count < most; count++) {
    splits.push(steps.length);
    steps.push({ kind: 'done' });
    emit(inner, steps, end);
  }
  for (const split of splits) steps[split] = choice(split + 1, steps.length);
}
