// Stage 1: has the sandbox's code train a model against the clock, and writes the model to $ORGREPO_OUT as it came.
//
// The sandbox's code is not in this process but in trainer.mjs. The text that the model will be scored on is drawn from
// $ORGREPO_SEED, so whoever trains must not know that; and the clock that counts runs here, where nobody else can set it.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drawText, symbolsOf, vocabulary } from './grammar.mjs';
import { randomFrom } from './random.mjs';
import { seedFor } from './seeds.mjs';

const seconds = Number(process.env.ORGREPO_TINYLM_SECONDS ?? 2);
// Training looks at the clock between steps and a busy machine may stall it there; more than this is not a stall.
const graceSeconds = 0.25;
// A model as large as score.mjs takes is half of this.
const mostBytes = 4_000_000;

// Node opens itself to a debugger when another process sends it this signal, unless somebody listens to it.
process.on('SIGUSR1', () => {});

try {
  const out = process.env.ORGREPO_OUT;
  if (!out) throw new Error('ORGREPO_OUT is not set; it names the directory to write to');
  const { model, took } = await train();
  writeFileSync(join(out, 'model.json'), model);
  writeFileSync(join(out, 'seconds.txt'), took.toFixed(3));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

async function train() {
  const trainer = startTrainer();
  try {
    return await modelFrom(trainer);
  } finally {
    trainer.kill('SIGKILL'); // It may have any reason not to end by itself.
  }
}

/**
 * Under node's permission model and without an environment: it reads the sandbox and its own files, writes none, and
 * starts no process, no thread and no machine code. SQLite, where node brings it, would write all the same.
 */
function startTrainer() {
  const switches = isBuiltin('node:sqlite')
    ? ['--permission', '--no-experimental-sqlite']
    : ['--experimental-permission'];
  const readable = ['trainer.mjs', 'random.mjs', '../sandbox/*'].map((path) => `--allow-fs-read=${fileOf(path)}`);
  const task = [seconds, vocabulary.length, seedFor('training')].map(String);
  const trainer = spawn(process.execPath, [...switches, ...readable, '--no-warnings', fileOf('trainer.mjs'), ...task], {
    env: {},
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  trainer.stdin.on('error', () => {}); // It may end before it has read the text; that it ended is found out below.
  trainer.stdin.end(symbolsOf(drawText(randomFrom(20_001), 200_000).text));
  return trainer;
}

/** The first byte says that it begins, before any of the sandbox's code is there; all the others are the model. */
async function modelFrom(trainer) {
  const parts = [];
  let bytes = 0;
  let started;
  for await (const part of trainer.stdout) {
    if (started === undefined) {
      started = performance.now();
      setTimeout(() => trainer.kill('SIGKILL'), (seconds + graceSeconds) * 1000).unref();
    }
    parts.push(part);
    bytes += part.length;
    if (bytes > mostBytes) throw new Error(`training gave more than ${mostBytes} bytes`);
  }
  const took = (performance.now() - started) / 1000;
  if (took >= seconds + graceSeconds) {
    throw new Error(`training took more than the ${seconds} s it has: stop when clock.left() is 0 or less`);
  }
  if (bytes < 2) throw new Error('training ended without a model');
  return { model: Buffer.concat(parts).subarray(1), took };
}

function fileOf(path) {
  return fileURLToPath(new URL(path, import.meta.url));
}
