import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { factsIn, startNight, trailers } from '../support/night.ts';
import { briefText, makeOrg, quadratic, type TestOrg } from '../support/org.ts';
import type { Heard, Said, Wire } from '../support/provider-server/script.ts';
import { type ProviderServer, startProviderServer } from '../support/provider-server/server.ts';

/** Whole nights with the real SDKs, and a server on this machine at the other end. */

const orgs: TestOrg[] = [];
const servers: ProviderServer[] = [];
after(async () => {
  for (const org of orgs) org.remove();
  await Promise.all(servers.map((server) => server.close()));
});

const models: Readonly<Record<Exclude<Wire, 'responses'>, string>> = {
  anthropic: 'anthropic/claude-sonnet-4-5-20250929',
  openai: 'openai/gpt-5-2025-08-07',
  google: 'google/gemini-2.5-flash',
};

async function nightWith(reply: (heard: Heard) => Said, keys: (server: ProviderServer) => Record<string, string>) {
  const server = await startProviderServer(reply);
  servers.push(server);
  const org = makeOrg({ ...quadratic, 'program.md': briefText({ agent: '', ...keys(server) }) });
  orgs.push(org);
  return { server, org };
}

/** One number of the sandbox for each try, then the end. */
const reply = ({ told }: Heard): Said => {
  if (told.includes('replaced') || told.includes('must stand there once'))
    return { calls: [{ tool: 'finish', input: { title: 'a number nearer to 3', notes: 'it should be 3' } }] };
  const attempt = Number(/try (\d+) of/.exec(told)?.[1] ?? 1);
  const [old, now] = [
    ['first 9', 'first 3'],
    ['second 7', 'second 3'],
    ['third -4', 'third 3'],
  ][attempt - 1] ?? ['fourth 8', 'fourth 3'];
  return { calls: [{ tool: 'edit', input: { path: 'sandbox/numbers.txt', old, new: now } }] };
};

for (const [wire, model] of Object.entries(models) as [keyof typeof models, string][]) {
  test(`${wire}: a model works a spec, and what it cost is in the commits, to the token`, async () => {
    const { server, org } = await nightWith(reply, (started) => ({
      junior: `{ model: ${model}, base_url: ${started.baseUrl(wire)} }`,
      chief: '{ agent: search }',
    }));
    const run = startNight(org, 'run', '--json', '--max', '3');
    const ended = await run.ended;
    assert.equal(ended.code, 0, run.complained());
    const experiments = factsIn(run.said()).flatMap(({ experiment }) => experiment ?? []);
    assert.deepEqual(
      experiments.map(({ event }) => event),
      ['keep', 'keep', 'keep'],
      JSON.stringify(experiments),
    );
    const tries = (key: string): number[] => trailers(org, key, '--grep=^try:', 'orgrepo/work/0001').map(Number);
    const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
    assert.deepEqual(
      [sum(tries('Tokens-In')), sum(tries('Tokens-Out'))],
      [server.tally().tokensIn, server.tally().tokensOut],
    );
    assert.deepEqual(new Set(trailers(org, 'Model', '--grep=^try:', 'orgrepo/work/0001')), new Set([model]));
    assert.equal(org.orgrepo('verify').code, 0, org.orgrepo('verify').stdout);
  });
}

test('a cap on tokens ends the night cleanly, and is never passed', async () => {
  const { server, org } = await nightWith(reply, (started) => ({
    junior: `{ model: ${models.anthropic}, base_url: ${started.baseUrl('anthropic')} }`,
    chief: '{ agent: search }',
    budget: '{ experiment: 10s, agent: 10s, night: 1h, tokens_in: 30k, attempts: 50, patience: 1000 }',
  }));
  const run = startNight(org, 'run', '--json', '--max', '200');
  assert.equal((await run.ended).code, 2, run.complained());
  assert.equal(server.tally().tokensIn <= 30_000, true, `${server.tally().tokensIn}`);
  assert.equal(server.heard.length > 2, true);
});

test('a key that is refused stops the agent, and the night ends with what a person must do', async () => {
  const { org } = await nightWith(
    () => ({ fault: 'status', status: 401 }) as unknown as Said,
    (started) => ({
      junior: `{ model: ${models.openai}, base_url: ${started.baseUrl('openai')} }`,
      chief: '{ agent: search }',
    }),
  );
  const run = startNight(org, 'run', '--json', '--max', '20');
  assert.equal((await run.ended).code, 3, run.complained());
  const experiments = factsIn(run.said()).flatMap(({ experiment }) => experiment ?? []);
  assert.deepEqual(
    experiments.map(({ event }) => event),
    ['failed'],
  );
});

test('a model without a key is exit 4 before anything is written', () => {
  const org = makeOrg({ ...quadratic, 'program.md': briefText({ agent: '', model: models.anthropic }) });
  orgs.push(org);
  const ran = org.orgrepo('run');
  assert.equal(ran.code, 4, ran.stderr);
  assert.match(ran.stderr, /ANTHROPIC_API_KEY is not set/);
  assert.equal(org.git('for-each-ref', '--format=%(refname)').trim(), 'refs/heads/main');
});

test('a scripted model needs no key and no network: chief and junior from two files', async () => {
  const body = [
    '# Bring the first number to 3',
    'Hypothesis: the loss is the sum of squared distances to 3.',
    'Prediction: the loss falls by 36.',
    'Control: best as it is.',
    'Held fixed: the other numbers.',
    'Wrong if: the loss does not fall.',
  ].join('\n\n');
  const org = makeOrg({
    ...quadratic,
    'program.md': briefText({
      agent: '',
      model: 'scripted:models/junior.json',
      chief: '{ model: scripted:models/chief.json }',
      budget: '{ experiment: 10s, agent: 10s, night: 1h, attempts: 1, patience: 1000 }',
    }),
    'models/junior.json': JSON.stringify({
      conversations: [
        {
          turns: [
            {
              calls: [
                { tool: 'read', input: { path: 'sandbox/numbers.txt' } },
                { tool: 'run', input: {} },
              ],
            },
            { calls: [{ tool: 'edit', input: { path: 'sandbox/numbers.txt', old: 'first 9', new: 'first 3' } }] },
            { calls: [{ tool: 'finish', input: { title: 'first 3' } }] },
          ],
        },
      ],
    }),
    'models/chief.json': JSON.stringify({
      conversations: [
        {
          turns: [
            { calls: [{ tool: 'write', input: { path: 'specs/one.md', content: body } }] },
            { calls: [{ tool: 'finish', input: { title: 'one spec' } }] },
          ],
        },
      ],
    }),
  });
  orgs.push(org);
  const run = startNight(org, 'run', '--json', '--max', '2');
  assert.equal((await run.ended).code, 0, run.complained());
  const experiments = factsIn(run.said()).flatMap(({ experiment }) => experiment ?? []);
  assert.equal(experiments[0]?.event, 'keep', run.said());
  assert.match(org.git('log', '--format=%s', 'orgrepo/queue'), /spec: 0002 Bring the first number to 3/);
  assert.equal(org.orgrepo('verify').code, 0);
});

test('a script that is not there, or is none, is exit 6 before anything is written', () => {
  for (const [script, words] of [
    [undefined, /scripted:models\/junior\.json, and there is no such file/],
    ['{}', /it has no list of conversations/],
    ['nonsense', /it is no JSON/],
  ] as const) {
    const org = makeOrg({
      ...quadratic,
      'program.md': briefText({ agent: '', model: 'scripted:models/junior.json' }),
      ...(script === undefined ? {} : { 'models/junior.json': script }),
    });
    orgs.push(org);
    const ran = org.orgrepo('run');
    assert.equal(ran.code, 6, ran.stderr);
    assert.match(ran.stderr, words);
    assert.equal(org.git('for-each-ref', '--format=%(refname)').trim(), 'refs/heads/main');
  }
});

test('a chief that is refused is asked once, and the night ends when there is nothing else to do', async () => {
  const { server, org } = await nightWith(
    () => ({ fault: 'status', status: 401 }) as unknown as Said,
    (started) => ({
      agent: 'search',
      chief: `{ model: ${models.google}, base_url: ${started.baseUrl('google')} }`,
      budget: '{ experiment: 10s, agent: 10s, night: 1h, attempts: 2, patience: 1000 }',
    }),
  );
  const run = startNight(org, 'run', '--json', '--max', '20');
  assert.equal((await run.ended).code, 0, run.complained());
  assert.equal(server.heard.length, 1);
  assert.match(run.said(), /chief is stopped/);
});

test('what the machine refuses is told to the model, and the night goes on', async () => {
  const awkward = ['x'.repeat(300), 'numbers.txt/below', '../outside', '.git/config', 'a\0b', ''];
  const { server, org } = await nightWith(
    ({ told, turn }) =>
      turn === 1
        ? { calls: awkward.map((name) => ({ tool: 'write', input: { path: `sandbox/${name}`, content: 'x' } })) }
        : { calls: [{ tool: 'finish', input: { title: told.slice(0, 100) } }] },
    (started) => ({
      junior: `{ model: ${models.anthropic}, base_url: ${started.baseUrl('anthropic')} }`,
      chief: '{ agent: search }',
    }),
  );
  const run = startNight(org, 'run', '--json', '--max', '1');
  assert.equal((await run.ended).code, 0, run.complained());
  assert.match(server.heard[1]?.told ?? '', /could not be done: ENAMETOOLONG/);
  assert.match(server.heard[1]?.told ?? '', /not yours to write/);
});
