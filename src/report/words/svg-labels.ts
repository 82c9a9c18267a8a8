import { widthOf } from '../../terminal/look.ts';

/** A dot that would like its words beside it. */
interface WantedLabel {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  /** The more it gained, the sooner it is served. */
  readonly weight: number;
}

export interface Label extends Omit<WantedLabel, 'weight'> {
  readonly anchor: 'start' | 'end';
}

export type Box = Readonly<Record<'left' | 'right' | 'top' | 'bottom', number>>;

/** Labels that cover neither each other nor any of the taken boxes and stay inside the frame; the rest goes unlabelled. */
export function placeLabels(
  wanted: readonly WantedLabel[],
  taken: readonly Box[],
  frame: Box,
  better: 'down' | 'up',
): readonly Label[] {
  const boxes = [...taken];
  const labels: Label[] = [];
  const byWeight = [...wanted].sort((a, b) => b.weight - a.weight).slice(0, mostLabels);
  for (const one of byWeight) {
    const label = placesFor(one, better).find((place) => {
      const box = boxOf(place);
      return inside(box, frame) && !boxes.some((other) => overlap(box, other));
    });
    if (label === undefined) continue;
    labels.push(label);
    boxes.push(boxOf(label));
  }
  return labels.sort((a, b) => a.x - b.x);
}

/** More would never find room, and each is compared with all the others. */
const mostLabels = 60;
const charWidth = 6.1;
const lineHeight = 13;

/** Nothing that was tried lies on the better side of the line, and before the dot the line is on the worse side. */
function placesFor({ x, y, text }: WantedLabel, better: 'down' | 'up'): readonly Label[] {
  const at = (offset: number): number => (better === 'down' ? y + offset : y - offset + 8);
  return [
    { x: x - 6, y: at(16), text, anchor: 'end' },
    { x: x + 6, y: at(16), text, anchor: 'start' },
    { x: x - 6, y: at(30), text, anchor: 'end' },
    { x: x + 7, y: at(-8), text, anchor: 'start' },
    { x: x + 6, y: at(30), text, anchor: 'start' },
    { x: x + 7, y: at(-22), text, anchor: 'start' },
  ];
}

function boxOf({ x, y, text, anchor }: Label): Box {
  const width = widthOf(text) * charWidth;
  const left = anchor === 'start' ? x : x - width;
  return { left: left - 3, right: left + width + 3, top: y - lineHeight + 2, bottom: y + 3 };
}

const inside = (box: Box, frame: Box): boolean =>
  box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom;

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
