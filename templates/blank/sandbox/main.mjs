// The only file here that agents may change. For your own project: put your code in its place.

const room = 25;
const poured = 75;
const rate = 0.03;

/** How warm a cup of tea is, in degrees, some minutes after it was poured. */
export function temperatureAfter(minutes) {
  return room + (poured - room) * Math.exp(-rate * minutes);
}
