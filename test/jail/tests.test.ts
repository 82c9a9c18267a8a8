import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNot } from '../../src/jail/jail.ts';
import { anOrg } from '../support/builders.ts';
import { briefText } from '../support/org.ts';

/** Says what tests must not be able to do, each as a failure. */
const probe = `no() { echo "FAIL $1"; exit 1; }
[ ! -e .git ] || no "the repository is there"
[ ! -e harness/answers ] || no "what is held out is there"
[ ! -e "$ROOT/harness/answers" ] || no "the work tree is there"
[ -z "$ORGREPO_SEED$ORGREPO_OUT$ORGREPO_CANDIDATE" ] || no "they are told what a measurement is told"
[ -d "$OLD/arena" ] && [ ! -e "$OLD/judge" ] && [ ! -e "$OLD/told" ] || no "what the judge has is there"
[ "$(grep -c : /proc/net/dev)" = 1 ] || no "the network is there"
[ -e doc/readme.txt ] || no "a file of the trunk is missing"
[ "$(sh node_modules/one/say)" = installed ] || no "an installed package is missing"
echo made > made-here || no "nothing can be written"
echo 'echo "loss: 0"' > harness/score.sh || no "the copy is not theirs"
! echo broken 2> /dev/null > node_modules/one/say || no "packages can be changed"
for dir in "$OLD" "$ROOT"; do ! echo x 2> /dev/null > "$dir/left-behind" || no "$dir can be written"; done
`;

for (const walls of ['bubblewrap', 'namespaces'] as const) {
  const missing = await whyNot(walls);
  const options = missing === undefined ? {} : { skip: `${walls}: ${missing}` };

  test(`${walls}: tests see a copy of the tree, and nothing they do there is left`, options, async () => {
    const org = anOrg({
      jail: walls,
      files: {
        'program.md': briefText({ holdout: '[harness/answers]', tests: 'sh tests/probe.sh' }),
        'harness/answers': 'three\n',
        'doc/readme.txt': 'about it\n',
        '.gitignore': 'node_modules\n',
      },
    });
    const root = `ROOT='${org.dir}'\nOLD=$(dirname "$OLDPWD")\n`;
    org.write('tests/probe.sh', root + probe);
    org.commit('the tests');
    org.write('node_modules/one/say', 'echo installed\n');
    const first = await org.orgrepo('doctor');
    assert.equal(first.code, 0, first.stdout);
    assert.match(first.stdout, /ok {4}harness prints loss: 126[\s\S]*ok {4}tests pass: sh tests\/probe\.sh/);
    const night = await org.orgrepo('run', '--max', '2');
    assert.equal(night.code, 0, night.stderr);
    assert.equal((await org.orgrepo('replay', '--all')).code, 0);
    assert.equal(org.git('status', '--porcelain'), '');
  });
}
