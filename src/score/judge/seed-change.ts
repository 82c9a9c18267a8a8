/** A seed's value before and after. */
export interface SeedChange {
  readonly from: string;
  readonly to: string;
}

/** More than this is work, whatever it is. */
const mostLines = 200;
const mostCharacters = 20_000;
const mostSeeds = 64;
/** How far above a number the call or the list may begin that it stands in. */
const linesAbove = 40;

/** The seeds that differ between two texts of a file; undefined when anything else does. */
export function seedsIn(path: string, before: string, after: string): SeedChange[] | undefined {
  const [old, now] = [before.split('\n'), after.split('\n')];
  let same = 0;
  while (same < Math.min(old.length, now.length) && old[same] === now[same]) same += 1;
  let tail = 0;
  while (tail < Math.min(old.length, now.length) - same && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const [changed, becomes] = [old.slice(same, old.length - tail), now.slice(same, now.length - tail)];
  if (Math.max(changed.length, becomes.length) > mostLines) return undefined;
  if (indentCounts.test(path) && !sameIndents(changed, becomes)) return undefined;
  const [from, to] = [changed.join('\n'), becomes.join('\n')];
  if (Math.max(from.length, to.length) > mostCharacters) return undefined;
  const context = old.slice(Math.max(0, same - linesAbove), same).join('\n');
  const above = tokensOf(`${context.slice(-mostCharacters)}\n`);
  const [was, is] = [tokensOf(from), tokensOf(to)].map(withoutComments);
  return was === undefined || is === undefined ? undefined : compareTokens(above, was, is);
}

const indentCounts = /\.(py|pyx|ya?ml|mk|nim|hs|fs|coffee|pug)$|(^|\/)makefile$/i;

function sameIndents(before: readonly string[], after: readonly string[]): boolean {
  const indents = (lines: readonly string[]): string =>
    lines
      .filter((line) => line.trim() !== '')
      .map((line) => /^[ \t]*/.exec(line)?.[0] ?? '')
      .join('\n');
  return indents(before) === indents(after);
}

/** What is written behind a seed is not part of it: `seed = 137  # lucky`. Only there, because `//` also divides. */
function withoutComments(tokens: readonly Token[]): Token[] {
  const kept: Token[] = [];
  let seedHere = false;
  let inComment = false;
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'line') [seedHere, inComment] = [false, false];
    else if (token.kind === 'name' && namesSeed(token.text)) seedHere = true;
    const slashes = token.text === '/' && tokens[index + 1]?.text === '/';
    if (seedHere && index > 0 && kept.at(-1)?.kind !== 'line' && (token.text === '#' || slashes)) inComment = true;
    if (!inComment) kept.push(token);
  }
  return kept;
}

function compareTokens(above: readonly Token[], was: Token[], is: Token[]): SeedChange[] | undefined {
  const trim = (tokens: readonly Token[]): Token[] => {
    const end = tokens.findLastIndex(({ kind }) => kind !== 'line') + 1;
    return tokens.slice(tokens[0]?.kind === 'line' ? 1 : 0, end);
  };
  const [old, now] = [trim(was), trim(is)];
  if (old.length !== now.length) return undefined;
  const around = [...above, ...old];
  const found: SeedChange[] = [];
  for (const [index, token] of old.entries()) {
    const other = now[index] as Token;
    if (token.kind === other.kind && token.text === other.text) continue;
    if (token.kind !== 'number' || other.kind !== 'number' || found.length === mostSeeds) return undefined;
    if (!belongsToSeed(around, above.length + index)) return undefined;
    found.push({ from: token.text, to: other.text });
  }
  return found;
}

/**
 * Whether a number is a seed's: the value of `seed = ...`, `seed: ...` or `--seed ...`, or what is handed to
 * `manual_seed(...)`. Looked for from the number to the left and outwards; the nearest name that takes it decides.
 */
function belongsToSeed(tokens: readonly Token[], at: number): boolean {
  const direct = tokens[at - 1];
  if (direct?.kind === 'name') return namesSeed(direct.text);
  let depth = 0;
  let otherArgument = false;
  for (let index = at - 1; index >= Math.max(0, at - 2_000); index--) {
    const { text, kind } = tokens[index] as Token;
    if (kind === 'line' && depth === 0 && !continues(tokens[index - 1])) return false;
    if (kind !== 'mark') continue;
    if (closing.has(text)) depth += 1;
    else if (opening.has(text) && depth > 0) depth -= 1;
    else if (depth > 0) continue;
    else if (opening.has(text)) {
      if (text === '(' && makesRandom(tokens, index - 1)) return true;
      if (text === '{' && !/^[=(,:]$/.test(tokens[index - 1]?.text ?? '')) return false; // A block, not a value.
      otherArgument = false;
    } else if (text === ',') otherArgument = true;
    else if (text === ';') return false;
    else if (assigning.has(text) && !otherArgument) return namesSeedBefore(tokens, index);
  }
  return false;
}

const opening = new Set(['(', '[', '{']);
const closing = new Set([')', ']', '}']);
const assigning = new Set(['=', ':=', ':', '=>', '+=', '-=', '*=', '^=', '|=', '&=', '/=', '%=', '->']);

/** A line goes on below when it ends in something that wants more. */
const continues = (token: Token | undefined): boolean =>
  token?.kind === 'mark' && (opening.has(token.text) || /^[=,:+*\\-]$/.test(token.text));

/** The name to the left of `=` or `:`, past a type and out of brackets: `seed: int =`, `config["seed"] =`. */
function namesSeedBefore(tokens: readonly Token[], at: number): boolean {
  let start = at;
  let depth = 0;
  while (start > 0) {
    const { text, kind } = tokens[start - 1] as Token;
    if (closing.has(text)) depth += 1;
    else if (opening.has(text) && depth > 0) depth -= 1;
    else if (depth === 0 && (kind === 'line' || text === ',' || text === ';' || opening.has(text))) break;
    start -= 1;
  }
  if (isSecondTarget(tokens, start)) return false;
  const left = tokens.slice(start, at);
  const colon = left.findIndex(({ text }) => text === ':');
  const named = (colon > 0 ? left.slice(0, colon) : left).findLast(({ kind }) => kind === 'name' || kind === 'text');
  return named !== undefined && namesSeed(named.text.replace(/^["'`]|["'`]$/g, ''));
}

/** `rate, seed = 0.1, 42`: the names and the numbers would have to be counted, so it is not a clear case. */
function isSecondTarget(tokens: readonly Token[], start: number): boolean {
  if (tokens[start - 1]?.text !== ',') return false;
  const from = tokens.findLastIndex(({ kind }, index) => index < start && kind === 'line') + 1;
  return tokens.slice(from, start).every(({ kind, text }) => kind === 'name' || text === ',' || text === '.');
}

/** `seed`, `SEED`, `randomSeed`, `random_state`, `rng`, `SEEDS`; not `n_seeds`, which counts them, nor `seedling`. */
function namesSeed(name: string): boolean {
  const words = wordsOf(name);
  if (words.some((word) => counting.has(word))) return false;
  return words.some((word) => seedWords.has(word)) || words.join('_').endsWith('random_state');
}

/** What takes a seed in brackets without a name for it: `manual_seed(1)`, `srand(1)`, `Random(1)`, `mt19937 draw(1)`. */
function makesRandom(tokens: readonly Token[], at: number): boolean {
  const end = tokens[at]?.text === '!' ? at - 1 : at;
  const [type, callee] = [tokens[end - 1], tokens[end]];
  if (callee?.kind !== 'name') return false;
  return namesSeed(callee.text) || [type, callee].some((one) => one?.kind === 'name' && generators.test(one.text));
}

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);

const seedWords = new Set('seed seeds reseed seeded srand srandom rng prng rngs randomstate'.split(' '));
const counting = new Set('n num number count size len length max min per'.split(' '));
const generators =
  /^(Random|RandomState|SystemRandom|Generator|mt19937(_64)?|MersenneTwister|Mt19937|PCG64|Pcg(32|64)|Philox|SFC64|mulberry32|sfc32|xorshift\w*|splitmix(32|64)|seedrandom|NewSource|NewPCG|minstd_rand0?|default_random_engine|XorShift\w*|Xoshiro\w*)$/;

/** A piece of source text in any language: just enough of it to tell a number from its name. */
interface Token {
  readonly kind: 'number' | 'name' | 'text' | 'mark' | 'line';
  readonly text: string;
}

/**
 * Text as tokens, without blanks. A string that holds nothing but a number is a number; a sign belongs to the number
 * where it cannot be an operator. Linear in the length of the text, whatever it holds.
 */
function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  for (const [text] of source.matchAll(pieces)) {
    const last = tokens.at(-1);
    if (/^\s/.test(text)) {
      if (text.includes('\n') && last !== undefined && last.kind !== 'line') tokens.push({ kind: 'line', text: '\n' });
    } else if (/^[0-9]|^\.[0-9]/.test(text)) {
      if (last?.text === '-' && isNoOperand(tokens.at(-2))) tokens.pop();
      tokens.push({ kind: 'number', text: last !== undefined && tokens.at(-1) !== last ? `-${text}` : text });
    } else if (/^["'`]./.test(text)) {
      const inner = text.slice(1, -1);
      tokens.push(/^-?[0-9][\w.]*$/.test(inner) ? { kind: 'number', text: inner } : { kind: 'text', text });
    } else tokens.push({ kind: /^[\p{L}_$]/u.test(text) ? 'name' : 'mark', text });
  }
  return tokens;
}

const isNoOperand = (token: Token | undefined): boolean =>
  token === undefined || token.kind === 'line' || (token.kind === 'mark' && !/[)\]}]/.test(token.text));

const pieces = new RegExp(
  [
    String.raw`\s+`,
    String.raw`(?:0[xXbBoO][0-9a-fA-F_]+|[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9]+)?|\.[0-9][0-9_]*(?:[eE][+-]?[0-9]+)?)[\w]*`,
    String.raw`"(?:[^"\\\n]|\\.){0,500}"|'(?:[^'\\\n]|\\.){0,500}'`,
    '`(?:[^`\\\\\\n]|\\\\.){0,500}`',
    String.raw`[\p{L}_$][\p{L}\p{N}_$]*`,
    '[=!<>]=+|:=|->|=>|::|[-+*/%&|^~]=',
    '[^]',
  ].join('|'),
  'gu',
);
