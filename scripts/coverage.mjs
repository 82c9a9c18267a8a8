// Which lines of src/ ran, room by room, from what V8 wrote: through build/ and, with a bundle that has source maps, through dist/.
//   npm run test:coverage                            runs everything, then tells
//   npm run test:coverage -- --missing text/         also lists the lines of that room that no test ran
//   node scripts/coverage.mjs DIR [ROOT]             tells of what $NODE_V8_COVERAGE has in DIR
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { positionals, values } = parseArgs({ allowPositionals: true, options: { missing: { type: 'string' } } });
const [given, elsewhere] = positionals;
const root = path.resolve(elsewhere ?? fileURLToPath(new URL('..', import.meta.url)));
let status = 0;
if (given !== undefined) tell(given);
else {
  const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-coverage-'));
  const env = { ...process.env, NODE_V8_COVERAGE: dir, ORGREPO_SOURCE_MAPS: '1' };
  status = spawnSync(process.execPath, ['scripts/test.mjs', '--all'], { cwd: root, env, stdio: 'inherit' }).status ?? 1;
  tell(dir);
  rmSync(dir, { recursive: true, force: true });
}
process.exitCode = status;

function tell(dir) {
  const rooms = new Map();
  for (const [source, lines] of linesOf(coveredIn(dir))) {
    const room = source.includes('/') ? `${source.split('/')[0]}/` : source;
    const sum = rooms.get(room) ?? { lines: 0, covered: 0 };
    for (const ran of lines.values()) {
      sum.lines += 1;
      if (ran) sum.covered += 1;
    }
    rooms.set(room, sum);
    if (values.missing !== undefined && source.startsWith(values.missing)) listMissing(source, lines);
  }
  const all = { lines: 0, covered: 0 };
  for (const [room, { lines, covered }] of [...rooms].sort()) {
    console.log(row(room, covered, lines));
    all.lines += lines;
    all.covered += covered;
  }
  console.log(row('all', all.covered, all.lines));
}

/** Lines of source maps count from 0, those of people from 1. */
function listMissing(source, lines) {
  const missing = [...lines].flatMap(([line, ran]) => (ran ? [] : [line + 1])).sort((a, b) => a - b);
  if (missing.length > 0) console.log(`src/${source}: ${missing.join(', ')}`);
}

function row(room, covered, lines) {
  return `${room.padEnd(20)} ${String(covered).padStart(6)} of ${String(lines).padStart(6)}  ${((100 * covered) / lines).toFixed(2)} %`;
}

/** For each script of ours, which of its characters ran in any process. */
function coveredIn(dir) {
  const scripts = new Map();
  const ours = [`file://${root}/build/src/`, `file://${root}/dist/`];
  for (const name of readdirSync(dir)) {
    let result;
    try {
      ({ result } = JSON.parse(readFileSync(path.join(dir, name), 'utf8')));
    } catch {
      continue; // A process that was killed while it wrote.
    }
    for (const { url, functions } of result) {
      if (!ours.some((place) => url.startsWith(place)) || !existsSync(fileURLToPath(url))) continue;
      const sum = scripts.get(url) ?? new Uint8Array(readFileSync(fileURLToPath(url), 'utf8').length);
      scripts.set(url, sum);
      const here = new Uint8Array(sum.length);
      // Ranges of a function are nested, and functions come in the order of their source: the inner one counts.
      for (const { ranges } of functions)
        for (const { startOffset, endOffset, count } of ranges) here.fill(count > 0 ? 1 : 0, startOffset, endOffset);
      for (let at = 0; at < sum.length; at++) sum[at] |= here[at];
    }
  }
  return scripts;
}

/** For each file of src/ the lines that have code, and whether any of it ran. */
function linesOf(scripts) {
  const sources = new Map();
  for (const [url, covered] of scripts) {
    const file = fileURLToPath(url);
    if (!existsSync(`${file}.map`)) continue;
    const text = readFileSync(file, 'utf8');
    const starts = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
    for (const [line, column, source, sourceLine] of entriesOf(map, text, starts)) {
      const place = path.relative(`${root}/src`, path.resolve(path.dirname(file), source));
      if (place.startsWith('..')) continue;
      const lines = sources.get(place) ?? new Map();
      sources.set(place, lines);
      lines.set(sourceLine, (lines.get(sourceLine) ?? false) || covered[starts[line] + column] === 1);
    }
  }
  return sources;
}

/** Where each piece of a script comes from. */
function* entriesOf(map, text, starts) {
  for (let line = 0; line < starts.length; line++) {
    const end = (starts[line + 1] ?? text.length + 1) - 1;
    for (let column = 0; starts[line] + column < end; column++) {
      const entry = map.findEntry(line, column);
      if (entry.originalSource === undefined || entry.generatedLine !== line || entry.generatedColumn !== column)
        continue;
      yield [line, column, entry.originalSource.replace(/^file:\/\//, ''), entry.originalLine];
    }
  }
}
