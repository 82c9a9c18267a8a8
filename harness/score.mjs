// Stage 2: checks the packing in $ORGREPO_OUT exactly and prints its numbers. It never sees the sandbox's code.
import { lstatSync, readFileSync } from 'node:fs';
import { capacity, makeLists, packingFile } from './instances.mjs';

// The sandbox's code packs all ten and cannot tell which these are, so it cannot be good at the others alone.
const heldOut = new Set([0, 3, 4, 7, 9]);
// 5,000 item numbers take 24 kB; whatever is larger is no packing and is not read.
const largestFile = 64 * 1024;

try {
  const lines = measure();
  process.stdout.write(`${lines.join('\n')}\n`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

/** The lines to print; nothing is printed before every list has been checked. */
function measure() {
  const out = process.env.ORGREPO_OUT;
  if (!out) throw new Error('ORGREPO_OUT is not set: it names the directory that holds the packing');
  const wastes = makeLists().map((sizes, list) => wasteOf(sizes, readPacking(`${out}/${packingFile(list)}`)));
  const lines = [
    `waste_pct: ${mean(wastes.filter((_, list) => !heldOut.has(list))).toFixed(4)}`,
    `holdout_waste_pct: ${mean(wastes.filter((_, list) => heldOut.has(list))).toFixed(4)}`,
  ];
  const candidate = process.env.ORGREPO_CANDIDATE; // Not there when a person runs this by hand.
  if (candidate) lines.push(`lines: ${countLines(candidate)}`);
  return lines;
}

function readPacking(path) {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) throw new Error(`${path}: there is no packing of this list`);
  if (!stat.isFile()) throw new Error(`${path}: not a regular file`);
  if (stat.size > largestFile) throw new Error(`${path}: ${stat.size} bytes, a packing has at most ${largestFile}`);
  return { path, text: readFileSync(path, 'latin1') };
}

/** In percent of the bins that the sum of sizes needs at least. Throws unless every item is packed once and every bin holds. */
function wasteOf(sizes, { path, text }) {
  const packed = new Uint8Array(sizes.length);
  const bins = text.endsWith('\n') ? text.slice(0, -1).split('\n') : [text];
  let count = 0;
  for (const [index, line] of bins.entries()) {
    const where = `${path}:${index + 1}`;
    if (!/^\d{1,4}( \d{1,4})*$/.test(line)) throw new Error(`${where}: not a line of item numbers`);
    let filled = 0;
    for (const word of line.split(' ')) {
      const item = Number(word);
      if (item >= sizes.length) throw new Error(`${where}: item ${item} is not in the list`);
      if (packed[item]) throw new Error(`${where}: item ${item} is packed twice`);
      packed[item] = 1;
      count += 1;
      filled += sizes[item];
    }
    if (filled > capacity) throw new Error(`${where}: the bin holds ${filled}, its capacity is ${capacity}`);
  }
  if (count < sizes.length) throw new Error(`${path}: item ${packed.indexOf(0)} is not packed`);
  const fewest = Math.ceil(sizes.reduce((sum, size) => sum + size, 0) / capacity);
  return ((bins.length - fewest) / fewest) * 100;
}

function mean(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

function countLines(path) {
  return JSON.parse(readFileSync(path, 'utf8')).files.reduce((sum, file) => sum + file.lines, 0);
}
