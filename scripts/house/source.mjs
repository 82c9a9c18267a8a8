// Reads the files of src/, and separates code from comments and strings.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Every source file below src/, by its path from there. In `code` comments and strings are blank, in `uncommented` comments alone. */
export function readSources(root) {
  const src = path.join(root, 'src');
  return readdirSync(src, { recursive: true })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .map((file) => file.replaceAll('\\', '/'))
    .sort()
    .map((file) => {
      const text = readFileSync(path.join(src, file), 'utf8');
      return { file, text, ...blankOut(text) };
    });
}

/** The line of a place in a text, counted from 1. */
export function lineAt(text, at) {
  return text.slice(0, at).split('\n').length;
}

const tokens = {
  comment: /\/\/.*|\/\*[\s\S]*?\*\//y,
  string: /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y,
  template: /[`}](?:[^\\`$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y,
  regex: /\/(?:[^\\/[\n]|\\.|\[(?:[^\\\]\n]|\\.)*\])+\/[a-z]*/y,
  word: /[\w$]+/y,
};

/** After one of these words a slash begins a regular expression. After any other word it divides. */
const beforeRegex = /^(return|typeof|case|of|in|await|yield|void|delete|else|do|new|throw)$/;

/** Blanks keep their length, so a place in the code is the same place in the text. Quotes stay; a `${…}` becomes (…). */
function blankOut(text) {
  const code = text.split('');
  const uncommented = text.split('');
  const braces = [];
  let last = '';
  let at = 0;
  const take = (kind) => {
    tokens[kind].lastIndex = at;
    return tokens[kind].exec(text)?.[0];
  };
  const blank = (chars, from, to) => {
    for (let i = from; i < to; i++) if (chars[i] !== '\n') chars[i] = ' ';
  };
  while (at < text.length) {
    const here = text[at];
    const comment = here === '/' ? take('comment') : undefined;
    const string = here === "'" || here === '"' ? take('string') : undefined;
    const template = here === '`' || (here === '}' && braces.pop() === '`') ? take('template') : undefined;
    const regex = here === '/' && (beforeRegex.test(last) || !/[\w$)\]'"`]$/.test(last)) ? take('regex') : undefined;
    const token = comment ?? template ?? string ?? regex ?? take('word') ?? here;
    const end = at + token.length;
    if (comment !== undefined) {
      blank(code, at, end);
      blank(uncommented, at, end);
    } else if (template !== undefined) {
      blank(code, at + 1, end - 1);
      if (here === '}') code[at] = ')';
      if (token.endsWith('${')) {
        code[end - 1] = '(';
        braces.push('`');
      }
    } else if (string !== undefined || regex !== undefined) blank(code, at + 1, end - 1);
    else if (here === '{') braces.push('{');
    if (comment === undefined && token.trim() !== '') last = token;
    at = end;
  }
  return { code: code.join(''), uncommented: uncommented.join('') };
}
