// Online bin packing: items come one at a time, and each goes to the bin that scores highest.
// As it stands this is best fit: the less room is left, the better, and nothing else counts.

// What it is worth to leave a gap, for each gap from 0 to 9 ...
const near = [
  100, // gap 0
  99, // gap 1
  98, // gap 2
  97, // gap 3
  96, // gap 4
  95, // gap 5
  94, // gap 6
  93, // gap 7
  92, // gap 8
  91, // gap 9
];

// ... and for every fifth gap from 10 on, with straight lines between.
const far = [
  90, // gap 10
  85, // gap 15
  80, // gap 20
  75, // gap 25
  70, // gap 30
  65, // gap 35
  60, // gap 40
  55, // gap 45
  50, // gap 50
  45, // gap 55
  40, // gap 60
  35, // gap 65
  30, // gap 70
  25, // gap 75
  20, // gap 80
  15, // gap 85
  10, // gap 90
  5, // gap 95
  0, // gap 100
];

// What each open bin adds that already has the gap to be left.
const company = 0;

// What each open bin adds that has the same room as the one to be taken.
const siblings = 0;

const worth = [...near];
for (let gap = near.length; gap <= 100; gap++) worth.push(between(gap));

function between(gap) {
  const place = (gap - 10) / 5;
  const left = far[Math.floor(place)];
  const right = far[Math.ceil(place)];
  return left + (right - left) * (place % 1);
}

// `open[room]` is how many open bins have that much room left; full bins are not open.
// The answer is the room of the bin to use: one that is open and fits, or 100, which is a new bin.
export function choose(item, open) {
  let best = open.length - 1;
  let highest = -Infinity;
  for (let room = item; room <= 100; room++) {
    if (open[room] === 0 && room < 100) continue;
    const gap = room - item;
    const score = worth[gap] + company * open[gap] + siblings * open[room];
    if (score > highest) {
      best = room;
      highest = score;
    }
  }
  return best;
}
