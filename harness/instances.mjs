// The lists of items to pack: draws of our own, made here from seeds, so that nothing need be downloaded or kept.
// Ten lists are always the same ones. Which of them are public is known to score.mjs alone. The others are new every time.
import { createHash, pbkdf2Sync } from 'node:crypto';

export const capacity = 100;
export const itemsPerList = 5000;

const knownSeed = 2023;
const knownCount = 10;
const freshCount = 4;
export const listCount = knownCount + freshCount;
const scale = 45; // Of a Weibull distribution whose shape is 3, which is why sizes are drawn with a cube root.

/** The lists that scores are about, each of 5,000 sizes, whole numbers from 1 to the capacity; the same ones at every call. */
export function makeKnownLists() {
  const random = randomFrom(knownSeed);
  return Array.from({ length: knownCount }, () => drawList(random));
}

/**
 * Lists that nobody has seen. Whoever edits the sandbox may read this file and bring the known lists along; the seed of
 * these is orgrepo's secret until a measurement begins. It has only 31 bits, so it is stretched before it is used: from the first
 * items alone, a rule cannot find out in its twenty seconds which of two thousand million seeds was meant.
 */
export function makeFreshLists(seed) {
  const key = pbkdf2Sync(String(seed), 'lists that nobody has seen', 1000, 32, 'sha256');
  const draws = createHash('shake256', { outputLength: freshCount * itemsPerList * 4 })
    .update(key)
    .digest();
  let next = 0;
  const random = () => draws.readUInt32LE(4 * next++) / 2 ** 32;
  return Array.from({ length: freshCount }, () => drawList(random));
}

function drawList(random) {
  const sizes = new Uint8Array(itemsPerList);
  for (let item = 0; item < itemsPerList; item++) sizes[item] = drawSize(random);
  return sizes;
}

/** Weibull by inversion. Rounded down, which gives the published lists' mean of about 39.7; to the nearest gives 40.2. */
function drawSize(random) {
  const size = Math.floor(scale * Math.cbrt(-Math.log(1 - random())));
  return Math.min(capacity, Math.max(1, size));
}

function randomFrom(start) {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** What stage 1 leaves below $ORGREPO_OUT: a byte for each answer, the room that was chosen; turn by turn, and in each list by list. */
export const answersFile = 'rooms.bin';
