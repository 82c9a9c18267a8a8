// Bundles src/ into dist/: one small entry and chunks that are loaded when they are needed.
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const root = new URL('..', import.meta.url).pathname;

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
    minify: true,
    chunkNames: 'chunks/[name]-[hash]',
    legalComments: 'linked',
    define: { __VERSION__: JSON.stringify(version) },
    banner: {
      js: "#!/usr/bin/env node\nimport { createRequire as __makeRequire } from 'node:module'; const require = __makeRequire(import.meta.url);",
    },
    logLevel: 'warning',
    plugins,
  });
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
