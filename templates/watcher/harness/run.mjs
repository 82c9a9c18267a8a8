// Stage 1: does what can be done without judgement, and prints it for whoever writes the report: fetches every source,
// and compares it with the last snapshot. Then it takes the reports along to $ORGREPO_OUT, as they are: what they are worth
// is found out in stage 2, by what people marked as useful, which is not here.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nameOf, serveWeb } from './fetch.mjs';
import { bulletsIn, mostBullets } from './report.mjs';

const out = process.env.ORGREPO_OUT;

for (const file of readdirSync('reports')) {
  const text = readFileSync(join('reports', file), 'utf8');
  const bullets = bulletsIn(text, `reports/${file}`);
  if (bullets.length > mostBullets)
    throw new Error(`reports/${file} has ${bullets.length} bullets, more than ${mostBullets}: a person has to look`);
  mkdirSync(join(out, 'reports'), { recursive: true });
  writeFileSync(join(out, 'reports', file), text);
}

const urls = readFileSync('sources/competitors.yaml', 'utf8').match(/https:\/\/\S+/g);
const web = await serveWeb();
for (const url of urls) console.log(`${url}\n${await changesAt(url)}\n`);
web.close();

/** What has changed there, line by line; a source that does not answer, or not whole, is logged and skipped. */
async function changesAt(url) {
  const { status, html } = await web.fetch(url);
  if (status !== 200) return `  HTTP ${status}: skipped`;
  if (!html.trimEnd().endsWith('</html>')) {
    mkdirSync(join(out, 'errors'), { recursive: true });
    writeFileSync(join(out, 'errors', `${nameOf(url).replaceAll('/', '-')}.html`), html);
    return '  the page breaks off: skipped, and what came is kept in errors/';
  }
  const [before, after] = [readFileSync(`cache/last-snapshot/${nameOf(url)}.html`, 'utf8'), html].map(linesOf);
  const gone = before.filter((line) => !after.includes(line)).map((line) => `  - ${line}`);
  const come = after.filter((line) => !before.includes(line)).map((line) => `  + ${line}`);
  return [...gone, ...come].join('\n') || '  nothing has changed';
}

/** The words of a page, a line for each of its blocks. */
function linesOf(html) {
  const body = html.slice(html.indexOf('<body>'));
  return body
    .split(/<\/?(?:h\d|p|li|footer)>/)
    .map((text) => text.replaceAll(/<[^>]*>/g, '').trim())
    .filter(Boolean);
}
