import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { whyNot } from '../../src/jail/jail.ts';
import { endings, runNight } from '../support/night.ts';
import { briefText, makeOrg, quadratic } from '../support/org.ts';

const home = mkdtempSync(path.join(tmpdir(), 'orgrepo-home-'));
mkdirSync(path.join(home, '.cache/words'), { recursive: true });
writeFileSync(path.join(home, '.cache/words/three'), '3\n');
writeFileSync(path.join(home, 'secret'), 'nobody may know\n');
after(() => rmSync(home, { recursive: true, force: true }));

const kinds = ['bubblewrap', 'namespaces'] as const;
const reasons = await Promise.all(kinds.map(whyNot)); // Before any test: `after` may come as soon as one of them is done.

for (const [index, walls] of kinds.entries()) {
  const missing = reasons[index];
  const options = missing === undefined ? {} : { skip: `${walls}: ${missing}` };

  test(
    `${walls}: a place that the brief shows is there for a stage, under ~ too, and the rest of the home is not`,
    options,
    async () => {
      process.env.HOME = home; // After each file the environment is put back.
      const org = makeOrg(
        {
          ...quadratic,
          'program.md': briefText({ show: '[~/.cache/words]' }),
          'harness/run.sh':
            'set -e; cat ~/.cache/words/three > /dev/null; [ ! -e ~/secret ]; [ "$(ls -A ~)" = .cache ]; ! touch ~/x ~/.cache/words/x 2> /dev/null\ncat sandbox/numbers.txt > "$ORGREPO_OUT/numbers"\n',
        },
        walls,
      );
      try {
        const ran = await runNight(org, '--max', '1');
        assert.match(endings(ran.experiments)[0] ?? ran.stdout, /^(keep|discard) /);
      } finally {
        org.remove();
      }
    },
  );
}
