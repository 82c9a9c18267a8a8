// Stage 2: computes the predictions of the model in $ORGREPO_OUT for a text that exists here only, and prints the numbers.
// The sandbox's code is not here, and the model is numbers: whatever is in it, it can only be a good model or a bad one.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { drawText, symbolsOf, vocabulary } from './grammar.mjs';
import { readModel } from './model.mjs';
import { randomFrom } from './random.mjs';
import { seedFor } from './seeds.mjs';

// How far below the floor chance can lead. The floor is the information in the validation text under the grammar it
// was drawn from. It is not the grammar's entropy: that is an average, and a text of some thousand characters may
// well hold less; a model that knew the grammar would then honestly score below the average, but exactly at the floor.
//
// A model q that does not know the text can still beat the grammar p on it by luck, but not by much: over the texts
// that p draws, the ratio q/p is 1 on average at most, so a gain of t bits over the whole text has a chance of
// 2^-t at most. Twenty bits are one in a million: whoever gains more knew the text.
const luckBits = 20;

try {
  for (const [name, value] of Object.entries(measure())) console.log(`${name}: ${value}`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

function measure() {
  const { ORGREPO_OUT: out, ORGREPO_CANDIDATE: candidate } = process.env;
  if (!out) throw new Error('ORGREPO_OUT is not set; it names the directory to read from');
  const model = readModel(readBounded(join(out, 'model.json'), 4_000_000), vocabulary.length);
  const { text, bits: floor } = drawText(randomFrom(seedFor('validation')), 10_000);
  const spent = bitsOf(model, symbolsOf(text));
  const bpb = (bits) => (bits / text.length).toFixed(6); // Each character is one byte.
  if (spent < floor - luckBits) {
    throw new Error(
      `val_bpb is ${bpb(spent)}, below the floor of ${bpb(floor)}: no model can know more than the grammar does`,
    );
  }
  return {
    val_bpb: bpb(spent),
    floor_bpb: bpb(floor),
    params: model.params,
    steps: model.steps,
    seconds: Number(readBounded(join(out, 'seconds.txt'), 100)).toFixed(3),
    ...(candidate && { bytes: countBytes(candidate) }), // Not there when a person runs this by hand.
  };
}

/** What it costs to write the text down with the model's predictions, in bits. */
function bitsOf(model, text) {
  let bits = 0;
  for (let position = 0; position < text.length; position++) {
    const chance = model.predict(text, position)[text[position]];
    // Sums of large numbers may be no number, and then nothing that follows from them is a probability.
    if (!(chance > 0 && chance <= 1)) throw new Error(`position ${position}: ${chance} for the character that came`);
    bits -= Math.log2(chance);
  }
  return bits;
}

/** The size is asked first: what stage 1 wrote may be of any size. */
function readBounded(path, most) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isFile()) throw new Error(`${path}: stage 1 wrote no such file`);
  if (found.size > most) throw new Error(`${path}: ${found.size} bytes, expected at most ${most}`);
  return readFileSync(path, 'utf8');
}

function countBytes(path) {
  return JSON.parse(readFileSync(path, 'utf8')).files.reduce((sum, file) => sum + file.bytes, 0);
}
