import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { type JailChoice, whyNot } from '../../src/jail/jail.ts';
import { logCodexIn } from '../support/codex-login.ts';
import { hostileIncludes, hostileRepository, hostileWords } from '../support/hostile-repository.ts';
import { factsIn, startNight, trailers } from '../support/night.ts';
import { briefText, makeOrg, quadratic, root, type TestOrg } from '../support/org.ts';
import type { Broken, Heard, Reply, Said } from '../support/provider-server/script.ts';
import { type ProviderServer, startProviderServer } from '../support/provider-server/server.ts';

/** The programs of the npm registry with a person's own login, and a server on this machine in the place of their provider. */

const home = mkdtempSync(path.join(tmpdir(), 'orgrepo-logins-'));
const marks = path.join(home, 'marks');
const orgs: TestOrg[] = [];
const servers: ProviderServer[] = [];
after(async () => {
  for (const org of orgs) org.remove();
  rmSync(home, { recursive: true, force: true });
  await Promise.all(servers.map((server) => server.close()));
});

const token = 'sk-ant-oat01-of-nobody-31415926';
process.env.CLAUDE_CODE_OAUTH_TOKEN = token;
process.env.ANTHROPIC_API_KEY = 'sk-ant-not-to-be-used-31415926';
process.env.OPENAI_API_KEY = 'sk-not-to-be-used-31415926';
const codexHome = path.join(home, 'codex');
const login = logCodexIn(codexHome);
const { PATH } = process.env;

interface Real {
  readonly model: string;
  /** Where it is, from .programs/. */
  readonly place: string;
  /** Sends it to the server, which a login never lets a brief do. */
  readonly wrapper: (program: string, server: string) => string;
  readonly edit: Said;
}

const shell = "sed -i 's/first 9/first 3/' sandbox/numbers.txt";
const toServer = (program: string, server: string): string => `ANTHROPIC_BASE_URL=${server} exec ${program} "$@"`;
const claude = {
  model: 'anthropic/claude-sonnet-4-5-20250929',
  wrapper: toServer,
  edit: { calls: [{ tool: 'Bash', input: { command: shell, description: 'brings the first number to 3' } }] },
};
const real: Readonly<Record<string, Real>> = {
  claude: { ...claude, place: 'bin/claude' },
  'claude of Node 20': { ...claude, place: 'bin-of-node-20/claude' },
  codex: {
    model: 'openai/gpt-5-2025-08-07',
    place: 'bin/codex',
    wrapper: (program, server) =>
      [
        `[ "$1" = exec ] || exec ${program} "$@"; shift`,
        `CODEX_REFRESH_TOKEN_URL_OVERRIDE=${server}/oauth/token exec ${program} exec -c 'openai_base_url="${server}/v1"' \\`,
        `-c 'chatgpt_base_url="${server}"' -c features.enable_request_compression=false "$@"`,
      ].join('\n'),
    edit: { calls: [{ tool: 'exec_command', input: { cmd: shell } }] },
  },
};

const done: Said = { text: 'It should be 3, as the loss says.\n\nbring the first number to 3' };
const play =
  ({ edit }: Real): Reply =>
  (heard: Heard) =>
    /function_?call_output|tool_result/i.test(JSON.stringify(heard.body)) ? done : edit;

interface Night {
  readonly keys?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly jail?: JailChoice;
  readonly says?: Reply;
  /** Left out, it is sent to the server of the test. */
  readonly wrapped?: false;
}

async function orgFor(name: string, { keys = {}, files = {}, jail = 'none', says, wrapped }: Night) {
  const one = real[name] as Real;
  const server = await startProviderServer(says ?? play(one));
  servers.push(server);
  const program = path.basename(one.place);
  const bin = mkdtempSync(path.join(home, 'of-'));
  for (const dir of [home, bin]) chmodSync(dir, 0o755); // A cell may belong to somebody else.
  mkdirSync(path.join(bin, 'bin'));
  const wrapper = path.join(bin, 'bin', program);
  writeFileSync(
    wrapper,
    `#!/bin/sh\n${one.wrapper(path.join(root, '.programs', one.place), server.baseUrl('anthropic'))}\n`,
  );
  chmodSync(wrapper, 0o755);
  process.env.PATH = `${wrapped === false ? path.join(root, '.programs/bin') : path.dirname(wrapper)}:${PATH}`;
  const brief = briefText({
    ...{ agent: program, model: one.model, chief: '{ agent: search }', show: `[${path.join(root, '.programs')}]` },
    budget: '{ experiment: 10s, agent: 60s, night: 1h, attempts: 2, patience: 1000 }',
    ...keys,
  });
  const org = makeOrg({ ...quadratic, ...files, 'program.md': brief }, jail);
  orgs.push(org);
  return { server, org };
}

async function nightOf(name: string, night: Night = {}) {
  const { server, org } = await orgFor(name, night);
  const run = startNight(org, 'run', '--json', '--max', '1');
  const { code } = await run.ended;
  const experiments = factsIn(run.said()).flatMap(({ experiment }) => experiment ?? []);
  return { server, org, code, experiments, said: run.complained() + run.said() };
}

const missing = (name: string): string | false =>
  existsSync(path.join(root, '.programs', real[name]?.place ?? ''))
    ? false
    : `${name} is not installed: scripts/install-programs.sh`;

const unjailed = await whyNot('bubblewrap');

for (const [name, { model }] of Object.entries(real)) {
  const skip = missing(name) || (unjailed === undefined ? false : `no bubblewrap here: ${unjailed}`);
  test(`${name} works a spec with a login, and obeys no repository`, { skip }, async () => {
    // What a brief allows stays in the bench, so that only the program's own options stand against it.
    const allow = '[CLAUDE.md, CLAUDE.local.md, AGENTS.md, AGENTS.override.md, .claude/**, .mcp.json, .codex/**]';
    const keys = { include: hostileIncludes, allow };
    const night = { keys, files: hostileRepository(marks), jail: 'bubblewrap' } as const;
    const { server, org, code, experiments, said } = await nightOf(name, night);
    assert.equal(code, 0, said);
    assert.deepEqual(
      experiments.map(({ event, score, title }) => [event, score, title]),
      [['keep', 90, 'bring the first number to 3']],
      said,
    );
    assert.equal(JSON.stringify(server.heard.map(({ body }) => body)).includes('EVILWORD'), false);
    assert.deepEqual(
      ['hook', 'mcp'].filter((mark) => existsSync(path.join(marks, mark))),
      [],
    );
    const bearer = `Bearer ${name === 'codex' ? login.access : token}`;
    assert.deepEqual([...new Set(server.heard.map(({ headers }) => headers.authorization))], [bearer]);
    assert.deepEqual([...new Set(server.heard.map(({ headers }) => headers['x-api-key']))], [undefined]);
    const told = (key: string): string => trailers(org, key, '--grep=^try:', 'orgrepo/work/0001')[0] ?? '';
    const { tokensIn, tokensOut } = server.tally();
    assert.deepEqual(['Model', 'Tokens-In', 'Tokens-Out', 'Cost-USD', 'Paid-By'].map(told), [
      model,
      String(tokensIn),
      String(tokensOut),
      '',
      'subscription',
    ]);
    const written = org.git('log', '--all', '-p', '--format=%B') + said;
    for (const secret of [token, login.access, login.refresh]) assert.equal(written.includes(secret), false);
    assert.equal((await org.orgrepo('verify')).code, 0);
  });
}

test('claude with a login obeys a repository where the brief allows that', {
  skip: missing('claude'),
}, async () => {
  const keys = { own_config: 'true', include: '[CLAUDE.md]' };
  const { server, code, said } = await nightOf('claude', { keys, files: { 'CLAUDE.md': hostileWords } });
  assert.equal(code, 0, said);
  assert.equal(JSON.stringify(server.heard[0]?.body).includes('EVILWORD'), true);
});

/** As its provider says that the window of a subscription is used up, for so many seconds. */
function usedUp(name: string, seconds: number): Broken {
  const at = Math.floor(Date.now() / 1000) + seconds;
  const limit = { type: 'usage_limit_reached', message: 'The usage limit has been reached', plan_type: 'plus' };
  if (name === 'codex') return { fault: 'status', status: 429, body: { error: { ...limit, resets_at: at } } };
  const unified = 'anthropic-ratelimit-unified';
  const headers = {
    ...{ [`${unified}-status`]: 'rejected', [`${unified}-reset`]: String(at), 'x-should-retry': 'false' },
    [`${unified}-representative-claim`]: 'five_hour',
  };
  return { fault: 'status', status: 429, headers };
}

test('claude goes on when the window of its subscription opens', {
  skip: missing('claude'),
}, async () => {
  let isFull = true;
  const says: Reply = (heard) => {
    const full = isFull && usedUp('claude', 3);
    isFull = false;
    return full || (play(real.claude as Real) as (heard: Heard) => Said)(heard);
  };
  const { code, experiments, said } = await nightOf('claude', { says });
  assert.deepEqual([code, experiments.map(({ event }) => event)], [0, ['keep']], said);
  assert.match(said, /claude: your subscription is used up for now; asked again in [1-4] s/);
});

test('codex waits for its window as long as the night goes on', {
  skip: missing('codex'),
}, async () => {
  const budget = '{ experiment: 10s, agent: 60s, night: 3s, attempts: 2, patience: 1000 }';
  const { org, code, experiments, said } = await nightOf('codex', {
    keys: { budget },
    says: () => usedUp('codex', 7_200),
  });
  assert.deepEqual([code, experiments], [0, []], said);
  assert.match(said, /codex: your subscription is used up for now; asked again at \S+Z, in (2 h|1 h 59 m)/);
  const { spent } = JSON.parse((await org.orgrepo('status', '--json')).stdout);
  assert.deepEqual([spent.tokens_in, spent.set_aside], [0, undefined], said);
});

test('codex cannot renew a login that is refused, and its agent stops', {
  skip: missing('codex'),
}, async () => {
  const before = readFileSync(login.file, 'utf8');
  const refused: Broken = { fault: 'status', status: 401, body: { error: { message: 'token expired' } } };
  const { code, experiments, said } = await nightOf('codex', { says: () => refused });
  assert.equal(code, 3, said);
  assert.match(
    experiments[0]?.reason ?? '',
    /Start codex once by hand: it renews its login, which orgrepo only reads$/,
  );
  assert.equal(readFileSync(login.file, 'utf8'), before);
});

for (const name of ['claude', 'codex'])
  test(`doctor starts ${name} with its login, and says which one`, { skip: missing(name) }, async () => {
    const { org } = await orgFor(name, { wrapped: false });
    const { stdout } = await org.orgrepo('doctor');
    assert.match(stdout, new RegExp(`ok {4}${name} [\\d.]+ \\(\\S+\\) starts and asks its model`));
    const from = name === 'codex' ? login.file : 'CLAUDE_CODE_OAUTH_TOKEN';
    assert.equal(stdout.includes(`ok    ${name} by your subscription, with ${from}, for junior-1;`), true, stdout);
  });
