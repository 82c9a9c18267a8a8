/** Whose field a text is about: the words of a domain such as `infrastructure-security`, found in titles and texts. */

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
