// Prints figures about the source: how full its folders are, how deep its imports go, how much its functions take and do.
// They hold for any layout of folders below src/, so two checkouts can be compared.
//   npm run house                        prints one line for each figure
//   npm run house -- --verbose           also lists what is behind each figure
//   npm run house -- --root DIR --json   measures another checkout, as JSON
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measureExperiment } from './house/experiment.mjs';
import { readFigures } from './house/figures.mjs';

const { values: options } = parseArgs({
  options: {
    root: { type: 'string', default: fileURLToPath(new URL('..', import.meta.url)) },
    json: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});

const root = realpathSync(options.root);
const { largestFolder, twoMeanings, ...others } = readFigures(root);
const figures = { largestFolder, twoMeanings, experiment: experiment(), ...others };
const withLists = (key, value) => (key === 'list' && !options.verbose ? undefined : value);
if (options.json) console.log(JSON.stringify(figures, withLists, 2));
else for (const figure of Object.values(figures)) print(figure);

/** A checkout that does not build still has the other figures. */
function experiment() {
  try {
    return measureExperiment(root);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
    return { name: 'files at work in one experiment', value: null, note: 'it did not run', list: [] };
  }
}

function print({ name, value, note, list }) {
  console.log(`${String(value ?? '-').padStart(7)}  ${name}${note === undefined ? '' : ` (${note})`}`);
  if (options.verbose) console.log(list.map((line) => `           ${line}\n`).join(''));
}
