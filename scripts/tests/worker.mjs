// Runs files of tests one after another in one process, as the runner hands them out over IPC: a test costs what it does, and
// not the start of a process and the loading of the whole source. After each file the environment is as it was.
import assert from 'node:assert';
import hooks from 'node:async_hooks';
import { register } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { cpuSeconds } from './cpu.mjs';

register('./resolve.mjs', import.meta.url);
// Before any file loads the source: a module may keep what it read when it was loaded.
await import('../../build/test/support/built-in.js');

/**
 * node:test follows every promise, to say which test an error belongs to that nobody waited for. That makes everything a tenth
 * slower; here the file has failed in which there is such an error.
 */
async function loadNodeTest() {
  const { createHook } = hooks;
  hooks.createHook = () => ({ enable: () => {}, disable: () => {} });
  const loaded = await import('./file-hooks.mjs');
  hooks.createHook = createHook;
  return loaded;
}
const { runFile } = await loadNodeTest();

let assertions = 0;

/** Counts assertions as they are made: a change of the tests must not lose any on the way. */
function countCalls() {
  const owner = assert.strict;
  for (const [name, check] of Object.entries(owner)) {
    if (typeof check !== 'function') continue;
    if (['AssertionError', 'CallTracker', 'Assert', 'strict'].includes(name)) continue;
    const counted = (...given) => {
      assertions += 1;
      if (!name.endsWith('atch')) return check(...given);
      assert[name] = check; // Node's own `match` compares itself with this one.
      return check(...given);
    };
    owner[name] = counted;
  }
}
countCalls();

process.setMaxListeners(0); // Hundreds of tests clean up at the end.
const environment = { ...process.env };

function restoreEnvironment() {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  for (const [name, value] of Object.entries(environment)) if (process.env[name] !== value) process.env[name] = value;
}

for (const stray of ['uncaughtException', 'unhandledRejection']) process.prependListener(stray, sayBroken);

function sayBroken(error) {
  void tell({ kind: 'broken', error: `nobody waited for this: ${error?.stack ?? error}` });
}

const tell = (message) => new Promise((resolve) => process.send(message, resolve));

async function work(file) {
  assertions = 0;
  const before = cpuSeconds();
  await runFile(file).catch((error) => tell({ kind: 'broken', error: error?.stack ?? String(error) }));
  restoreEnvironment();
  await setImmediate(); // The reporter is a step behind.
  await setImmediate();
  await tell({ kind: 'done', assertions, cpu: cpuSeconds() - before, bytes: process.memoryUsage().rss });
}

process.on('message', ({ file }) => {
  if (file === undefined) process.disconnect();
  else void work(file);
});
process.on('disconnect', () => process.exit());
await tell({ kind: 'ready' });
