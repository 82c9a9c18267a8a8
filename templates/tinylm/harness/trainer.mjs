// The only process that the sandbox's code is in: run.mjs starts it with nothing in reach but the sandbox, the text to learn
// from and a way to say what was learnt. It answers with plain numbers, which score.mjs computes with: nobody runs the
// sandbox's code once the text that counts is there.
import { readFileSync, writeSync } from 'node:fs';
import { randomFrom } from './random.mjs';

const [seconds, symbols, seed] = process.argv.slice(2).map(Number);
const text = new Uint8Array(readFileSync(0));

writeSync(1, '!'); // The time begins here, so that nothing can be learnt while the sandbox's code is being loaded.
const started = performance.now();
const left = () => seconds - (performance.now() - started) / 1000;
const { train } = await import('../sandbox/train.mjs');
// The random numbers come from the harness as well: a model that is better for another seed is not a better model.
const model = train({ text, symbols, clock: { seconds, left }, random: randomFrom(seed) });
say(JSON.stringify(model, (_, value) => (ArrayBuffer.isView(value) ? Array.from(value) : value)) ?? '');
process.exit();

function say(words) {
  for (let rest = Buffer.from(words); rest.length > 0; ) rest = rest.subarray(writeSync(1, rest));
}
