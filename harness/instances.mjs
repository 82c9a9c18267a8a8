// The lists of items to pack: new draws, made here from a seed, so that nothing need be downloaded or kept.
// Ten lists come in one sequence. Which of them are public is known to score.mjs alone.

export const capacity = 100;

const seed = 2023;
const listCount = 10;
const itemsPerList = 5000;
const scale = 45; // Of a Weibull distribution whose shape is 3, which is why sizes are drawn with a cube root.

/** Ten lists of 5,000 item sizes, whole numbers from 1 to the capacity; the same ones at every call. */
export function makeLists() {
  const random = randomFrom(seed);
  const lists = Array.from({ length: listCount }, () => new Uint8Array(itemsPerList));
  for (const sizes of lists) for (let item = 0; item < itemsPerList; item++) sizes[item] = drawSize(random);
  return lists;
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

/** Where the packing of a list stands below $ORGREPO_OUT: one line for each bin, the numbers of its items, from 0. */
export const packingFile = (list) => `list-${String(list).padStart(2, '0')}.txt`;
