// node:test for one file after another in one process: `before` and `after` at the top of a file are for that file alone, and it
// is known when all its tests have ended.
import nodeTest from 'node:test';

let pending = [];
let cleanUps = [];
let ready = Promise.resolve();

export function test(...given) {
  const at = given.findLastIndex((one) => typeof one === 'function');
  const work = given[at];
  const mine = ready;
  if (work !== undefined)
    given[at] = async (context) => {
      await mine;
      return work(context);
    };
  const done = nodeTest.test(...given);
  pending.push(done);
  return done;
}

export const before = (hook) => {
  ready = ready.then(hook);
  ready.catch(() => {}); // Each test hears of it.
};

export const after = (hook) => void cleanUps.push(hook);

/** Loads a file, and returns when its tests have ended and its hooks have cleaned up. */
export async function runFile(file) {
  [pending, cleanUps, ready] = [[], [], Promise.resolve()];
  try {
    await import(file);
    await Promise.all(pending);
  } finally {
    for (const hook of cleanUps.reverse()) await hook();
  }
}
