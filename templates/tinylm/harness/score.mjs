// Stage 2: reads what stage 1 wrote to $ORGREPO_OUT and prints the numbers. The sandbox's code is not here.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { vocabulary } from './grammar.mjs';
import { drawValidation } from './texts.mjs';

// How far below the floor chance can lead. The floor is the information in the validation text under the grammar it
// was drawn from. It is not the grammar's entropy: that is an average, and a text of some thousand characters may
// well hold less; a model that knew the grammar would then honestly score below the average, but exactly at the floor.
//
// A model q that does not know the text can still beat the grammar p on it by luck, but not by much: over the texts
// that p draws, the ratio q/p is 1 on average at most, so a gain of t bits over the whole text has a chance of
// 2^-t at most. Twenty bits are one in a million: whoever gains more knew the text.
const luckBits = 20;
const sumTolerance = 1e-3; // Rounding in 32-bit numbers. What is within it is scaled to sum to 1 before it is scored.

const out = process.env.ORGREPO_OUT;
if (!out) refuse('ORGREPO_OUT is not set; it names the directory to read from');

const validation = drawValidation();
const characters = validation.text.length; // Each is one byte.
const spent = bitsOf(readPredictions(), validation.text);
const model = readModel();
if (spent < validation.bits - luckBits) {
  refuse(
    `val_bpb is ${bpb(spent)}, below the floor of ${bpb(validation.bits)}: no model can know more than the grammar does`,
  );
}
console.log(`val_bpb: ${bpb(spent)}`);
console.log(`floor_bpb: ${bpb(validation.bits)}`);
console.log(`params: ${model.params}`);
console.log(`steps: ${model.steps}`);

function readPredictions() {
  const expected = characters * vocabulary.length * Float32Array.BYTES_PER_ELEMENT;
  const bytes = readBounded('predictions.f32', expected);
  if (bytes.length !== expected) {
    refuse(
      `predictions.f32 has ${bytes.length} bytes, expected ${expected}: ${characters} x ${vocabulary.length} floats`,
    );
  }
  return new Float32Array(Uint8Array.from(bytes).buffer);
}

/** What it costs to write the text down with these predictions, in bits. */
function bitsOf(predictions, text) {
  let bits = 0;
  for (let position = 0; position < text.length; position++) {
    const start = position * vocabulary.length;
    const distribution = predictions.subarray(start, start + vocabulary.length);
    const chance = distribution[vocabulary.indexOf(text[position])] / sumOf(distribution, position);
    if (chance === 0) refuse(`position ${position}: probability 0 for the character that came`);
    bits -= Math.log2(chance);
  }
  return bits;
}

function sumOf(distribution, position) {
  let sum = 0;
  for (const chance of distribution) {
    if (!(Number.isFinite(chance) && chance >= 0)) refuse(`position ${position}: ${chance} is not a probability`);
    sum += chance;
  }
  if (Math.abs(sum - 1) > sumTolerance) refuse(`position ${position}: probabilities sum to ${sum}, expected 1`);
  return sum;
}

function readModel() {
  const text = readBounded('model.json', 1_000).toString('utf8');
  const { params, steps } = parse(text);
  for (const [name, value] of Object.entries({ params, steps })) {
    if (!(Number.isSafeInteger(value) && value >= 0))
      refuse(`model.json: ${name} is ${value}, expected a whole number`);
  }
  return { params, steps };
}

function parse(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch (error) {
    return refuse(`model.json: ${error.message}`);
  }
}

/** The size is asked first: what stage 1 wrote may be of any size. */
function readBounded(name, most) {
  const path = join(out, name);
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isFile()) refuse(`stage 1 wrote no ${name}`);
  if (found.size > most) refuse(`${name} has ${found.size} bytes, expected at most ${most}`);
  return readFileSync(path);
}

function bpb(bits) {
  return (bits / characters).toFixed(6);
}

function refuse(message) {
  console.error(message);
  process.exit(1);
}
