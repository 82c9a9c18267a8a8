// Stage 1: trains the sandbox's model against the clock, asks it for predictions, writes them to $ORGREPO_OUT.
//
// The sandbox's code runs in this process, so nothing written here can be believed for its own sake: stage 2 takes the
// predictions as a claim and checks it against a text that it draws itself.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { symbolsOf, vocabulary } from './grammar.mjs';
import { randomFrom } from './random.mjs';
import { drawTraining, drawValidation } from './texts.mjs';

// Read before the sandbox's code is loaded, so that it cannot change them.
const seconds = Number(process.env.ORGREPO_TINYLM_SECONDS ?? 2);
const out = process.env.ORGREPO_OUT;
const now = performance.now.bind(performance);

// Training looks at the clock between steps and a busy machine may stall it there; more than this is not a stall.
const graceSeconds = 0.25;
// Predicting takes a tenth of this. It is bounded so that no training is moved into it.
const predictSeconds = 1;

if (!out) refuse('ORGREPO_OUT is not set; it names the directory to write to');

const { train } = await import('../sandbox/train.mjs');
const model = trainAgainstClock(symbolsOf(drawTraining()));
writeFileSync(join(out, 'predictions.f32'), predictEach(model, symbolsOf(drawValidation().text)));
writeFileSync(join(out, 'model.json'), JSON.stringify({ params: countParameters(model), steps: model.steps }));

function trainAgainstClock(text) {
  const started = now();
  const left = () => seconds - (now() - started) / 1000;
  // The random numbers come from here as well: a model that is better for another seed is not a better model.
  const model = train({ text, symbols: vocabulary.length, clock: { seconds, left }, random: randomFrom(40_001) });
  if (left() < -graceSeconds) {
    refuse(
      `training took ${(seconds - left()).toFixed(2)} s, it has ${seconds} s: stop when clock.left() is 0 or less`,
    );
  }
  return model;
}

/** A distribution for every position of `text`, one after the other. */
function predictEach(model, text) {
  const predictions = new Float32Array(text.length * vocabulary.length);
  // Filled as it goes, so that there is nothing to read ahead: not in what is handed over, nor in the memory behind it.
  const seen = new Uint8Array(text.length);
  const started = now();
  for (let position = 0; position < text.length; position++) {
    const distribution = model.predict(seen.subarray(0, position));
    if (distribution?.length !== vocabulary.length) {
      refuse(`predict() gave ${distribution?.length} values at position ${position}, expected ${vocabulary.length}`);
    }
    predictions.set(distribution, position * vocabulary.length);
    seen[position] = text[position];
    if (now() - started > predictSeconds * 1000) refuse(`predicting took more than ${predictSeconds} s`);
  }
  return predictions;
}

/** How many numbers the model was trained to hold, by its own account: the harness counts what it is shown. */
function countParameters(model) {
  return model.parameters.reduce((sum, parameter) => sum + parameter.length, 0);
}

function refuse(message) {
  console.error(message);
  process.exit(1);
}
