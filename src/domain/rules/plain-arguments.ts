const mostArguments = 200;
const mostDepth = 8;
const mostName = 200;
const mostText = 4_000;

/**
 * The arguments of a tool as a policy can look at them: flat, by name. `texts` has every text, number and yes or no as text, such
 * as `customer.country` and `items.0`, `numbers` those that are numbers, or texts that say one. `cut` is true when a text was
 * longer than is looked at, and `unfit` is why nobody could say what all of it is. Two that would have one name, and more than anybody could look at, make all of it unfit: who
 * chooses the arguments must not choose which of them are seen.
 */
export function plainArguments(input: Readonly<Record<string, unknown>>) {
  const texts = new Map<string, string>();
  const numbers = new Map<string, number>();
  let [cut, unfit] = [false, undefined as string | undefined];
  const walk = (value: unknown, name: string, depth: number): void => {
    if (unfit !== undefined || value === null || value === undefined) return;
    if (depth > mostDepth) unfit = `its arguments are nested more than ${mostDepth} deep`;
    else if (typeof value === 'object')
      for (const [key, inner] of Object.entries(value)) walk(inner, name === '' ? key : `${name}.${key}`, depth + 1);
    else if (texts.has(name)) unfit = 'two of its arguments have the same name';
    else if (name.length > mostName || texts.size >= mostArguments)
      unfit = `it has more than ${mostArguments} arguments, or one with a name longer than ${mostName} characters`;
    else {
      const short = cutText(String(value));
      texts.set(name, short.text);
      cut ||= short.cut;
      const number = numberIn(value);
      if (number !== undefined) numbers.set(name, number);
    }
  };
  walk(input, '', 0);
  return { texts: Object.fromEntries(texts), numbers: Object.fromEntries(numbers), cut, unfit };
}

/** A text that says a number counts as one: an amount in quotes is the same amount. */
function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

export function cutText(text: string): { readonly text: string; readonly cut: boolean } {
  if (text.length <= mostText) return { text, cut: false };
  return { text: text.slice(0, mostText).replace(/[\ud800-\udbff]$/, ''), cut: true }; // No half of an emoji.
}

/** The same value with every text in it, names too, put through `map`. */
export function mapTexts<T>(value: T, map: (text: string) => string): T;
export function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((one: unknown) => mapTexts(one, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [map(key), mapTexts(inner, map)]));
}
