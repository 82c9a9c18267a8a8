// Stage 1: offers the items of every list to the sandbox's code, one at a time, and writes the packing to $ORGREPO_OUT.
// Nothing here is a score: score.mjs reads the packing in a place where the sandbox's code is not.
import { writeFileSync } from 'node:fs';
import { choose } from '../sandbox/pack.mjs';
import { capacity, makeLists, packingFile } from './instances.mjs';

const out = process.env.ORGREPO_OUT;
if (!out) throw new Error('ORGREPO_OUT is not set: it names the directory that the packing is written to');

for (const [number, sizes] of makeLists().entries()) {
  const bins = packList(sizes, number);
  writeFileSync(`${out}/${packingFile(number)}`, bins.map((items) => `${items.join(' ')}\n`).join(''));
}

/** The bins in the order they were opened, each with the numbers of its items. */
function packList(sizes, number) {
  const bins = [];
  // Bins with equal room are equivalent, so the sandbox chooses a room, and the bin that came to it last is taken.
  const binsByRoom = Array.from({ length: capacity + 1 }, () => []);
  const counts = new Uint16Array(capacity + 1);
  const shown = new Uint16Array(capacity + 1);
  for (let item = 0; item < sizes.length; item++) {
    const size = sizes[item];
    shown.set(counts); // A copy: what the sandbox does to it changes nothing here.
    const room = choose(size, shown);
    const fits = Number.isInteger(room) && room >= size && (room === capacity || counts[room] > 0);
    if (!fits) {
      throw new Error(
        `list ${number}, item ${item} of size ${size}: choose() returned ${describe(room)}, ` +
          `expected the room of an open bin that it fits, or ${capacity} for a new bin`,
      );
    }
    const bin = room === capacity ? bins.push([]) - 1 : binsByRoom[room].pop();
    if (room < capacity) counts[room] -= 1;
    bins[bin].push(item);
    const left = room - size;
    if (left > 0) {
      binsByRoom[left].push(bin);
      counts[left] += 1;
    }
  }
  return bins;
}

function describe(value) {
  return typeof value === 'number' ? String(value) : `a value of type ${typeof value}`;
}
