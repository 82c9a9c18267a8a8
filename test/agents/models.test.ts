import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { after, test } from 'node:test';
import { moveProviders } from '../support/far-providers.ts';
import { factsIn, startNight, trailers } from '../support/night.ts';
import { briefText, makeOrg, quadratic, type TestOrg } from '../support/org.ts';
import type { Seek } from '../support/provider-server/models.ts';
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
  if (told.includes('replaced') || told.includes('must be there exactly once'))
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
    assert.equal((await org.orgrepo('verify')).code, 0, (await org.orgrepo('verify')).stdout);
  });
}

test('a cap on tokens ends the night cleanly, and is never passed', async () => {
  const another = ({ told, turn }: Heard): Said =>
    told.includes('written')
      ? { calls: [{ tool: 'finish', input: { title: `number ${turn}` } }] }
      : { calls: [{ tool: 'write', input: { path: 'sandbox/numbers.txt', content: `first ${turn}\n` } }] };
  const { server, org } = await nightWith(another, (started) => ({
    junior: `{ model: ${models.anthropic}, base_url: ${started.baseUrl('anthropic')} }`,
    chief: '{ agent: search }',
    budget: '{ experiment: 10s, agent: 10s, night: 1h, tokens_in: 30k, attempts: 50, patience: 1000 }',
  }));
  const run = startNight(org, 'run', '--json', '--max', '200');
  assert.equal((await run.ended).code, 2, run.complained());
  assert.equal(server.tally().tokensIn <= 30_000, true, `${server.tally().tokensIn}`);
  assert.equal(server.heard.length > 2, true);
});

test('a key that is refused in the middle of a night stops the agent, and the night ends with what a person must do', async () => {
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

for (const [wire, model] of Object.entries(models) as [keyof typeof models, string][]) {
  const [, id = ''] = model.split('/');
  const key = `a-key-of-${wire}-0123456789`;
  const variable = { anthropic: 'ANTHROPIC_API_KEY', openai: 'OPENAI_API_KEY', google: 'GOOGLE_API_KEY' }[wire];
  const byBrief = { 'program.md': briefText({ agent: 'search', chief: `{ model: ${model} }` }) };
  const byChart = {
    'ORG.md': `# Lab\n## Structure\n### Lead\n#### Worker\n- **Model:** ${model}\n`,
  };
  /** What its own provider would say to its own key. */
  async function meet(seek: Seek, verb: string, files: Readonly<Record<string, string>> = byBrief) {
    const server = await startProviderServer([], seek);
    servers.push(server);
    moveProviders(new URL(server.baseUrl(wire)).origin);
    process.env[variable] = key;
    const org = makeOrg({ ...quadratic, ...files });
    delete process.env[variable];
    orgs.push(org);
    const ran = startNight(org, verb); // The server is in this process, which must not wait.
    const { code } = await ran.ended;
    const said = ran.said() + ran.complained();
    assert.deepEqual(server.sought, [{ wire, model: id, key }]);
    assert.equal(org.git('for-each-ref', '--format=%(refname)').trim(), 'refs/heads/main');
    assert.equal(said.includes(key), false);
    return { code, said };
  }

  test(`${wire}: a refused key is exit 4 before anything is written, by the name of its variable`, async () => {
    const { code, said } = await meet(() => 401, 'run');
    assert.equal(code, 4, said);
    assert.match(said, new RegExp(`${variable} is refused: ${wire} 401: the script says 401`));
    assert.match(said, new RegExp(`get another: https://.*export ${variable}=…`));
  });

  test(`${wire}: a model that is not there is exit 6 with its line, and doctor says so too`, async () => {
    for (const verb of ['run', 'doctor']) {
      const { code, said } = await meet(() => 404, verb);
      assert.equal(code, 6, said);
      const words = new RegExp(`program\\.md:\\d+:\\d+: model is ${model}, and there is no such model for this key`);
      assert.match(said, words);
      assert.equal(/program\.md:1:/.test(said), false);
    }
  });

  test(`${wire}: a model of the chart is asked for before the night like one of the brief`, async () => {
    const refused = await meet(() => 401, 'run', byChart);
    assert.equal(refused.code, 4, refused.said);
    const unknown = await meet(() => 404, 'run', byChart);
    assert.equal(unknown.code, 6, unknown.said);
    assert.match(unknown.said, new RegExp(`ORG\\.md:4:\\d+: model is ${model}, and there is no such model`));
  });
}

test('a server of one’s own that refuses the key is exit 4; one that has no list of models is asked all the same', async () => {
  const started = async (seek: Seek, inFile: boolean) => {
    const server = await startProviderServer(reply, seek);
    servers.push(server);
    const junior = `{ model: ${models.openai}, base_url: ${server.baseUrl('openai')} }`;
    const brief = briefText({ agent: '', junior, chief: '{ agent: search }' });
    const org = makeOrg({ ...quadratic, 'program.md': brief });
    orgs.push(org);
    if (inFile) {
      org.write('.git/info/exclude', '/.orgrepo/\n');
      org.write('.orgrepo/keys', 'ORGREPO_MODEL_KEY=a-key-that-opens-nothing\n');
      chmodSync(`${org.dir}/.orgrepo/keys`, 0o600);
    }
    const run = startNight(org, 'run', '--json', '--max', '1');
    return { code: (await run.ended).code, said: run.said() + run.complained(), server };
  };
  const refused = await started(() => 403, true);
  assert.equal(refused.code, 4, refused.said);
  assert.match(refused.said, /ORGREPO_MODEL_KEY of \.orgrepo\/keys is refused by http:\/\/127/);
  const unset = await started(() => 401, false);
  assert.match(unset.said, /ORGREPO_MODEL_KEY is not set, and http:\/\/127.* wants a key/);
  assert.equal(unset.code, 4);
  for (const status of [404, 405, 503]) {
    const { code, said, server } = await started(() => (status === 405 ? undefined : status), true);
    assert.equal(code, 0, said);
    assert.equal(server.sought.length, 1);
  }
});

test('a model without a key is exit 4 before anything is written', async () => {
  const org = makeOrg({ ...quadratic, 'program.md': briefText({ agent: '', model: models.anthropic }) });
  orgs.push(org);
  const ran = await org.orgrepo('run');
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
  assert.equal((await org.orgrepo('verify')).code, 0);
});

test('a script that is not there, or is none, is exit 6 before anything is written', async () => {
  for (const [script, words] of [
    [undefined, /program\.md:11:8: model is scripted:models\/junior\.json, and there is no such file/],
    ['{}', /it has no list of conversations/],
    ['nonsense', /it is no JSON/],
  ] as const) {
    const org = makeOrg({
      ...quadratic,
      'program.md': briefText({ agent: '', model: 'scripted:models/junior.json' }),
      ...(script === undefined ? {} : { 'models/junior.json': script }),
    });
    orgs.push(org);
    const ran = await org.orgrepo('run');
    assert.equal(ran.code, 6, ran.stderr);
    assert.match(ran.stderr, words);
    assert.equal(org.git('for-each-ref', '--format=%(refname)').trim(), 'refs/heads/main');
  }
});

test('a script that is not there is told by the line of whoever was to play it', async () => {
  const org = makeOrg({ ...quadratic, 'program.md': briefText({ chief: '{ model: scripted:models/none.json }' }) });
  orgs.push(org);
  const ran = await org.orgrepo('run');
  assert.equal(ran.code, 6, ran.stderr);
  assert.match(ran.stderr, /program\.md:12:\d+: model is scripted:models\/none\.json/);
  org.write('program.md', briefText({}));
  org.write('ORG.md', '# A\n\n## Structure\n\n### Lead\n- **Model:** scripted:models/none.json\n');
  org.commit('a chart');
  const charted = await org.orgrepo('run');
  assert.equal(charted.code, 6, charted.stderr);
  assert.match(charted.stderr, /ORG\.md:5:1: model is scripted:models\/none\.json/);
});

test('a chief that is refused in the middle of a night is asked once, and the night ends when there is nothing else to do', async () => {
  const { server, org } = await nightWith(
    () => ({ fault: 'status', status: 401 }) as unknown as Said,
    (started) => ({
      agent: 'search',
      chief: `{ model: ${models.google}, base_url: ${started.baseUrl('google')} }`,
      budget: '{ experiment: 10s, agent: 10s, night: 1h, attempts: 2, patience: 1000 }',
    }),
  );
  const run = startNight(org, 'run', '--json', '--max', '20');
  assert.equal((await run.ended).code, 3, run.complained());
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
