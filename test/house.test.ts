import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { root } from './support/org.ts';

/** The figure of `npm run house` that takes a run. Those that are read from the source are in `architecture.test.ts`. */

test('files at work between a claim and its first verdict: at most 74', async () => {
  const { measureExperiment } = await import(pathToFileURL(path.join(root, 'scripts/house/experiment.mjs')).href);
  const { value, list } = measureExperiment(root);
  const advice = 'merge files that one experiment always passes through together, or do the work before the claim';
  assert.ok(value > 0 && value <= 74, `it is ${value}: ${advice}\n${list.join('\n')}`);
});
