import type { WhyLeft, WinPlace } from '../../domain/words/taken.ts';

/** Where a win is, in words: `on best`, `not on best any more, replaced by #60`, or why it never was. */
export function placeWords(place: WinPlace, n: number): string {
  if (place.kind === 'on best') return place.as === n ? 'on best' : `on best, as #${place.as}`;
  if (place.kind === 'replaced') return `not on best any more, replaced by #${place.by}`;
  const by = place.by === undefined || place.by === n ? '' : ` (#${place.by})`;
  return `not on best: ${whyWords[place.why]}${by}`;
}

export const whyWords: Readonly<Record<WhyLeft, string>> = {
  merge: 'its merge was worse',
  best: 'best is better',
  waits: 'waits for a person',
  rejected: 'rejected',
  open: 'best has not moved to it yet, or was started over',
};

/** For a program: whether it is on best, and what took its place. */
export const takenJson = (place: WinPlace | undefined): Record<string, unknown> => ({
  taken: place?.kind === 'on best',
  ...(place?.kind === 'replaced' ? { replaced_by: place.by } : {}),
});
