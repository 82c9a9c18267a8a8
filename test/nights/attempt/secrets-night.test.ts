import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { newObject, storeObject } from '../../../src/git/objects/tree.ts';
import { factsIn, obedientOrg, runNight, say, scriptAgent, startNight } from '../../support/night.ts';
import { briefText, makeOrg, type Ran, type TestOrg } from '../../support/org.ts';
import type { Heard, Said } from '../../support/provider-server/script.ts';
import { startProviderServer } from '../../support/provider-server/server.ts';
import { makeRepo } from '../../support/repo.ts';
import { encodings, madeSecrets } from '../../support/secrets.ts';

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
    ...tracesOf(org),
    ...files.flatMap((file) => [Buffer.from(file), readFileSync(path.join(git, file))]),
  ]);
}

/** What is packed inside of objects: the traces, unpacked. */
function tracesOf(org: TestOrg): Buffer[] {
  const refs = org.git('for-each-ref', '--format=%(refname)', 'refs/orgrepo/trace').trim().split('\n');
  const commits = refs.flatMap((ref) =>
    org.git('rev-list', '--first-parent', '--grep=^trace:', ref).trim().split('\n'),
  );
  return commits.map((id) =>
    gunzipSync(spawnSync('git', ['cat-file', 'blob', `${id}:trace.ndjson.gz`], { cwd: org.dir }).stdout),
  );
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

test('a hundred secrets in six encodings, in files, names, titles and output: none in any object, file or screen', async () => {
  const org = plantingOrg();
  const ran = await runNight(org);
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
  const traced = ran.experiments
    .filter(({ agent }) => agent === 'junior-7')
    .slice(2, 5)
    .map(({ n }) => ['show', `${n}`, '--trace']);
  const screens: Ran[] = [];
  for (const verb of [...verbs, ...traced, ...traced.map((verb) => [...verb, '--json'])])
    screens.push(await org.orgrepo(...verb));
  assert.equal(tracesOf(org).length, 7 * juniors);
  assert.equal(screens.at(-1)?.stdout.includes('[secret SECRET_'), true, screens.at(-1)?.stdout);
  assert.equal(screens[5]?.code, 0, screens[5]?.stdout);
  const said = [ran, ...screens].map(({ stdout, stderr }) => stdout + stderr).join('\n');
  assert.deepEqual(leaksIn(Buffer.from(said)), []);
  assert.deepEqual(leaksIn(contentsOf(org)), []);
});

/** A model is shown all of them by its tools, and says them all: in words, as a tool's input and in its title. */
const talkative = ({ told, turn }: Heard): Said => {
  const fifth = secrets.map((_, index) => index).filter((index) => index % 5 === turn % 5); // One for each turn of a try.
  const all = fifth.map((index) => readFileSync(path.join(planted, `${index}`, 'all'), 'utf8')).join('');
  if (told.includes('it ended with'))
    return { text: all, calls: [{ tool: 'read', input: { path: 'harness/planted.txt', [all]: all } }] };
  if (told.includes('1\t')) return { text: all, calls: [{ tool: 'search', input: { text: 'e' } }] };
  if (told.includes('sandbox/program:')) {
    const input = { path: 'sandbox/program', content: `echo "loss: ${turn}" # ${turn}\n` };
    return { text: all, calls: [{ tool: 'write', input }] };
  }
  if (told.includes('written')) return { calls: [{ tool: 'finish', input: { title: `done ${all}`, notes: all } }] };
  return { text: `${all}\n`, calls: [{ tool: 'run', input: {} }] };
};

test('what a model says and what its tools tell it: none of them in any object, trace or screen', async () => {
  const server = await startProviderServer(talkative);
  const org = obedientOrg('', {
    junior: `{ model: anthropic/claude-sonnet-4-5-20250929, base_url: ${server.baseUrl('anthropic')} }`,
    chief: '{ agent: search }',
  });
  removals.push(org.remove);
  // The harness makes the file that is read, so that no commit of a person's holds what it says.
  org.write(
    'harness/run.sh',
    `cat ${planted}/*/all; cat ${planted}/*/all >&2; cp sandbox/program "$ORGREPO_OUT/program"\n`,
  );
  org.write('harness/planted.txt', 'e: nothing\n');
  org.commit('a harness that tells');
  const run = startNight(org, 'run', '--json', '--max', '3');
  assert.equal((await run.ended).code, 0, run.complained());
  await server.close();
  const experiments = factsIn(run.said()).flatMap(({ experiment }) => experiment ?? []);
  assert.equal(experiments.length, 3);
  const first = `${experiments[0]?.n}`;
  const shown = [await org.orgrepo('show', first, '--trace'), await org.orgrepo('show', first, '--trace', '--json')];
  const said = [run.said(), run.complained(), ...shown.map(({ stdout, stderr }) => stdout + stderr)].join('\n');
  const hidden = new Set(said.match(/\[secret SECRET_\d+\]/g));
  assert.equal(hidden.size, 100, `${hidden.size}`);
  assert.deepEqual(leaksIn(Buffer.from(said)), []);
  assert.deepEqual(leaksIn(contentsOf(org)), []);
  assert.equal((await org.orgrepo('verify')).code, 0);
});

/** Texts that are longer than where they are cut, with a secret at the cut: in a title, in notes, a plan and a critique. */
const longWinded = ({ told, turn }: Heard): Said => {
  const secret = encodings[spellings[turn % spellings.length]?.[0] ?? '']?.(secrets[turn]?.value ?? '') ?? '';
  const cutAt = (length: number): string => `${'x'.repeat(length - 15)}${secret}${'y'.repeat(length)}`;
  if (told.includes('# Your spec, try'))
    return { calls: [{ tool: 'write', input: { path: 'sandbox/program', content: `echo "loss: ${turn}"\n` } }] };
  if (told.includes('written'))
    return { calls: [{ tool: 'finish', input: { title: cutAt(200), notes: `${cutAt(400)} ${cutAt(8 * 1024)}` } }] };
  return { calls: [{ tool: 'finish', input: { text: `${cutAt(200)}\n${cutAt(8 * 1024)}` } }] };
};

test('no text is cut before it is looked through: not even a part of one is in an object or on a screen', async () => {
  const server = await startProviderServer(longWinded);
  const org = obedientOrg('', {
    junior: `{ model: anthropic/claude-sonnet-4-5-20250929, base_url: ${server.baseUrl('anthropic')} }`,
    critics: `[{ model: openai/gpt-5-2025-08-07, base_url: ${server.baseUrl('openai')} }]`,
    chief: '{ agent: search }',
    risk: 'medium',
    budget: '{ experiment: 10s, agent: 10s, night: 1h, attempts: 1, patience: 1000 }',
  });
  removals.push(org.remove);
  for (const id of ['0002', '0003']) org.write(`specs/${id}-x.md`, `---\nid: "${id}"\ntitle: say ${id}\n---\n`);
  org.commit('a spec for each night');
  const said: string[] = [];
  for (const look of [['--json'], ['--ui', 'lines'], ['--ui', 'live']]) {
    const run = startNight(org, 'run', '--max', '1', ...look);
    assert.equal((await run.ended).code, 0, run.complained());
    said.push(run.said(), run.complained());
  }
  await server.close();
  assert.ok(said.join('').includes('[secret SECRET_'));
  for (const text of said) assert.deepEqual(leaksIn(Buffer.from(text)), [], text.slice(0, 3_000));
  assert.deepEqual(leaksIn(contentsOf(org)), []);
});

test('what is wrong with a file of a person is told without any part of a key that stands in it', async () => {
  const key = `sk-ant-api03-${secrets
    .slice(0, 3)
    .map(({ value }) => value.replaceAll(/\W/g, ''))
    .join('')}`;
  process.env.LONG_API_KEY = key;
  const org = obedientOrg('', { junior: `{ model: ${key} }`, chief: '{ agent: search }' });
  const spec = makeOrg({ 'specs/0001-x.md': `---\nid: ${key}\ntitle: x\n---\n`, 'program.md': briefText({}) });
  removals.push(org.remove, spec.remove, () => delete process.env.LONG_API_KEY);
  for (const { code, stdout, stderr } of [
    await org.orgrepo('plan'),
    await org.orgrepo('run'),
    await spec.orgrepo('run'),
  ]) {
    assert.notEqual(code, 0);
    assert.match(stderr, /(program|0001-x)\.md:\d+/);
    for (let at = 0; at + piece <= key.length; at++)
      assert.equal((stdout + stderr).includes(key.slice(at, at + piece)), false, stderr);
  }
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

test("a person's own file that has a secret stays theirs: nobody is blamed for it, and it is not written again", async () => {
  const agent = scriptAgent([
    `sed -i 's/loss: 10/loss: 9/' sandbox/program; echo 'beside it'`,
    `sed -i '/password/d; s/loss: 10/loss: 8/' sandbox/program; echo 'without it'`,
  ]);
  const org = obedientOrg(agent.brief);
  removals.push(org.remove);
  org.write('sandbox/program', `# password: ${secrets[0]?.value}\necho "loss: 10"\n`);
  org.commit('a password that should not be here');
  const ran = await runNight(org, '--max', '2');
  assert.deepEqual(
    ran.experiments.map(({ event, reason }) => [event, reason.replace(/^8 .*/, '')]),
    [
      ['discard', 'holds the secret SECRET_1 in sandbox/program, as it did before: take it out on the trunk'],
      ['keep', ran.experiments[1]?.reason],
    ],
  );
  assert.equal(ran.code, 0);
});

test('agents and harnesses get none of them', async () => {
  const agent = scriptAgent([
    `env > $HERE/environment; ${say('env > /dev/null; env | grep -c SECRET_; echo "loss: 9"')}`,
  ]);
  const org = obedientOrg(agent.brief);
  removals.push(org.remove);
  const ran = await runNight(org, '--max', '1');
  assert.equal(ran.experiments[0]?.event, 'keep');
  assert.doesNotMatch(readFileSync(path.join(agent.dir, 'environment'), 'utf8'), /SECRET_/);
});
