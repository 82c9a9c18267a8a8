import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { whyNot } from '../../src/jail/jail.ts';
import { factsIn, startNight, trailers } from '../support/night.ts';
import { briefText, makeOrg, quadratic, root, type TestOrg } from '../support/org.ts';
import type { Heard, Said, Wire } from '../support/provider-server/script.ts';
import { type ProviderServer, startProviderServer } from '../support/provider-server/server.ts';

/** Programs that speak ACP, as the npm registry has them, with a server on this machine in the place of their provider. */

process.env.PATH = `${path.join(root, '.programs/bin')}:${process.env.PATH}`;

const orgs: TestOrg[] = [];
const servers: ProviderServer[] = [];
after(async () => {
  for (const org of orgs) org.remove();
  await Promise.all(servers.map((server) => server.close()));
});

interface Real {
  readonly wire: Wire;
  readonly model: string;
  readonly version: RegExp;
  readonly command: (baseUrl: string) => string;
  /** Whether it asks before it edits, and says what all of its answers used. */
  readonly asks: boolean;
  readonly tellsUse: boolean;
  /** The model that it now and then asks for a title beside the work, which is in no report of its. */
  readonly titles?: string;
  /** What else its brief says. */
  readonly keys?: Readonly<Record<string, string>>;
  /** Brings the first number to 3, with a tool of the program's own. */
  readonly edit: (heard: Heard) => Said;
}

const real: Readonly<Record<string, Real>> = {
  gemini: {
    wire: 'google',
    model: 'google/gemini-2.5-flash',
    version: /ok {4}gemini-cli 0\.61\.0 \(gemini --acp\) starts and speaks ACP/,
    command: () => 'gemini --acp',
    ...{ asks: true, tellsUse: false },
    edit: ({ body }) => {
      const dir = /current one, (\S+)\. Write/.exec(JSON.stringify(body).replaceAll('\\n', ' '))?.[1];
      const input = { file_path: `${dir}/sandbox/numbers.txt`, content: 'first 3\nsecond 7\nthird -4\nfourth 8\n' };
      return { calls: [{ tool: 'write_file', input }] };
    },
  },
  opencode: {
    wire: 'anthropic',
    model: 'anthropic/claude-sonnet-4-5-20250929',
    version: /ok {4}OpenCode 1\.18\.33 \(.* opencode acp\) starts and speaks ACP/,
    ...{ asks: true, tellsUse: false },
    // It looks for the address of a provider in its own config alone, and asks before it edits where that says so.
    command: (baseUrl) =>
      `OPENCODE_CONFIG_CONTENT='${JSON.stringify({
        permission: { bash: 'ask' },
        small_model: 'anthropic/claude-sonnet-4-5-20250929',
        provider: { anthropic: { options: { baseURL: `${baseUrl}/v1` } } },
      })}' opencode acp`,
    edit: () => {
      const command = "sed -i 's/first 9/first 3/' sandbox/numbers.txt";
      return { calls: [{ tool: 'bash', input: { command, description: 'brings the first number to 3' } }] };
    },
  },
  // An adapter: codex itself does not speak ACP.
  'codex-acp': {
    wire: 'responses',
    model: 'openai/gpt-5.5',
    keys: { models: '{ gpt-5.5: gpt-5.5 }' },
    version: /ok {4}@agentclientprotocol\/codex-acp 2\.6\.0 \(.* codex-acp\) starts and speaks ACP/,
    ...{ asks: false, tellsUse: true },
    titles: 'gpt-5.6-luna',
    // Its own walls cannot be built within others.
    command: (baseUrl) => {
      const local = { name: 'local', base_url: baseUrl, env_key: 'OPENAI_API_KEY', wire_api: 'responses' };
      const config = { model_provider: 'local', model_providers: { local } };
      return `INITIAL_AGENT_MODE=agent-full-access CODEX_CONFIG='${JSON.stringify(config)}' codex-acp`;
    },
    edit: () => ({
      calls: [{ tool: 'exec_command', input: { cmd: "sed -i 's/first 9/first 3/' sandbox/numbers.txt" } }],
    }),
  },
};

const usage = { tokensIn: 1_000, tokensOut: 50, cacheRead: 200, thoughts: 30 };

/** The model edits once, and says so when it has heard of it. */
const play =
  ({ edit }: Real) =>
  (heard: Heard): Said =>
    /function_?(call_output|response)|tool_result/i.test(JSON.stringify(heard.body))
      ? { text: 'It should be 3, as the loss says.\n\nbring the first number to 3', usage }
      : { ...edit(heard), usage };

for (const [program, one] of Object.entries(real)) {
  for (const jail of ['none', 'bubblewrap'] as const) {
    const unjailed = jail === 'none' ? undefined : await whyNot(jail);
    const isThere = existsSync(path.join(root, '.programs/bin', program));
    const missing = isThere ? false : `${program} is not installed: scripts/install-programs.sh`;
    const skip = missing || (unjailed === undefined ? false : `no ${jail} here: ${unjailed}`);
    test(`${program} over ACP, held by ${jail}, works a spec`, { skip }, async () => {
      const server = await startProviderServer(play(one));
      servers.push(server);
      const baseUrl = server.baseUrl(one.wire);
      const brief = {
        agent: `{ acp: ${JSON.stringify(one.command(baseUrl))} }`,
        model: one.model,
        base_url: baseUrl,
        chief: '{ agent: search }',
        budget: '{ experiment: 10s, agent: 60s, night: 1h, attempts: 1, patience: 1000 }',
        ...one.keys,
      };
      const org = makeOrg({ ...quadratic, 'program.md': briefText(brief) }, jail);
      orgs.push(org);
      const run = startNight(org, 'run', '--json', '--max', '1');
      const { code } = await run.ended;
      const said = run.complained() + run.said();
      assert.equal(code, 0, said);
      const experiments = factsIn(run.said()).flatMap(({ experiment }) => experiment ?? []);
      const trace = (await org.orgrepo('show', '0001', '--trace')).stdout;
      assert.deepEqual(
        experiments.map(({ event, score, title }) => [event, score, title]),
        [['keep', 90, 'bring the first number to 3']],
        said + trace,
      );
      assert.equal(/allowed: (edit|execute) /.test(trace), one.asks, trace);
      const used = ['Model', 'Tokens-In', 'Tokens-Out'].map(
        (key) => trailers(org, key, '--grep=^try:', 'orgrepo/work/0001')[0] ?? '',
      );
      const asked = server.heard.map(({ model }) => model).filter((model) => model !== one.titles);
      const [tokensIn, tokensOut] = [asked.length * usage.tokensIn, asked.length * usage.tokensOut];
      assert.deepEqual(used, one.tellsUse ? [one.model, String(tokensIn), String(tokensOut)] : ['', '', '']);
      assert.deepEqual([...new Set(asked)], [one.model.split('/')[1]]);
      assert.equal((await org.orgrepo('verify')).code, 0);
      assert.match((await org.orgrepo('doctor')).stdout, one.version);
    });
  }
}
