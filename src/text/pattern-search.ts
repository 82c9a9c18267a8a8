/** The text between the first parentheses of a match; undefined where the match went around them. */
type Found = string | undefined;

/** One character, a choice, a jump, a mark of the capture, a condition on the place, or the end of a match. */
export type PatternStep =
  | { readonly kind: 'one'; readonly accepts: (code: number) => boolean }
  | { readonly kind: 'split'; readonly first: number; readonly second: number }
  | { readonly kind: 'mark'; readonly isEnd: boolean }
  | { readonly kind: 'place'; readonly holds: (text: string, at: number) => boolean }
  | { readonly kind: 'done' };

/** How much may still be walked; what is left of it is for the next text. */
export interface Patience {
  steps: number;
}

/** The matches in one text that do not overlap, the leftmost first, at most so many. Stops where its patience is at an end. */
export function findIn(
  { steps }: { readonly steps: readonly PatternStep[] },
  text: string,
  patience: Patience,
  most: number,
): readonly Found[] {
  const found: Found[] = [];
  for (let from = 0; from <= text.length && found.length < most && patience.steps > 0; ) {
    const match = firstMatch(steps, text, from, patience);
    if (match === undefined) break;
    found.push(match.from === none || match.to === none ? undefined : text.slice(match.from, match.to));
    from = match.end > match.start ? match.end : match.end + 1;
  }
  return found;
}

/** A way through the pattern that is still open: the step it waits at, where it began, and where its capture began and ended. */
interface Way {
  readonly at: number;
  readonly start: number;
  readonly from: number;
  readonly to: number;
}

/** Ways stand in the order of what the pattern would rather have, so a match ends all that come after it. */
function firstMatch(steps: readonly PatternStep[], text: string, begin: number, patience: Patience) {
  const seen = new Int32Array(steps.length).fill(-1);
  let match: (Way & { readonly end: number }) | undefined;
  let [ways, next]: [Way[], Way[]] = [[], []];
  let place = begin; // Where the ways in `next` stand.
  const enter = (at: number, start: number, from: number, to: number): void => {
    if (seen[at] === place) return;
    seen[at] = place;
    patience.steps -= 1;
    const step = steps[at] as PatternStep;
    if (step.kind === 'one' || step.kind === 'done') next.push({ at, start, from, to });
    else if (step.kind === 'split') {
      enter(step.first, start, from, to);
      enter(step.second, start, from, to);
    } else if (step.kind === 'mark') enter(at + 1, start, step.isEnd ? from : place, step.isEnd ? place : none);
    else if (step.holds(text, place)) enter(at + 1, start, from, to);
  };
  for (let here = begin; here <= text.length && patience.steps > 0; here++) {
    if (match === undefined) enter(0, here, none, none);
    [ways, next] = [next, []];
    place = here + 1;
    for (const way of ways) {
      const step = steps[way.at] as PatternStep;
      if (step.kind === 'done') {
        match = { ...way, end: here };
        break;
      }
      if (here < text.length && step.kind === 'one' && step.accepts(text.charCodeAt(here)))
        enter(way.at + 1, way.start, way.from, way.to);
    }
    if (next.length === 0 && match !== undefined) break;
  }
  return match;
}

/** No place in a text. */
const none = -1;
