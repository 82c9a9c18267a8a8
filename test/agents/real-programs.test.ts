import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { type JailChoice, whyNot } from '../../src/jail/jail.ts';
import { hostileIncludes, hostileRepository, hostileWords } from '../support/hostile-repository.ts';
import { factsIn, startNight, trailers } from '../support/night.ts';
import { briefText, makeOrg, quadratic, root, type TestOrg } from '../support/org.ts';
import type { Heard, Reply, Said, Wire } from '../support/provider-server/script.ts';
import { type ProviderServer, startProviderServer } from '../support/provider-server/server.ts';

/** The programs themselves, as the npm registry has them, with a server on this machine in the place of their provider. */

const { PATH } = process.env;
// With keys: logins are in real-logins.test.ts.
process.env.CODEX_HOME = path.join(root, 'no-login');
delete process.env.CLAUDE_CODE_OAUTH_TOKEN;

/** The newest, and the version that npm installs on an older Node. */
const dirOf = (name: string): string =>
  path.join(root, name === 'claude of Node 20' ? '.programs/bin-of-node-20' : '.programs/bin');
const programOf = (name: string): string => name.split(' ')[0] ?? '';

const orgs: TestOrg[] = [];
const servers: ProviderServer[] = [];
const marks = mkdtempSync(path.join(tmpdir(), 'orgrepo-marks-'));
after(async () => {
  for (const org of orgs) org.remove();
  rmSync(marks, { recursive: true, force: true });
  await Promise.all(servers.map((server) => server.close()));
});

interface Real {
  readonly wire: Wire;
  readonly model: string;
  /** Brings the first number to 3, with a tool of the program's own. */
  readonly edit: (heard: Heard) => Said;
}

const shell = "sed -i 's/first 9/first 3/' sandbox/numbers.txt";

const claude: Real = {
  wire: 'anthropic',
  model: 'anthropic/claude-sonnet-4-5-20250929',
  edit: () => ({ calls: [{ tool: 'Bash', input: { command: shell, description: 'brings the first number to 3' } }] }),
};

const real: Readonly<Record<string, Real>> = {
  claude,
  'claude of Node 20': claude,
  codex: {
    wire: 'responses',
    model: 'openai/gpt-5-2025-08-07',
    edit: () => ({ calls: [{ tool: 'exec_command', input: { cmd: shell } }] }),
  },
  gemini: {
    wire: 'google',
    model: 'google/gemini-2.5-flash',
    edit: ({ body }) => {
      const dir = /Your directory is the\s+current one, (\S+)\. Write/.exec(
        JSON.stringify(body).replaceAll('\\n', ' '),
      )?.[1];
      const input = { file_path: `${dir}/sandbox/numbers.txt`, content: 'first 3\nsecond 7\nthird -4\nfourth 8\n' };
      return { calls: [{ tool: 'write_file', input }] };
    },
  },
  opencode: {
    wire: 'anthropic',
    model: 'anthropic/claude-sonnet-4-5-20250929',
    edit: () => ({ calls: [{ tool: 'bash', input: { command: shell, description: 'brings the first number to 3' } }] }),
  },
  pi: {
    wire: 'anthropic',
    model: 'anthropic/claude-sonnet-4-5-20250929',
    edit: () => ({ calls: [{ tool: 'bash', input: { command: shell } }] }),
  },
};

/** The model edits once, and says so when it has heard of it. */
const play =
  ({ edit }: Real) =>
  (heard: Heard): Said => {
    const done = /function_?(call_output|response)|tool_result/i.test(JSON.stringify(heard.body));
    return done ? { text: 'It should be 3, as the loss says.\n\nbring the first number to 3' } : edit(heard);
  };

async function nightOf(
  name: string,
  jail: JailChoice,
  keys: Record<string, string>,
  files: Record<string, string> = {},
  says?: Reply,
) {
  const one = real[name] as Real;
  // Providers answer at once here, and in the jail as slowly as they do.
  const server = await startProviderServer(says ?? play(one), () => 200, { delayMs: jail === 'none' ? 0 : 2_000 });
  process.env.PATH = `${dirOf(name)}:${PATH}`;
  servers.push(server);
  const org = makeOrg(
    {
      ...quadratic,
      ...files,
      'program.md': briefText({
        agent: programOf(name),
        model: one.model,
        base_url: server.baseUrl(one.wire),
        chief: '{ agent: search }',
        budget: '{ experiment: 10s, agent: 60s, night: 1h, attempts: 1, patience: 1000 }',
        ...keys,
      }),
    },
    jail,
  );
  orgs.push(org);
  const run = startNight(org, 'run', '--json', '--max', '1');
  const ended = await run.ended;
  const experiments = factsIn(run.said()).flatMap(({ experiment }) => experiment ?? []);
  return { server, org, ended, experiments, complained: run.complained() + run.said() };
}

const missing = (program: string): string | false =>
  existsSync(path.join(dirOf(program), programOf(program)))
    ? false
    : `${program} is not installed: scripts/install-programs.sh`;

/** Those that scripts/install-programs.sh could not start otherwise. */
const isUnderNode24 = (program: string): boolean => {
  const list = path.join(root, '.programs/under-node-24');
  return existsSync(list) && readFileSync(list, 'utf8').split('\n').includes(program);
};

for (const [program, { model }] of Object.entries(real)) {
  for (const jail of ['none', 'bubblewrap'] as const) {
    const unjailed = jail === 'none' ? undefined : await whyNot(jail);
    const skip = missing(program) || (unjailed === undefined ? false : `no ${jail} here: ${unjailed}`);
    test(`${program}, held by ${jail}, works a spec; a repository that speaks to it is not heard`, {
      skip,
    }, async (t) => {
      if (isUnderNode24(program))
        t.diagnostic(`${program} does not start on ${process.version}: it runs under Node 24`);
      const { server, org, ended, experiments, complained } = await nightOf(
        program,
        jail,
        { include: hostileIncludes },
        hostileRepository(marks),
      );
      assert.equal(ended.code, 0, complained);
      assert.deepEqual(
        experiments.map(({ event, score, title }) => [event, score, title]),
        [['keep', 90, 'bring the first number to 3']],
        JSON.stringify(experiments),
      );
      const asked = JSON.stringify(server.heard.map(({ body }) => body));
      assert.equal(asked.includes('EVILWORD'), false, 'the instructions of the repository were sent to the model');
      assert.deepEqual(
        ['hook', 'mcp'].filter((mark) => existsSync(path.join(marks, mark))),
        [],
      );
      const told = (key: string): string => trailers(org, key, '--grep=^try:', 'orgrepo/work/0001')[0] ?? '';
      const { tokensIn, tokensOut } = server.tally();
      assert.deepEqual(
        [told('Model'), told('Tokens-In'), told('Tokens-Out')],
        [model, String(tokensIn), String(tokensOut)],
      );
      assert.notEqual(told('Cost-USD'), '', 'its own words, or the list price');
      assert.equal((await org.orgrepo('verify')).code, 0, (await org.orgrepo('verify')).stdout);
    });
  }
}

const instructions = { 'CLAUDE.md': hostileWords, 'AGENTS.md': hostileWords, 'GEMINI.md': hostileWords };

for (const program of Object.keys(real)) {
  test(`${program} hears what a repository says to it where the brief allows that`, {
    skip: missing(program),
  }, async () => {
    const keys = { own_config: 'true', include: '[CLAUDE.md, AGENTS.md, GEMINI.md]' };
    const { server, ended, complained } = await nightOf(program, 'none', keys, instructions);
    assert.equal(ended.code, 0, complained);
    assert.equal(JSON.stringify(server.heard[0]?.body).includes('EVILWORD'), true);
  });
}

for (const program of Object.keys(real)) {
  test(`${program} whose provider is busy costs nothing, and others wait`, { skip: missing(program) }, async () => {
    const { org, ended, experiments, complained } = await nightOf(program, 'none', {}, {}, () => ({
      fault: 'status',
      status: 429,
      headers: { 'retry-after': '3600' },
    }));
    assert.equal(ended.code, 0, complained);
    assert.deepEqual(
      experiments.map(({ event }) => event),
      ['failed'],
    );
    assert.match(experiments[0]?.reason ?? '', /429|rate.?limit/);
    assert.match(complained, /its provider is busy; asked again in 60 s/);
    const { spent } = JSON.parse((await org.orgrepo('status', '--json')).stdout);
    assert.deepEqual([spent.tokens_in, spent.tokens_out, spent.set_aside], [0, 0, undefined], complained);
  });
}

const versions: Readonly<Record<string, string>> = {
  'claude of Node 20': '2.1.197',
  claude: '2.1.327',
  codex: '0.166.0',
  gemini: '0.61.0',
  opencode: '1.18.33',
  pi: '0.74.2',
};

for (const program of Object.keys(real)) {
  test(`doctor starts ${program}, and names its version`, { skip: missing(program) }, async () => {
    const brief = { agent: programOf(program), model: real[program]?.model ?? '', chief: '{ agent: search }' };
    process.env.PATH = `${dirOf(program)}:${PATH}`;
    const org = makeOrg({ ...quadratic, 'program.md': briefText(brief) }, 'auto');
    orgs.push(org);
    const { stdout } = await org.orgrepo('doctor');
    const line = `ok    ${programOf(program)} ${versions[program]} (${path.join(dirOf(program), programOf(program))}) starts and asks its model`;
    assert.equal(stdout.includes(line), true, stdout);
    const isOld =
      /(claude|pi) \S+ is the last version that npm installs on Node 20\n +fix: Later ones need Node 22/.test(stdout);
    assert.equal(isOld, /Node 20|^pi$/.test(program) && process.version.startsWith('v20.'), stdout);
  });
}
