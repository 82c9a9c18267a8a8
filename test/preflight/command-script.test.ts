import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scriptOf } from '../../src/preflight/checks/check-commands.ts';

test('a command names the file of the repository that it starts, where that is certain', () => {
  const cases: readonly [string, string | undefined][] = [
    ['node harness/run.mjs', 'harness/run.mjs'],
    ['python3.11 harness/run.py --fast', 'harness/run.py'],
    ['uv run train.py', 'train.py'],
    ['uv run python train.py', 'train.py'],
    ['npx tsx harness/run.ts', 'harness/run.ts'],
    ['SEED=1 sh harness/run.sh > "$ORGREPO_OUT/x"', 'harness/run.sh'],
    ['./harness/score.sh', 'harness/score.sh'],
    ['uv run pytest', undefined],
    ['node --import tsx harness/run.ts', undefined],
    ['python3 -m harness', undefined],
    ['make bench', undefined],
    ['/usr/bin/env node harness/run.mjs', undefined],
    ['sh "$HOME/run.sh"', undefined],
    ['sh ../outside.sh', undefined],
    ['FOO=1', undefined],
    ['', undefined],
  ];
  for (const [command, path] of cases) assert.equal(scriptOf(command)?.path, path, command);
  assert.equal(scriptOf('./harness/score.sh')?.direct, true);
  assert.equal(scriptOf('sh harness/score.sh')?.direct, false);
});
