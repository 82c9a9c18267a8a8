// Finds the functions of a file: their names, parameters, results and bodies. It relies on the formatter's spaces:
// `a < b` compares, and `a<b>` has a type in it.

/**
 * The functions of blanked code in the order of their source, and the code without its types. A function type is not a function.
 * A function has a `name` ('' without one), `at`, `isAsync`, `params` of { names, type }, the type `result`, and `body` as [from, to].
 */
export function functionsIn(code) {
  const { closes, opens } = pairsOf(code);
  const find = reader(code, closes);
  const isType = new Uint8Array(code.length);
  const mark = (from, to) => isType.fill(1, from, to);
  for (const { index, 0: start } of code.matchAll(/\binterface [^{]*\{/g))
    mark(index, closes.get(index + start.length - 1));
  for (const { index, 0: start } of code.matchAll(/\btype \w+/g)) {
    const nameEnd = index + start.length;
    const equals = find.next(code[nameEnd] === '<' ? closes.get(nameEnd) + 1 : nameEnd);
    if (code[equals] === '=') mark(index, find.typeEnd(equals + 1));
  }
  for (const { index, 0: start } of code.matchAll(/\b(?:const|let) [\w$]+:|\b(?:as|satisfies) (?!const\b)/g))
    mark(index + start.length, find.typeEnd(index + start.length));
  for (const [open, close] of closes) if (code[open] === '<') mark(open, close + 1);

  const functions = [];
  for (const { index: open } of code.matchAll(/\(/g)) {
    if (isType[open] === 1) continue;
    const start = code[open - 1] === '>' ? (opens.get(open - 1) ?? open) : open;
    const head = namedBefore(code, isType, start);
    if (head === undefined) continue;
    const params = find.params(open);
    if (params === undefined) continue;
    const close = closes.get(open);
    const colon = find.next(close + 1);
    const after = code[colon] === ':' ? find.next(find.typeEnd(colon + 1)) : colon;
    const isArrow = head.kind === 'arrow' && code.startsWith('=>', after);
    if (head.kind === 'arrow' ? !isArrow : head.kind === 'method' && code[after] !== '{') continue;
    for (const { from, to } of params) mark(from, to);
    if (after > colon) mark(colon, after);
    if (!isArrow && code[after] !== '{') continue; // Only the signature of an overload.
    const from = isArrow ? find.next(after + 2) : after;
    const to = code[from] === '{' ? closes.get(from) + 1 : find.end(from);
    const result = code.slice(colon + 1, after).trim();
    functions.push({ name: head.name, at: open, isAsync: head.isAsync, params, result, body: [from, to] });
  }
  return { functions, untyped: blankTypes(code, isType, 0, code.length) };
}

function blankTypes(code, isType, from, to) {
  let text = '';
  for (let at = from; at < to; at++) text += isType[at] === 1 ? ' ' : code[at];
  return text;
}

/** Which kind of function may have its parameters in the bracket at this place, and its name. Undefined after a call. */
function namedBefore(code, isType, start) {
  const before = blankTypes(code, isType, Math.max(0, start - 400), start);
  const declared = /\b(async )?function\s*\*?\s*([\w$]*)$/.exec(before);
  if (declared) return { kind: 'function', name: declared[2], isAsync: declared[1] !== undefined };
  const method = /(?:^|[{};,])\s*((?:(?:async|static|private|override|get|set)\s+)*)\*?([\w$]+)$/.exec(before);
  if (method && !/^(async|if|for|while|switch|catch|with|return|await)$/.test(method[2]))
    return { kind: 'method', name: method[2], isAsync: method[1].includes('async') };
  const isAsync = /\basync\s*$/.test(before);
  if (/[\w$)\]]$/.test(before) && !isAsync) return undefined;
  const given = /([\w$]+)\s*(?::\s*=|=|:)\s*(?:async\s*)?$/.exec(before);
  return { kind: 'arrow', name: given?.[1] ?? '', isAsync };
}

/** Which bracket closes which, including the angle brackets of type arguments. */
function pairsOf(code) {
  const closes = new Map();
  const opens = new Map();
  const stack = [];
  for (let at = 0; at < code.length; at++) {
    const here = code[at];
    const isAngle = here === '<' && /[\w$({['">-]/.test(code[at + 1]) && code[at - 1] !== '<';
    if ('([{'.includes(here) || isAngle) stack.push(at);
    else if (')]}'.includes(here) || (here === '>' && code[stack.at(-1)] === '<' && code[at - 1] !== '=')) {
      const open = stack.pop();
      closes.set(open, at);
      opens.set(at, open);
    }
  }
  return { closes, opens };
}

/** Reads types and parameters. Each function takes the place where something begins and gives the place after it. */
function reader(code, closes) {
  const match = (pattern, at) => {
    pattern.lastIndex = at;
    return pattern.exec(code)?.[0].length ?? 0;
  };
  const next = (at) => at + match(/\s+/y, at);
  const pastBracket = (at) => (closes.has(at) ? closes.get(at) + 1 : undefined);

  /** The end of an expression: the bracket, comma or semicolon behind it. */
  const end = (at) => {
    let here = at;
    while (here < code.length && !/[,;)\]}]/.test(code[here])) here = pastBracket(here) ?? here + 1;
    return here;
  };

  const typeEnd = (begin) => {
    let at = begin;
    let isConditional = false;
    for (;;) {
      at = next(at);
      at = next(at + match(/[|&](?![|&])/y, at));
      at += match(/(?:(?:keyof|typeof|readonly|infer|asserts|new|unique)\s+)*/y, at);
      if (code[at] === '<') at = pastBracket(at);
      const isFunction = code[at] === '(' && match(/\(\s*(?:\)|\.\.\.|[{[]|[\w$]+\??\s*[:,)])/y, at) > 0;
      const arrow = isFunction ? next(pastBracket(at)) : at;
      if (code.startsWith('=>', arrow)) {
        at = arrow + 2;
        continue;
      }
      at = pastBracket(at) ?? at + match(/'[^'\n]*'|`[^`\n]*`|-?[\w$.]+/y, at);
      while (code[at] === '<' || code[at] === '[') at = pastBracket(at) ?? at + 1;
      const on = next(at);
      const link = match(/[|&](?![|&])|is\s|extends\s/y, on) || (isConditional ? match(/[?:]\s/y, on) : 0);
      if (link === 0) return at;
      isConditional ||= code.startsWith('extends', on);
      at = on + link;
    }
  };

  /** The parameters in a bracket, or undefined where it holds something else. */
  const params = (open) => {
    const found = [];
    let at = next(open + 1);
    while (at < closes.get(open)) {
      at += match(/\.\.\./y, at);
      const nameEnd = pastBracket(at) ?? at + match(/[\w$]+/y, at);
      const names = code.slice(at, nameEnd).match(/[\w$]+/g) ?? [];
      const from = next(nameEnd + match(/\?/y, nameEnd));
      const to = code[from] === ':' ? typeEnd(from + 1) : from;
      found.push({ names, type: code.slice(from + 1, to).trim(), from, to });
      at = next(to);
      if (code[at] === '=' && code[at + 1] !== '=') at = next(end(at));
      if (names.length === 0 || (code[at] !== ',' && at !== closes.get(open))) return undefined;
      if (code[at] === ',') at = next(at + 1);
    }
    return found;
  };
  return { next, end, typeEnd, params };
}
