// Follows imports from one file down, as a reader does who follows a call.
import path from 'node:path';

/** The longest chain of imports from `start`. Each link is a list of files: one file, or all that import each other in a circle. */
export function longestChain(sources, start) {
  const files = new Map(sources.map((source) => [source.file, source]));
  const below = new Map(sources.map((source) => [source.file, importsOf(source).filter((file) => files.has(file))]));
  const circles = circlesOf(below);
  const longest = new Map();
  const chainFrom = (circle) => {
    if (longest.has(circle)) return longest.get(circle);
    const next = new Set(circle.flatMap((file) => below.get(file).map((other) => circles.get(other))));
    next.delete(circle);
    const chains = [...next].map(chainFrom);
    const rest = chains.reduce((one, other) => (other.flat().length > one.flat().length ? other : one), []);
    longest.set(circle, [circle, ...rest]);
    return longest.get(circle);
  };
  return circles.has(start) ? chainFrom(circles.get(start)) : [];
}

/** The files of src/ that a file loads, at once or later with import(). Imports of types alone do not load anything. */
function importsOf({ file, text, code }) {
  const found = [];
  for (const { index, 0: words } of code.matchAll(/^(?:import|export)\b[^;'"]*['"]|\bimport\(\s*['"]/gm)) {
    const isOfTypes =
      /^(?:import|export) type\b/.test(words) || /^\w+ \{(?:\s*type \w+(?: as \w+)?,?)+\s*\}/.test(words);
    if (isOfTypes || /\btypeof\s*$/.test(code.slice(0, index))) continue;
    if (!/^import(?:\(| ['"])|\bfrom ['"]$/.test(words)) continue;
    const from = index + words.length;
    const name = text.slice(from, text.indexOf(text[from - 1], from));
    if (name.startsWith('.')) found.push(path.posix.join(path.posix.dirname(file), name));
  }
  return found;
}

/** For each file the list of those it can reach that can reach it (Tarjan's algorithm). */
function circlesOf(below) {
  const circles = new Map();
  const order = new Map();
  const lowest = new Map();
  const stack = [];
  const visit = (file) => {
    order.set(file, order.size);
    lowest.set(file, order.get(file));
    stack.push(file);
    for (const other of below.get(file)) {
      if (!order.has(other)) visit(other);
      if (!circles.has(other)) lowest.set(file, Math.min(lowest.get(file), lowest.get(other)));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const circle = stack.splice(stack.indexOf(file));
    for (const member of circle) circles.set(member, circle);
  };
  for (const file of below.keys()) if (!order.has(file)) visit(file);
  return circles;
}
