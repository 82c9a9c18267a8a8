// Bundles src/ into dist/: one small entry and chunks that are loaded when they are needed.
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const prices = JSON.parse(
  readFileSync(new URL('../node_modules/@pydantic/genai-prices/package.json', import.meta.url), 'utf8'),
);
const root = new URL('..', import.meta.url).pathname;
const cedar = 'cedar_wasm_bg.wasm';
/** For scripts/coverage.mjs, which tells lines of the bundle by those of the source. */
const withMaps = process.env.ORGREPO_SOURCE_MAPS === '1';

export async function bundle(outdir, plugins = []) {
  rmSync(outdir, { recursive: true, force: true });
  await build({
    absWorkingDir: root,
    entryPoints: { orgrepo: 'src/cli.ts' },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    minify: !withMaps,
    sourcemap: withMaps,
    chunkNames: 'chunks/[name]-[hash]',
    legalComments: 'linked',
    define: { __VERSION__: JSON.stringify(version), __PRICES__: JSON.stringify(prices.version) },
    banner: {
      js: "#!/usr/bin/env node\nimport { createRequire as __makeRequire } from 'node:module'; const require = __makeRequire(import.meta.url); const __dirname = import.meta.dirname;",
    },
    logLevel: 'warning',
    plugins,
  });
  // Cedar reads its engine from where its own code stands, which is a chunk; esbuild leaves such files alone.
  cpSync(`${root}node_modules/@cedar-policy/cedar-wasm/nodejs/${cedar}`, `${outdir}/chunks/${cedar}`);
}

/** The template `pack` is this repository's own org: copied, so that there is only one of it. */
function copyPackTemplate() {
  const target = `${root}templates/pack`;
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const name of ['program.md', 'harness', 'sandbox', 'specs', 'branches.md'])
    cpSync(`${root}${name}`, `${target}/${name}`, { recursive: true });
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  await bundle(`${root}dist`);
  copyPackTemplate();
  chmodSync(`${root}dist/orgrepo.js`, 0o755);
}
