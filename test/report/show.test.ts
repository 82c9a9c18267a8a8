import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatShow } from '../../src/report/pages/show-page.ts';
import { ansiPaint } from '../../src/terminal/look.ts';
import { anExperiment } from '../support/builders.ts';
import { ascii, assertAscii, plain } from '../support/look.ts';
import { experiments } from '../support/night-story.ts';

const kept = {
  ...(experiments[6] ?? anExperiment({ n: 7 })),
  notes: 'A bin with room for one average item is worth most.\n\nSee #3.',
};
const diff = `diff --git a/sandbox/pack.mjs b/sandbox/pack.mjs
--- a/sandbox/pack.mjs
+++ b/sandbox/pack.mjs
@@ -1,2 +1,2 @@
 export const score = (left) => {
-  return 0
+  return -Math.abs(left - 46)
`;
const details = { specTitle: 'which room is worth most?', specBy: 'chief', diff, holdout: 3.762 };

test('show tells one experiment in full: what, why, by whom, how it was checked and the change itself', () => {
  assert.equal(
    formatShow(kept, details, plain(100)),
    `#7  ◆ WIN  waste_pct 3.861 -> 3.712 (-3.9 %)   held out 3.762   junior-1, 15 Nov 22:43, 250 ms
spec      0001  "which room is worth most?"   by chief
tried     sandbox/pack.mjs:13 0 -> 46
          A bin with room for one average item is worth most.
          See #3.
verdict   3.712 beats 3.861 by 0.149
checked   harness 9c1f4e2 · measured 3.712 · lines 66 · holdout_waste_pct 3.762

diff --git a/sandbox/pack.mjs b/sandbox/pack.mjs
--- a/sandbox/pack.mjs
+++ b/sandbox/pack.mjs
@@ -1,2 +1,2 @@
 export const score = (left) => {
-  return 0
+  return -Math.abs(left - 46)

git show 7a0007d   ·   orgrepo replay 7
`,
  );
});

test('an experiment without a score is shown with its reason and its output', () => {
  const crash = anExperiment({
    n: 2,
    event: 'crash',
    title: '',
    reason: 'exit code 1',
    seconds: undefined,
    harness: '',
    merged: true,
  });
  const text = formatShow(
    crash,
    { specTitle: undefined, specBy: undefined, diff: '', output: 'Error: x\n\u001b[2Jat y\n', holdout: undefined },
    plain(100),
  );
  assert.equal(
    text,
    `#2  × CRASH  no score   junior-1, 15 Nov 22:41   merged with a best that had moved
spec      0001
verdict   exit code 1
checked   not scored

no difference

harness output
Error: x
\\x1b[2Jat y

git show 7a0002d   ·   orgrepo replay 2
`,
  );
});

test('a diff that holds escape sequences reaches the terminal as text, in colour or without Unicode', () => {
  const hostile = { ...details, diff: '+\u001b]8;;http://evil.example\u0007click\n-\u202egnp.exe\n' };
  const text = formatShow({ ...kept, title: '\u001b[2J', notes: '\u009b1A' }, hostile, plain(100));
  assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  assertAscii(formatShow({ ...kept, title: 'größer' }, hostile, ascii(100)));
  assert.match(formatShow(kept, details, { ...plain(100), paint: ansiPaint }), /\u001b\[31m- {2}return 0\u001b\[39m/);
});
