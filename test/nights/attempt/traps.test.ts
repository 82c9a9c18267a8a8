import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { endings, obedientOrg, runNight, say, scriptAgent, waitFor } from '../../support/night.ts';
import { briefText, makeOrg } from '../../support/org.ts';

const made: string[] = [];
after(() => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
});

const traps = [
  ...[
    'core.fsmonitor',
    'core.sshCommand',
    'core.editor',
    'core.pager',
    'diff.external',
    'gpg.program',
    'credential.helper',
  ],
  ...['filter.evil.clean', 'filter.evil.smudge', 'filter.evil.process', 'diff.evil.textconv', 'diff.evil.command'],
  ...['merge.evil.driver', 'uploadpack.packObjectsHook', 'alias.merge-tree', 'alias.update-ref'],
];

const hooks = [
  'reference-transaction',
  'post-checkout',
  'post-index-change',
  'pre-auto-gc',
  'post-merge',
  'pre-commit',
];

/** Two juniors, so that orgrepo adds worktrees, reads trees, moves refs and merges after the traps are set. */
function trapScript(desk: string): string {
  return `
touch ${desk}/$ORGREPO_AGENT
[ $ORGREPO_ATTEMPT = 1 ] || { echo "done already"; exit 0; }
printf '#!/bin/sh\\necho "$0 $*" >> ${desk}/marker\\nexit 1\\n' > ${desk}/trap.sh
chmod +x ${desk}/trap.sh
${waitFor(`${desk}/junior-1`)}
${waitFor(`${desk}/junior-2`)}
common=$(git rev-parse --git-common-dir)
if [ $ORGREPO_AGENT = junior-1 ]; then
${traps.map((trap) => `git config ${trap} "${trap.startsWith('alias') ? '!' : ''}${desk}/trap.sh"`).join('\n')}
git config merge.default evil
git config core.hooksPath "$common/hooks"
echo '* filter=evil diff=evil merge=evil' >> "$common/info/attributes"
mkdir -p "$common/hooks"
for hook in ${hooks.join(' ')}; do cp ${desk}/trap.sh "$common/hooks/$hook"; done
touch ${desk}/set
fi
rm -f ${desk}/marker
${waitFor(`${desk}/set`)}
case $ORGREPO_AGENT in
junior-1) sed -i 's/a 9/a 3/' sandbox/numbers.txt ;;
junior-2) sed -i 's/g 9/g 3/' sandbox/numbers.txt ;;
esac
echo "$ORGREPO_AGENT was here"
`;
}

test("traps that an agent sets in the repository's own config, attributes and hooks run nothing in orgrepo", async () => {
  const desk = mkdtempSync(path.join(tmpdir(), 'orgrepo-traps-'));
  writeFileSync(path.join(desk, 'agent.sh'), trapScript(desk));
  const org = makeOrg({
    'program.md': briefText({
      juniors: '2',
      agent: `{ command: "sh ${desk}/agent.sh" }`,
      budget: '{ experiment: 10s, agent: 40s, night: 1h, attempts: 1, patience: 1000 }',
    }),
    'sandbox/numbers.txt': ['a 9', 'b 3', 'c 3', 'd 3', 'e 3', 'f 3', 'g 9', ''].join('\n'),
    'harness/run.sh': 'cat sandbox/numbers.txt > "$ORGREPO_OUT/numbers"\n',
    'harness/score.sh': `awk '{ loss += ($2 - 3) ^ 2 } END { print "loss: " loss }' "$ORGREPO_OUT/numbers"\n`,
    'specs/0001-one.md': '# one\n',
    'specs/0002-two.md': '# two\n',
  });
  made.push(org.dir, desk);
  const ran = await runNight(org, '--max', '2');
  assert.equal(existsSync(path.join(desk, 'set')), true, 'the traps were set');
  const fired = existsSync(path.join(desk, 'marker')) ? readFileSync(path.join(desk, 'marker'), 'utf8') : '';
  assert.equal(fired, '');
  // Going on unharmed is fine, and so is stopping because somebody has been at the repository.
  assert.equal([0, 5].includes(ran.code ?? -1), true, `${ran.code} ${ran.stderr} ${ran.stdout.slice(-500)}`);
});

const sabotage: readonly (readonly [string, string, RegExp])[] = [
  ['a setting', 'git config core.hooksPath /tmp/evil', /core\.hookspath in \.git\/config/],
  ['a hook', 'printf "#!/bin/sh\\n" > $(git rev-parse --git-common-dir)/hooks/pre-push', /\.git\/hooks\/pre-push/],
  [
    'other objects',
    'echo /tmp/elsewhere > $(git rev-parse --git-common-dir)/objects/info/alternates',
    /objects\/info\/alternates/,
  ],
  [
    'where a bench leads',
    'echo /tmp/evil > $(git rev-parse --git-dir)/commondir',
    /\.git\/worktrees\/orgrepo-junior-1/,
  ],
];

test('a change of what git obeys ends the night with exit 5, and says what it was; what people change does not', async () => {
  for (const [what, command, words] of sabotage) {
    const agent = scriptAgent([`${say('echo "loss: 9"')}; ${command}`, say('echo "loss: 8"')]);
    const org = obedientOrg(agent.brief, {
      budget: '{ experiment: 10s, agent: 10s, night: 1h, attempts: 1, patience: 1000 }',
    });
    made.push(org.dir);
    await org.orgrepo('submit', 'another');
    const ran = await runNight(org, '--max', '5');
    assert.equal(ran.code, 5, `${what}: ${ran.stderr} ${ran.stdout.slice(-1_000)}`);
    assert.deepEqual(endings(ran.experiments), ['keep 9'], what);
    assert.match(JSON.stringify(ran.facts.filter(({ fact }) => fact === 'warning')), words);
    if (what !== 'a setting') continue;
    assert.match(org.git('log', '-1', '--format=%B', 'orgrepo/queue'), /^end: .*changed how git works/);
    assert.match((await org.orgrepo('status')).stdout, /core\.hookspath in \.git\/config/);
    assert.equal((await org.orgrepo('verify')).code, 0);
    org.git('config', '--unset', 'core.hooksPath');
    assert.deepEqual(endings((await runNight(org, '--max', '1')).experiments), ['keep 8'], 'the next run goes on');
  }
  const harmless = [
    'config user.name somebody',
    'remote add upstream /tmp/x',
    'branch mine',
    'config push.default current',
  ];
  const agent = scriptAgent([`${say('echo "loss: 9"')}; ${harmless.map((words) => `git ${words}`).join('; ')}`]);
  const org = obedientOrg(agent.brief);
  made.push(org.dir);
  assert.equal((await runNight(org, '--max', '1')).code, 0);
  assert.equal(org.git('config', 'user.name'), 'somebody\n', 'it did');
});
