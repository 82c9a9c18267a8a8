import type { Draft } from '../words/spec.ts';

/** The domain that a text is about: words such as `infrastructure-security`, found in titles and texts. */

/** How clearly a text is about a domain: 0 not at all, then one word of it in the title, all of them somewhere, all in the title. */
type Clarity = 0 | 1 | 2 | 3;

export function clarityOf(domain: string, { title, body }: { readonly title: string; readonly body: string }): Clarity {
  const words = wordsOf(domain);
  if (words.size === 0) return 0;
  const inTitle = wordsOf(title);
  const has = (word: string): boolean => inTitle.has(word);
  if ([...words].every(has)) return 3;
  const all = new Set([...inTitle, ...wordsOf(body)]);
  if ([...words].every((word) => all.has(word))) return 2;
  return [...words].some((word) => word.length > 2 && has(word)) ? 1 : 0;
}

/** Whether two people mean the same domain: `Visual Design`, `visual-design`. */
export const isSameField = (a: string, b: string): boolean => {
  const [one, other] = [a, b].map((text) => [...wordsOf(text)].join(' '));
  return one !== '' && one === other;
};

/** The words of a text in their bare form, so that `tests` are about `testing` and `caches` about `caching`. */
const wordsOf = (text: string): ReadonlySet<string> =>
  new Set((text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map(bare));

const bare = (word: string): string =>
  word
    .replace(/(?<=..[^s])s$/, '')
    .replace(/(?<=....)ing$/, '')
    .replace(/(?<=....)e$/, '');

/** What a spec says it will come to, on one line; undefined where it says nothing of it. */
export const predictionIn = (draft: Draft): string | undefined => partsOf(draft).get('Prediction');

/** What a spec of a chief must say before anybody works it: without these nobody could tell whether it was right. */
const parts = [
  { name: 'Hypothesis', also: '', says: 'why it should make the number better' },
  { name: 'Prediction', also: '|Predicted effect', says: 'by how much, as a number of the metric' },
  { name: 'Control', also: '', says: 'what it is compared with' },
  { name: 'Held fixed', also: '|What is held fixed', says: 'what must not change' },
  { name: 'Wrong if', also: '|Falsified if|Proved wrong if', says: 'what result would prove the hypothesis wrong' },
] as const;

type Part = (typeof parts)[number]['name'];

/** Why a chief's spec is not put on the queue, in words that it can act on; none when it may be. */
export function objectionsTo(draft: Draft, earlier: readonly Draft[]): readonly string[] {
  const said = partsOf(draft);
  const missing = parts
    .filter(({ name }) => !/[\p{L}\p{N}]/u.test(said.get(name) ?? ''))
    .map(({ name, says }) => `it has no "${name}:" (${says})`);
  const vague = missing.length === 0 && !/\d/.test(said.get('Prediction') ?? '');
  const twin = earlier.find((other) => isSameIdea(ideaOf(draft), ideaOf(other)));
  return [
    ...missing,
    ...(vague ? ['its prediction has no number'] : []),
    ...(twin === undefined ? [] : [`it repeats ${'id' in twin ? `${twin.id} ` : ''}"${twin.title}"`]),
  ];
}

/** What makes a spec the same as another, whatever the case, the spaces and the marks. */
interface Idea {
  readonly title: string;
  /** Its hypothesis with its prediction; empty where it has neither. */
  readonly claim: string;
}

const isSameIdea = (one: Idea, other: Idea): boolean =>
  one.title === other.title || (one.claim !== '' && one.claim === other.claim);

/** A night compares each new spec with all that came before: those are read once. */
const ideas = new WeakMap<Draft, Idea>();

function ideaOf(draft: Draft): Idea {
  const known = ideas.get(draft);
  if (known !== undefined) return known;
  const said = partsOf(draft);
  const claim = `${said.get('Hypothesis') ?? ''} ${said.get('Prediction') ?? ''}`;
  const idea = { title: withoutSigns(draft.title), claim: withoutSigns(claim) };
  ideas.set(draft, idea);
  return idea;
}

const withoutSigns = (text: string): string => (text.toLowerCase().match(/[\p{L}\p{N}.%-]+/gu) ?? []).join(' ');

/** What stands behind `Hypothesis:` up to the next part, or below a heading of that name; and so with the others. */
function partsOf({ body }: Draft): ReadonlyMap<Part, string> {
  const found = new Map<Part, string[]>();
  let current: Part | undefined;
  for (const line of body.split('\n')) {
    const begins = beginningOf(line);
    if (begins !== undefined) current = begins.part;
    const text = (begins?.rest ?? line).trim();
    if (current === undefined) continue;
    const lines = found.get(current) ?? [];
    if (text !== '') {
      lines.push(text);
      found.set(current, lines);
    } else if (begins === undefined && lines.length > 0) current = undefined; // A blank line below what it says ends it.
  }
  return new Map([...found].map(([part, lines]) => [part, lines.join(' ')]));
}

/** `Control: …`, `**Control:** …`, `- control - …`, `## Control`. */
const marks = parts.map(({ name, also }) => ({
  part: name,
  mark: new RegExp(
    `^\\s*(?:[-*+]\\s+|\\d+[.)]\\s+|#{1,6}\\s+)?[*_]{0,2}(?:${name}${also})[*_]{0,2}\\s*(?::|-|–|—|$)`,
    'i',
  ),
}));

/** The part that a line begins, and the rest of the line. */
function beginningOf(line: string): { readonly part: Part; readonly rest: string } | undefined {
  for (const { part, mark } of marks) {
    const [begins] = mark.exec(line) ?? [];
    if (begins !== undefined) return { part, rest: line.slice(begins.length).replace(/^[*_]{1,2}/, '') };
  }
  return undefined;
}
