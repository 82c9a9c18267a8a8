// Stage 1: offers the items of every list to the sandbox's code, one at a time, and writes its answers to $ORGREPO_OUT.
//
// The sandbox's code is not in this process: here it could read the lists to their end and write the output itself. It
// has a process of its own (player.mjs), and all that goes there and back is one byte for each list and turn.
// Nothing here is judged: score.mjs reads the answers in a place where the sandbox's code is not.
import { writeFileSync } from 'node:fs';
import { answersFile, itemsPerList, listCount, makeFreshLists, makeKnownLists } from './instances.mjs';
import { startPlayer } from './start-player.mjs';

const { ORGREPO_OUT: out, ORGREPO_SEED: seed = '0' } = process.env;

try {
  if (!out) throw new Error('ORGREPO_OUT is not set: it names the directory that the answers are written to');
  writeFileSync(`${out}/${answersFile}`, play());
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

/** All lists side by side: a turn is the next item of each, so that one question and one answer do for all of them. */
function play() {
  const player = startPlayer(listCount); // First, so that it starts while the lists are drawn.
  try {
    const lists = [...makeKnownLists(), ...makeFreshLists(seed)];
    const answers = new Uint8Array(itemsPerList * listCount);
    const sizes = new Uint8Array(listCount);
    for (let item = 0; item < itemsPerList; item++) {
      for (let list = 0; list < listCount; list++) sizes[list] = lists[list][item];
      answers.set(player.ask(sizes, item), item * listCount);
    }
    return answers;
  } finally {
    player.end();
  }
}
