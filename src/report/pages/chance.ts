/**
 * How likely it is that at least `hits` of `drawn` balls are red by luck alone, when `red` of `all` are. It keeps the
 * report from calling something a lesson that a shuffled notebook would show as well.
 */
export function chanceOfAtLeast(hits: number, drawn: number, red: number, all: number): number {
  let chance = 0;
  for (let count = hits; count <= Math.min(drawn, red); count++) {
    if (drawn - count > all - red) continue;
    chance += Math.exp(logChoose(red, count) + logChoose(all - red, drawn - count) - logChoose(all, drawn));
  }
  return Math.min(1, chance);
}

function logChoose(from: number, take: number): number {
  let sum = 0;
  for (let index = 1; index <= Math.min(take, from - take); index++) sum += Math.log((from - index + 1) / index);
  return sum;
}
