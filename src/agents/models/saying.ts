/**
 * What a provider says when it does not answer. Nobody promises its form, so every field is looked for and none is
 * counted on.
 */
export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

export function readSaying(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // A page of a proxy, or half of something.
  }
}

/** An error in the middle of a stream: two SDKs carry what was said as an object, the third inside its message. */
export function sayingOf(error: unknown): unknown {
  const carried = field(error, 'error');
  if (carried !== undefined) return carried;
  const message = field(error, 'message');
  return typeof message === 'string' ? readSaying(message.slice(Math.max(0, message.indexOf('{')))) : undefined;
}

/** The object that tells what is wrong: most wrap it in `error`, Google may put it into a list, one SDK unwraps it. */
export function errorIn(said: unknown): unknown {
  const one = Array.isArray(said) ? said[0] : said;
  const inner = field(one, 'error');
  return typeof inner === 'object' && inner !== null ? inner : one;
}

/** Every name that the provider has for what is wrong. */
export function codesOf(said: unknown): readonly string[] {
  const error = errorIn(said);
  const details = field(error, 'details');
  const reasons = Array.isArray(details) ? details.map((detail) => field(detail, 'reason')) : [];
  return [field(error, 'code'), field(error, 'type'), field(error, 'status'), ...reasons].filter(
    (code) => typeof code === 'string',
  );
}

/** What it says to people; some servers of one's own say `{"error": "…"}` and no more. */
export function wordsOf(said: unknown): string | undefined {
  const words = [field(errorIn(said), 'message'), field(said, 'error'), field(said, 'message')];
  return words.find((each) => typeof each === 'string' && each !== '') as string | undefined;
}
