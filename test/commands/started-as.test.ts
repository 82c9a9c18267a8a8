import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { startedAs } from '../../src/commands/screen/started-as.ts';
import { anOrg } from '../support/builders.ts';

const dir = '/home/ada/shop';
const PATH = '/usr/local/bin:/usr/bin:/bin';

/** How it is named here, below here, and in a directory that is not known yet. */
const named = (script: string, env: Readonly<Record<string, string>> = {}) =>
  [dir, `${dir}/demo`, undefined].map((where) => startedAs({ script, dir, env: { PATH, ...env } }, where));

test('an installed program is named by itself', () => {
  assert.deepEqual(named('/usr/local/bin/orgrepo'), ['orgrepo', 'orgrepo', 'orgrepo']);
});

test('a program outside of the PATH is named by its place', () => {
  const place = "/opt/ada's tools/bin/orgrepo";
  assert.equal(named('/opt/bin/orgrepo')[0], '/opt/bin/orgrepo');
  assert.equal(named(place)[0], "'/opt/ada'\\''s tools/bin/orgrepo'");
});

test('a script is named by the way to it, and from the root on elsewhere', () => {
  const script = `${dir}/dist/orgrepo.js`;
  assert.deepEqual(named(script), ['node dist/orgrepo.js', `node ${script}`, `node ${script}`]);
  assert.equal(named('/opt/orgrepo/dist/orgrepo.js')[0], 'node /opt/orgrepo/dist/orgrepo.js');
});

test('a package of the project is started by npx, also from a script of npm', () => {
  const script = `${dir}/node_modules/.bin/orgrepo`;
  assert.equal(named(script, { npm_lifecycle_event: 'npx' })[0], 'npx orgrepo');
  assert.equal(
    named(script, { npm_lifecycle_event: 'night', PATH: `${dir}/node_modules/.bin:${PATH}` })[0],
    'npx orgrepo',
  );
  assert.equal(named(`${dir}/node_modules/.pnpm/orgrepo/dist/orgrepo.js`)[0], 'npx orgrepo');
});

describeFetched();

/** npx keeps what it was given in its cache, with a package.json that names it. */
function describeFetched(): void {
  let cache: string;
  before(() => {
    cache = mkdtempSync(path.join(tmpdir(), 'orgrepo-npx-'));
  });
  after(() => rmSync(cache, { recursive: true }));
  const fetched = (given: string) => {
    const home = path.join(cache, '_npx', '0123456789abcdef');
    mkdirSync(home, { recursive: true });
    writeFileSync(path.join(home, 'package.json'), JSON.stringify({ _npx: { packages: [given] } }));
    return named(path.join(home, 'node_modules/.bin/orgrepo'), {
      npm_lifecycle_event: 'npx',
      npm_config_local_prefix: dir,
    });
  };

  test('a tarball that npx was given is named as it was typed, and by its place elsewhere', () => {
    const place = `npx file:${dir}/orgrepo-0.1.0.tgz`;
    assert.deepEqual(fetched('./orgrepo-0.1.0.tgz'), ['npx ./orgrepo-0.1.0.tgz', place, place]);
    assert.equal(fetched('/opt/orgrepo-0.1.0.tgz')[0], 'npx file:/opt/orgrepo-0.1.0.tgz');
  });

  test('a clone that npx runs in is named by its place outside of it alone', () => {
    assert.deepEqual(fetched(dir), ['npx orgrepo', 'npx orgrepo', `npx ${dir}`]);
    assert.equal(fetched('/opt/orgrepo')[0], 'npx /opt/orgrepo');
  });

  test('a package of the registry has one name everywhere', () => {
    assert.deepEqual(fetched('orgrepo@0.2.0'), Array(3).fill('npx orgrepo@0.2.0'));
  });
}

/** What stands before each command that is shown. */
const commandsIn = (text: string): readonly string[] =>
  [...text.matchAll(/(\S* |")orgrepo (?:run|show|land|submit|log|status|report|resume|doctor|plan|help)\b/g)].map(
    ([, before = '']) => before.trim(),
  );

test('every screen shows commands as they are typed here, and git and JSON have them plain', async () => {
  const org = anOrg();
  const typed = async (...args: string[]) => {
    const ran = await org.typedAs('npx orgrepo', ...args);
    return ran.stdout + ran.stderr;
  };
  const calls = [
    ['plan', '--no-measure'],
    ['status'],
    ['rnu'],
    ['run', '--help'],
    ['help'],
    ['run', '--max', '2'],
    ['pause'],
    ['status'],
    ['resume'],
    ['report'],
    ['show', '1'],
    ['show', '99'],
    ['submit', 'quicker, by orgrepo run'],
  ];
  const shown: string[] = [];
  for (const args of calls) shown.push(...commandsIn(await typed(...args)));
  // The title of a spec is not ours to change.
  assert.deepEqual([[...new Set(shown)].sort(), shown.length > 15], [['by', 'npx'], true]);
  assert.deepEqual([...new Set(commandsIn(await typed('report', '--json')))], ['"']);
  assert.doesNotMatch(org.git('log', '-p', '--all'), /npx orgrepo/);
});
