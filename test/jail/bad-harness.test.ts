import { test } from 'node:test';
import { whyNot } from '../../src/jail/jail.ts';
import { assertFound, type Bad } from '../support/bad.ts';

/** What only a jail refuses, tried for real. */

const held: readonly Bad[] = [
  {
    name: 'a harness that opens a connection',
    files: { 'harness/run.sh': `exec bash -c 'echo > /dev/tcp/192.0.2.1/80'\n` },
    at: 'run',
    words: /no score: run ended with 1: .*Network is unreachable/,
    hint: /needs the network, and a measurement must not/,
  },
  {
    name: 'a harness that writes beside itself',
    files: { 'harness/run.sh': 'echo x > harness/cache\n' },
    at: 'run',
    words: /no score: run ended with \d: .*Read-only file system/,
    hint: /only \$ORGREPO_OUT and \$TMPDIR/,
  },
];

for (const walls of ['bubblewrap', 'namespaces'] as const) {
  for (const bad of held)
    test(`${bad.name} is found in a jail of ${walls}`, async (t) => {
      const why = await whyNot(walls);
      if (why === undefined) await assertFound(bad, walls);
      else t.skip(why);
    });
}
