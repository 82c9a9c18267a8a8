/** How a language writes comments, as far as a file's name tells. */
export type CommentFamily = 'slash' | 'hash' | 'plain';

/**
 * The text with the insides of comments, strings and import lines blanked, so that what is left is code.
 * Every character keeps its place. It is a guess from the file's name, and a wrong guess only hides or shows a few sites.
 */
export function maskText(path: string, text: string): string {
  const hidden = path.endsWith('.rs') ? hiddenInRust : hiddenIn[familyOf(path)];
  return text.replace(hidden, blankInside).replace(importLine, blankAll);
}

export function familyOf(path: string): CommentFamily {
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

const hiddenIn: Readonly<Record<CommentFamily, RegExp>> = {
  slash: either(slashComment, doubleQuoted, singleQuoted, /`(?:\\.|[^`\\])*`?/, pattern),
  hash: either(/"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)/, hashComment, doubleQuoted, singleQuoted),
  // An apostrophe in a text or in YAML is no quotation mark unless its partner stands on the same line.
  plain: either(hashComment, /\/\/(?<!\S\/\/)[^\n]*/, /"(?:\\.|[^"\\\n])*"/, /'(?<!\w')[^'\n]*'(?!\w)/),
};

// A lone apostrophe is a lifetime.
const hiddenInRust = either(slashComment, doubleQuoted, /'(?:\\.|[^'\\\n])'/);

const importLine = /^[ \t]*(?:(?:import|from|require|package|use)[ \t]+[\w"'{*<.@]|#[ \t]*include\b|@import\b).*$/gm;

function either(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map((one) => one.source).join('|'), 'g');
}

/** A string keeps its quotation marks, so that a quoted name before a colon can still be told. */
function blankInside(found: string): string {
  const mark = found.charAt(0);
  if (mark !== '"' && mark !== "'") return blankAll(found);
  return found.length < 3 ? found : mark + blankAll(found.slice(1, -1)) + found.charAt(found.length - 1);
}

function blankAll(found: string): string {
  return found.replace(/[^\n]/g, ' ');
}
