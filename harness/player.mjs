// The only process that the sandbox's code is in. start-player.mjs gives it the files of the sandbox and two pipes, and
// nothing else: the next item of every list comes in, and no more of them before the answers are out. So whatever the
// sandbox's code does here, to this file's variables too, it can only decide on what it has seen.
import { readSync, writeSync } from 'node:fs';
import { choose } from '../sandbox/pack.mjs';

const capacity = 100; // Not from instances.mjs, which is out of reach here.
const listCount = Number(process.argv[2]);

const sizes = new Uint8Array(listCount);
const rooms = new Uint8Array(listCount);
/** How many open bins there are of each room, for each list. */
const counts = Array.from({ length: listCount }, () => new Uint16Array(capacity + 1));
const shown = new Uint16Array(capacity + 1);

for (let item = 0; readSync(0, sizes) === listCount; item++) {
  for (let list = 0; list < listCount; list++) rooms[list] = place(sizes[list], counts[list], item);
  writeSync(1, rooms);
}

/** score.mjs checks every answer again, and is the one that counts; here a mistake is told to whoever made it. */
function place(size, count, item) {
  shown.set(count); // A copy: a rule that writes to it by mistake does not spoil its next answers.
  const room = choose(size, shown);
  const fits = Number.isInteger(room) && room >= size && (room === capacity || count[room] > 0);
  if (!fits) {
    throw new Error(
      `item ${item} of size ${size}: choose() returned ${describe(room)}, ` +
        `expected the room of an open bin that it fits, or ${capacity} for a new bin`,
    );
  }
  if (room < capacity) count[room] -= 1;
  if (room > size) count[room - size] += 1;
  return room;
}

function describe(value) {
  return typeof value === 'number' ? String(value) : `a value of type ${typeof value}`;
}
