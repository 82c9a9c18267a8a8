import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { newObject, storeObject } from '../../src/git/objects.ts';
import { obedientOrg, runNight, say, scriptAgent } from '../support/night.ts';
import { briefText, makeOrg, type TestOrg } from '../support/org.ts';
import { makeRepo } from '../support/repo.ts';
import { encodings, madeSecrets } from '../support/secrets.ts';

/** Everything that is started from here has them in its environment, and so has this process. */
const secrets = madeSecrets(100);
for (const { name, value } of secrets) process.env[name] = value;
const spellings = Object.entries(encodings);

const removals: (() => void)[] = [];
after(() => {
  for (const remove of removals) remove();
});

/** Where an agent finds them: a file for each secret in each encoding, outside of any repository. */
const planted = mkdtempSync(path.join(tmpdir(), 'orgrepo-planted-'));
removals.push(() => rmSync(planted, { recursive: true, force: true }));
for (const [index, { value }] of secrets.entries()) {
  mkdirSync(path.join(planted, `${index}`));
  const texts = spellings.map(([, encode]) => encode(value));
  for (const [how, text] of [...texts.entries(), ['all', texts.join('\n')] as const])
    writeFileSync(path.join(planted, `${index}`, `${how}`), `${text}\n`);
}

const juniors = 34;

/**
 * Seven calls of each agent: three candidates whose measurement prints a secret in every encoding and crashes, one failure
 * that complains with one, and three candidates that hold one, in a file or in a file's name. A title always holds one.
 */
const agentScript = `
HERE=$(dirname "$0"); K=\${ORGREPO_AGENT#junior-}
C=$(( $(cat $HERE/$K 2>/dev/null || echo 0) + 1 )); echo $C > $HERE/$K
I=$(( ((K - 1) * 3 + C % 3) % ${secrets.length} )); E=$(( (K + C) % ${spellings.length} ))
case $C in
1|2|3) echo "cat ${planted}/$I/all; cat ${planted}/$I/all >&2; exit 1 # $K" > sandbox/program ;;
4) cat ${planted}/$I/$E >&2; exit 1 ;;
5|6) { echo "# $C $K"; cat sandbox/program ${planted}/$I/$E; } > sandbox/program.new; mv sandbox/program.new sandbox/program ;;
7) touch "sandbox/$(cat ${planted}/$I/3).txt" ;;
*) echo "nothing left"; exit 0 ;;
esac
cat ${planted}/$I/all
printf 'a title with '; cat ${planted}/$I/$E
`;

function plantingOrg(): TestOrg {
  const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-agent-'));
  writeFileSync(path.join(dir, 'agent.sh'), agentScript);
  const specs = Array.from({ length: juniors }, (_, index) => String(index + 1).padStart(4, '0')).map((id) => [
    `specs/${id}-say.md`,
    `---\nid: "${id}"\ntitle: say less, ${id}\nby: people\n---\nAnything goes.\n`,
  ]);
  const org = makeOrg({
    'program.md': briefText({
      agent: `{ command: "sh ${dir}/agent.sh" }`,
      budget: '{ experiment: 20s, agent: 20s, night: 1h, attempts: 8, patience: 1000 }',
      juniors: String(juniors),
      slots: '2',
    }),
    'sandbox/program': 'echo "loss: 10"\n',
    'harness/run.sh': 'cp sandbox/program "$ORGREPO_OUT/program"\n',
    'harness/score.sh': 'exec sh "$ORGREPO_OUT/program"\n',
    ...Object.fromEntries(specs),
  });
  removals.push(org.remove, () => rmSync(dir, { recursive: true, force: true }));
  return org;
}

/** Every object that the repository has, and every file of it that is none. */
function contentsOf(org: TestOrg): Buffer {
  const args = ['cat-file', '--batch-all-objects', '--batch', '--unordered'];
  const objects = spawnSync('git', args, { cwd: org.dir, maxBuffer: 1 << 30 });
  assert.equal(objects.status, 0);
  const git = path.join(org.dir, '.git');
  const files = readdirSync(git, { recursive: true, encoding: 'utf8' }).filter(
    (file) => !file.startsWith('objects/') && statSync(path.join(git, file)).isFile(),
  );
  assert.equal(
    files.some((file) => file.startsWith('orgrepo/')),
    true,
  );
  return Buffer.concat([
    objects.stdout,
    ...files.flatMap((file) => [Buffer.from(file), readFileSync(path.join(git, file))]),
  ]);
}

/** So many characters in a row of any spelling are more than chance: not even a piece of a secret may get anywhere. */
const piece = 12;
const pieces = new Map<string, string>();
for (const { name, value } of secrets)
  for (const [how, encode] of spellings)
    for (let at = 0, text = encode(value); at + piece <= text.length; at++)
      pieces.set(text.slice(at, at + piece), `${name} in ${how}`);

function leaksIn(content: Buffer): string[] {
  const text = content.toString('latin1');
  const found = new Set<string>();
  for (let at = 0; at + piece <= text.length; at++) {
    const whose = pieces.get(text.slice(at, at + piece));
    if (whose !== undefined) found.add(whose);
  }
  return [...found];
}

test('a hundred secrets in six encodings, in files, names, titles and output: none in any object, file or screen', () => {
  const org = plantingOrg();
  const ran = runNight(org);
  assert.equal(ran.code, 3, ran.stderr); // All agents are stopped: each has tampered three times.
  const count = (event: string): number => ran.experiments.filter((one) => one.event === event).length;
  assert.deepEqual(
    { tampered: count('tampered'), crash: count('crash'), fail: count('failed') },
    { tampered: 3 * juniors, crash: 3 * juniors, fail: juniors },
  );
  const tampered = ran.experiments.filter((one) => one.event === 'tampered');
  for (const { reason } of tampered)
    assert.match(reason, /^holds the secret SECRET_\d+ in (sandbox\/program|the name of a file)$/);
  assert.equal(
    new Set(tampered.map(({ reason }) => /SECRET_\d+/.exec(reason)?.[0])).size,
    100,
    'each of them was planted',
  );
  // Where 34 agents start at once on a busy machine, what one of them said may be lost; a secret is never told instead.
  const titles = ran.experiments.filter((one) => one.event === 'crash').map(({ title }) => title);
  const hidden = titles.filter((title) => /^a title with \S{0,2}\[secret SECRET_\d+\]/.test(title));
  assert.equal(hidden.length > titles.length / 2, true, titles.join('\n'));
  const verbs = [['log'], ['report'], ['status'], ['show', '1'], ['show', '1', '--json'], ['verify'], ['doctor']];
  const screens = verbs.map((verb) => org.orgrepo(...verb));
  assert.equal(screens[5]?.code, 0, screens[5]?.stdout);
  const said = [ran, ...screens].map(({ stdout, stderr }) => stdout + stderr).join('\n');
  assert.deepEqual(leaksIn(Buffer.from(said)), []);
  assert.deepEqual(leaksIn(contentsOf(org)), []);
});

test('no object that holds one of them can be written, whatever the encoding and whoever asks', async () => {
  const made = await makeRepo();
  const before = made.git('count-objects', '-v');
  for (const { name, value } of secrets)
    for (const [how, encode] of spellings)
      assert.throws(
        () => storeObject(made.repo, newObject('sha1', 'blob', `x = "${encode(value)}"\n`)),
        { code: 'credentials/exposed', message: new RegExp(`holds the secret ${name}$`) },
        how,
      );
  await made.repo.store.flush();
  assert.equal(made.git('count-objects', '-v'), before);
  await made.close();
});

test("a person's own file that has a secret stays theirs: nobody is blamed for it, and it is not written again", () => {
  const agent = scriptAgent([
    `sed -i 's/loss: 10/loss: 9/' sandbox/program; echo 'beside it'`,
    `sed -i '/password/d; s/loss: 10/loss: 8/' sandbox/program; echo 'without it'`,
  ]);
  const org = obedientOrg(agent.brief);
  removals.push(org.remove);
  org.write('sandbox/program', `# password: ${secrets[0]?.value}\necho "loss: 10"\n`);
  org.commit('a password that should not be here');
  const ran = runNight(org, '--max', '2');
  assert.deepEqual(
    ran.experiments.map(({ event, reason }) => [event, reason.replace(/^8 .*/, '')]),
    [
      ['discard', 'holds the secret SECRET_1 in sandbox/program, as it did before: take it out on the trunk'],
      ['keep', ran.experiments[1]?.reason],
    ],
  );
  assert.equal(ran.code, 0);
});

test('agents and harnesses get none of them', () => {
  const agent = scriptAgent([
    `env > $HERE/environment; ${say('env > /dev/null; env | grep -c SECRET_; echo "loss: 9"')}`,
  ]);
  const org = obedientOrg(agent.brief);
  removals.push(org.remove);
  const ran = runNight(org, '--max', '1');
  assert.equal(ran.experiments[0]?.event, 'keep');
  assert.doesNotMatch(readFileSync(path.join(agent.dir, 'environment'), 'utf8'), /SECRET_/);
});
