import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { storeTrace } from '../../src/agents/trace/trace-book.ts';
import { openOrg } from '../../src/records/org.ts';
import { learnSecrets } from '../../src/secrets/known-secrets.ts';
import { forge } from '../support/forge.ts';
import {
  factsIn,
  obedientOrg,
  runNight,
  say,
  scriptAgent,
  spawnNight,
  startNight,
  trailers,
} from '../support/night.ts';
import { briefText, makeOrg, quadratic, type TestOrg } from '../support/org.ts';
import type { Heard, Said } from '../support/provider-server/script.ts';
import { type ProviderServer, startProviderServer } from '../support/provider-server/server.ts';

const orgs: TestOrg[] = [];
const servers: ProviderServer[] = [];
after(async () => {
  for (const org of orgs) org.remove();
  await Promise.all(servers.map((server) => server.close()));
});

function kept(org: TestOrg): TestOrg {
  orgs.push(org);
  return org;
}

/** The stored text of a trace, read by git and zlib alone. */
function traceAt(org: TestOrg, commit: string): Record<string, unknown>[] {
  const ran = spawnSync('git', ['cat-file', 'blob', `${commit}:trace.ndjson.gz`], { cwd: org.dir });
  const lines = gunzipSync(ran.stdout).toString('utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** The first try changes a number, the second changes nothing, the third is refused by its own model. */
const reply = ({ told }: Heard): Said => {
  const attempt = Number(/try (\d+) of/.exec(told)?.[1] ?? 1);
  if (attempt === 2) return { calls: [{ tool: 'finish', input: { title: 'nothing to do' } }] };
  if (attempt === 3) return { text: 'I will not.', stop: 'refused' };
  if (told.includes('replaced')) return { calls: [{ tool: 'finish', input: { title: 'first 3' } }] };
  return {
    text: 'I \u001b[31mread\u0007 it first.',
    calls: [{ tool: 'edit', input: { path: 'sandbox/numbers.txt', old: 'first 9', new: 'first 3' } }],
  };
};

test('every attempt of a model leaves its trace, also one without a candidate; show reads it and verify knows it', async () => {
  const server = await startProviderServer(reply);
  servers.push(server);
  const model = 'anthropic/claude-sonnet-4-5-20250929';
  const brief = {
    agent: '',
    junior: `{ model: ${model}, base_url: ${server.baseUrl('anthropic')} }`,
    chief: '{ agent: search }',
  };
  const org = kept(makeOrg({ ...quadratic, 'program.md': briefText(brief) }));
  const run = startNight(org, 'run', '--json', '--max', '3');
  assert.equal((await run.ended).code, 0, run.complained());
  const experiments = factsIn(run.said()).flatMap(({ experiment }) => experiment ?? []);
  assert.deepEqual(
    experiments.map(({ event }) => event),
    ['keep', 'unchanged', 'failed'],
  );
  const ref = 'refs/orgrepo/trace/0001';
  const range = ['--first-parent', '--grep=^trace:', ref];
  assert.deepEqual(trailers(org, 'Experiment', ...range), ['1', '2', '3']);
  assert.deepEqual(trailers(org, 'Model', ...range), [model, model, model]);
  const tries = trailers(org, 'Cause', ...range);
  assert.deepEqual(
    tries.map((id) => org.git('log', '-1', '--format=%(trailers:key=Org-Experiment,valueonly,separator=)', id).trim()),
    ['1', '2', '3'],
  );
  assert.match(org.git('log', '-1', '--format=%b', `${ref}~2`), /^tools: edit 1, finish 1$/m);

  const lines = traceAt(org, `${ref}~2`);
  assert.deepEqual(
    lines.map(({ from }) => from),
    ['system', 'us', 'model', 'us', 'model', 'us', 'orgrepo'],
  );
  const parts = lines[2]?.parts as { kind: string; tool?: string; input?: unknown }[];
  assert.deepEqual(
    parts.map(({ kind, tool }) => tool ?? kind),
    ['text', 'edit'],
  );
  assert.deepEqual(parts[1]?.input, { path: 'sandbox/numbers.txt', old: 'first 9', new: 'first 3' });
  assert.equal(lines[2]?.stop, 'calls');
  assert.equal(lines[2]?.model, 'claude-sonnet-4-5-20250929');
  assert.deepEqual(Object.keys(Object(lines[2]?.usage)).slice(0, 2), ['tokensIn', 'tokensOut']);

  const screen = await org.orgrepo('show', '1', '--trace');
  assert.equal(screen.code, 0, screen.stderr);
  assert.match(screen.stdout, /^#1 {2}trace {3}junior-1 {3}anthropic\/claude-sonnet-4-5-20250929 {3}2 answers, /);
  assert.match(screen.stdout, /\n {2}I read\\x07 it first\.\n {2}> edit \{"path":"sandbox\/numbers\.txt",/);
  assert.match(screen.stdout, /\nedited: first 3\n/);
  assert.match((await org.orgrepo('show', '3', '--trace')).stdout, /failed: the model: the model refused/);
  const json = (await org.orgrepo('show', '1', '--trace', '--json')).stdout;
  assert.deepEqual(
    json
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
    lines,
  );
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout);
});

test('a program leaves what it printed; the search agents have no trace, and show says so', async () => {
  const agent = scriptAgent([`echo thinking >&2; ${say('echo "loss: 9"', 'nine')}`, 'echo broken >&2; exit 3']);
  const org = kept(obedientOrg(agent.brief));
  const ran = await runNight(org, '--max', '2');
  assert.equal(ran.code, 0, ran.stderr);
  const printed = traceAt(org, 'refs/orgrepo/trace/0001~1');
  assert.deepEqual(printed, [
    { from: 'process', stream: 'stdout', text: 'nine\n', bytes: 5 },
    { from: 'process', stream: 'stderr', text: 'thinking\n', bytes: 9 },
  ]);
  assert.match((await org.orgrepo('show', '2', '--trace')).stdout, /stderr, 7 bytes\n {2}broken\n/);
  assert.equal((await org.orgrepo('verify')).code, 0);

  const searching = kept(makeOrg());
  await runNight(searching, '--max', '1');
  const shown = await searching.orgrepo('show', '1', '--trace');
  assert.deepEqual([shown.code, shown.stdout], [0, '']);
  assert.match(shown.stderr, /^#1 has no trace: junior-1 keeps none/);
  assert.equal(searching.git('for-each-ref', 'refs/orgrepo/trace'), '');
});

test('a program that prints a hundred megabytes leaves a trace of at most one, and says what is left out', async () => {
  const noise = 'head -c 75000000 /dev/urandom | base64 -w 100';
  const agent = scriptAgent([`echo first; ${noise}; echo last; ${say('echo "loss: 9"')}`]);
  const org = kept(obedientOrg(agent.brief, { budget: '{ experiment: 10s, agent: 60s, night: 1h }' }));
  const ran = await runNight(org, '--max', '1');
  assert.equal(ran.experiments[0]?.event, 'keep', ran.stderr);
  const size = Number(org.git('cat-file', '-s', 'refs/orgrepo/trace/0001:trace.ndjson.gz'));
  assert.equal(size <= 1024 * 1024 && size > 200_000, true, `${size}`);
  const [{ text, bytes } = { text: '', bytes: 0 }] = traceAt(org, 'refs/orgrepo/trace/0001') as {
    text: string;
    bytes: number;
  }[];
  assert.equal(bytes > 100_000_000, true);
  assert.match(text, /^first\n[\s\S]*characters left out[\s\S]*\nlast\nsay it\n$/);
  assert.equal((await org.orgrepo('verify')).code, 0);
});

test('whoever is killed loses a trace at most: what is left holds, and the next run goes on', async () => {
  const step = (n: number): string =>
    `head -c 150000 /dev/urandom | base64; ${say(`echo "loss: $(( 10 + ${n} ))"`, `try ${n}`)}`;
  const agent = scriptAgent(Array.from({ length: 60 }, (_, index) => step(index)));
  const org = kept(obedientOrg(agent.brief));
  for (let kill = 1; kill <= 6; kill++) {
    const run = spawnNight(org, 'run', '--json');
    // At once when so many verdicts are told: traces of the last of them are still on their way.
    run.child.stdout?.on('data', () => {
      if (run.said().split('"fact":"experiment"').length - 1 >= kill) process.kill(-(run.child.pid ?? 0), 'SIGKILL');
    });
    assert.equal((await run.ended).signal, 'SIGKILL', run.complained());
    const verified = await org.orgrepo('verify');
    assert.equal(verified.code, 0, `after kill ${kill}: ${verified.stdout}`);
  }
  const last = await runNight(org, '--max', '2');
  assert.equal(last.code, 0, last.stderr);
  assert.equal((await org.orgrepo('verify')).code, 0);
  const traces = trailers(org, 'Experiment', '--first-parent', '--grep=^trace:', 'refs/orgrepo/trace/0001').map(Number);
  assert.equal(traces.length >= 15, true, `${traces}`);
  assert.deepEqual(
    traces,
    [...new Set(traces)].sort((a, b) => a - b),
  );
});

test('a trace that was changed, moved or is of another try is found by verify', async () => {
  const agent = scriptAgent([say('echo "loss: 9"'), say('echo "loss: 8"')]);
  const org = kept(obedientOrg(agent.brief));
  await runNight(org, '--max', '2');
  const ref = 'refs/orgrepo/trace/0001';
  const tip = org.git('rev-parse', ref).trim();
  const left = org.git('rev-parse', `${ref}~1`).trim();
  const findings = async (): Promise<string> => {
    const { code, stdout } = await org.orgrepo('verify');
    return `${code} ${stdout}`;
  };
  org.git('update-ref', ref, left);
  assert.match(await findings(), /^5 [\s\S]*was moved back or taken away/);
  org.git('update-ref', ref, tip);
  assert.match(await findings(), /^0 /);

  const opened = await openOrg(org.dir);
  const cause = org.git('rev-parse', `${left}^2`).trim();
  const one = { agent: 'junior-1', spec: '0001', model: undefined, text: '{}\n' };
  await storeTrace(opened, { ...one, n: 2, cause });
  await opened.repo.close();
  assert.match(await findings(), /^5 [\s\S]*it is the trace of another try/);
});

test('what is known to be secret is not in what is packed, whoever wrote it and however it is cut', async () => {
  const secret = `sk-${randomBytes(20).toString('hex')}`;
  process.env.A_TEST_TOKEN = secret;
  learnSecrets([{ name: 'A_TEST_TOKEN', value: secret }]);
  const org = kept(makeOrg());
  await runNight(org, '--max', '1');
  const opened = await openOrg(org.dir);
  const cause = org.git('rev-parse', 'orgrepo/work/0001^2').trim();
  const filler = JSON.stringify({ from: 'orgrepo', text: randomBytes(3_000).toString('base64') });
  const line = JSON.stringify({ from: 'us', parts: [{ kind: 'result', tool: 'read', text: `key ${secret}!` }] });
  const key = JSON.stringify({ from: 'model', parts: [{ kind: 'call', tool: 'x', input: { [secret]: secret } }] });
  const text = `${[secret, line, key, ...Array(1_500).fill(filler), line].join('\n')}\n`;
  await storeTrace(opened, { agent: 'junior-1', spec: '0001', n: 1, model: undefined, cause, text });
  await opened.repo.close();
  const shown = spawnSync('git', ['cat-file', 'blob', 'refs/orgrepo/trace/0001:trace.ndjson.gz'], { cwd: org.dir });
  const stored = gunzipSync(shown.stdout).toString('utf8');
  assert.equal(stored.includes(secret.slice(5, 20)), false);
  assert.equal(stored.split('[secret A_TEST_TOKEN]').length - 1, 5);
  assert.match(stored, /lines with \d+ characters left out/);
  assert.equal(stored.length <= 4 * 1024 * 1024, true);

  // Somebody who is no orgrepo packs one into a trace.
  const blob = spawnSync('git', ['hash-object', '-w', '--stdin'], { cwd: org.dir, input: gzipSync(`x ${secret} x`) });
  const tree = spawnSync('git', ['mktree'], {
    cwd: org.dir,
    input: `100644 blob ${blob.stdout.toString().trim()}\ttrace.ndjson.gz\n`,
  });
  forge(org, 'refs/orgrepo/trace/0001', (text) => text.replace(/^tree .*/, `tree ${tree.stdout.toString().trim()}`));
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 5);
  assert.match(verified.stdout, /its trace is not as it was stored[\s\S]*the secret A_TEST_TOKEN/);
});
