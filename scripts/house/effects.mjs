// Says why a function does more than answer a question.

const path = String.raw`((?:!?\??\.[\w$]+|!?\[[^\]]*\])*)`;
const name = String.raw`(?<![\w$.])([\w$]+)`;
/** Each finds a name that is written to, and the way from there: `night.desk.seen.add(…)` is `night` and `.desk.seen`. */
const writes = [
  new RegExp(String.raw`${name}${path}\s*(?:[-+*/%&|^]|\*\*|<<|>>>?|\?\?|&&|\|\|)?=(?![=>])`, 'g'),
  new RegExp(String.raw`${name}${path}(?:\+\+|--)`, 'g'),
  new RegExp(String.raw`(?:\+\+|--)([\w$]+)${path}`, 'g'),
];
const fills = new RegExp(String.raw`${name}${path}!?\??\.(set|add|delete|push|splice)\(`, 'g');

/** What one function of a file does besides answering. A change to what the function itself has made does not count. */
export function effectsOf(asked, { functions, untyped }) {
  const body = untyped.slice(...asked.body);
  const reasons = [];
  if (asked.isAsync) reasons.push('is async');
  else if (asked.result.startsWith('Promise<')) reasons.push('returns a promise');
  else if (/\bawait\b/.test(body)) reasons.push('waits');
  const inside = functions.filter(({ at }) => at >= asked.body[0] && at < asked.body[1]);
  const declared = new Set([asked, ...inside].flatMap(({ params }) => params.flatMap(({ names }) => names)));
  const made = new Set();
  for (const [, single, pattern] of body.matchAll(
    /\b(?:const|let|var)\s+(?:([\w$]+)|([{[][^;]*?[}\]]):?\s+(?:=|of)\s)/g,
  ))
    for (const word of single === undefined ? pattern.match(/[\w$]+/g) : [single]) declared.add(word);
  // A short name for a part of something else, as in `const { desk } = night`, is not made here.
  for (const [, own] of body.matchAll(/\b(?:const|let|var)\s+([\w$]+)\s*:?\s*(?:;|=\s*(?![\w$.?!]+;))/g)) made.add(own);
  for (const pattern of writes)
    for (const [, root, way] of body.matchAll(pattern))
      if (!(way === '' ? declared : made).has(root)) reasons.push(`changes ${root}${way}`);
  for (const [, root, way, how] of body.matchAll(fills))
    if (!made.has(root)) reasons.push(`calls ${root}${way}.${how}`);
  if (/\bsay\(/.test(body)) reasons.push('says something');
  return reasons;
}
