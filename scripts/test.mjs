// Compiles src/ and test/ to build/, bundles dist/, and runs the tests: all of them, or the files given.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const given = process.argv.slice(2);
const run = (file, args) => {
  const { status } = spawnSync(file, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
};

rmSync(`${root}build`, { recursive: true, force: true });
run(process.execPath, ['node_modules/typescript/bin/tsc']);
run(process.execPath, ['scripts/build.mjs']);
if (!given.includes('--only-build')) {
  const files = given.length > 0 ? given.map((file) => file.replace(/^(.*)\.ts$/, 'build/$1.js')) : allTests();
  run(process.execPath, ['--test', '--test-concurrency=4', '--test-timeout=900000', ...files.sort()]);
}

function allTests() {
  return readdirSync(`${root}build/test`, { recursive: true })
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => `build/test/${name}`);
}
