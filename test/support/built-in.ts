import { readFileSync } from 'node:fs';

/** What the bundle's build puts in. */
const versionIn = (file: string): string =>
  JSON.parse(readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')).version;
Object.assign(globalThis, {
  __VERSION__: versionIn('package.json'),
  __PRICES__: versionIn('node_modules/@pydantic/genai-prices/package.json'),
});
