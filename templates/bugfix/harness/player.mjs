// The only process that the sandbox's code is in: run.mjs gives it the files of the sandbox and two pipes. It plays every
// history on a store of its own and tells what is on the screen in the end.
import { readFileSync, writeSync } from 'node:fs';
import { digest } from '../sandbox/digest.mjs';
import { add, archive, remove, rename, restore } from '../sandbox/edit.mjs';
import { makeStore } from '../sandbox/store.mjs';
import { merge } from '../sandbox/sync.mjs';
import { badge, board } from '../sandbox/view.mjs';

const verbs = { add, archive, remove, rename, restore, merge };
const screens = { board, badge, digest };

const answers = JSON.parse(readFileSync(0, 'utf8')).map(({ steps, asks: [screen, project] }) => {
  const store = makeStore();
  for (const [verb, ...rest] of steps) verbs[verb](store, ...rest);
  return screens[screen](store, project);
});
writeSync(3, JSON.stringify(answers));
