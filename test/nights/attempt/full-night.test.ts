import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { factsIn, startNight } from '../../support/night.ts';
import { briefText, makeOrg, type TestOrg } from '../../support/org.ts';
import type { Heard, Said } from '../../support/provider-server/script.ts';
import { type ProviderServer, startProviderServer } from '../../support/provider-server/server.ts';
import { spendLines } from '../../support/spend-books.ts';

/** A whole night as people have them: a chief, six juniors of three providers and two checkers, 200 experiments. */

let org: TestOrg;
let server: ProviderServer;
after(async () => {
  org.remove();
  await server.close();
});

const numbers = 60;
const sandbox = Array.from({ length: numbers }, (_, at) => `n${at} ${40 + at}`).join('\n');

/** Everybody in one: told by what each of them is told. Every junior lowers a number of its own, most of them for the better. */
function answer({ told, turn }: Heard): Said {
  if (/Write (one spec|\d+ specs), no more/.test(told)) return writeSpecs(turn);
  if (told.includes('# The change'))
    return finish('review', { decision: turn % 5 === 0 ? 'reject' : 'approve', summary: `review ${turn}` });
  if (told.includes('# Your spec')) return lower(told, turn);
  return finish('finish', { title: `what was wanted, ${turn}`, notes: 'It should be better.' });
}

const finish = (tool: string, input: Record<string, unknown>): Said => ({ calls: [{ tool, input }] });

function writeSpecs(turn: number): Said {
  const spec = (at: number): string =>
    `---\ntitle: lower a number, ${turn}.${at}\nrisk: ${at % 3 === 0 ? 'high' : 'low'}\n---\n\nHypothesis: ${turn}.${at} is too large.\n\nPrediction: the loss falls by 1.\n\nControl: best.\n\nHeld fixed: the rest.\n\nWrong if: it does not.\n`;
  const calls = Array.from({ length: 8 }, (_, at) => ({
    tool: 'write',
    input: { path: `specs/s${at}.md`, content: spec(at) },
  }));
  return { calls };
}

function lower(told: string, turn: number): Said {
  const files = /n\d+ -?\d+/.exec(told);
  assert.equal(files, null); // What the files hold is for the tools to say.
  const line = `n${turn % numbers}`;
  return {
    calls: [
      { tool: 'read', input: { path: `sandbox/${line}.txt` } },
      { tool: 'write', input: { path: `sandbox/${line}.txt`, content: `${(turn * 7919) % 40}\n` } },
    ],
  };
}

test('200 experiments with nine agents of three providers: what the commits say was used is what the server counted', async () => {
  server = await startProviderServer((heard) => ({ ...answer(heard), afterMs: (heard.turn % 5) * 20 })); // Calls overlap.
  const model = (wire: 'anthropic' | 'openai' | 'google', id: string): string =>
    `{ model: ${wire}/${id}, base_url: ${server.baseUrl(wire)} }`;
  const [claude, gpt, gemini] = [
    model('anthropic', 'claude-sonnet-4-5-20250929'),
    model('openai', 'gpt-5-2025-08-07'),
    model('google', 'gemini-2.5-flash'),
  ];
  const files = sandbox.split('\n').map((line) => line.split(' ') as [string, string]);
  org = makeOrg({
    'program.md': briefText({
      agent: '',
      juniors: '6',
      chief: claude,
      junior: `[${claude}, ${gpt}, ${gemini}]`,
      checker: `[${gpt}, ${gemini}]`,
      prices:
        '{ claude-sonnet-4-5-20250929: { in: 3, out: 15 }, gpt-5-2025-08-07: { in: 1, out: 10 }, gemini-2.5-flash: { in: 0.3, out: 2.5 } }',
      budget: '{ experiment: 10s, agent: 30s, night: 1h, usd: 100, attempts: 4, patience: 1000 }',
      min_effect: '0.5',
    }),
    'harness/run.sh': 'cat sandbox/*.txt > "$ORGREPO_OUT/numbers"\n',
    'harness/score.sh': `awk '{ loss += $1 } END { print "loss: " loss }' "$ORGREPO_OUT/numbers"\n`,
    ...Object.fromEntries(files.map(([name, value]) => [`sandbox/${name}.txt`, `${value}\n`])),
  });
  const run = startNight(org, 'run', '--json', '--max', '200');
  const ended = await run.ended;
  assert.equal(ended.code, 0, run.complained());
  const experiments = factsIn(run.said()).flatMap(({ experiment }) => experiment ?? []);
  assert.equal(experiments.length >= 200, true, `${experiments.length}`);
  assert.equal(new Set(experiments.map(({ agent }) => agent)).size, 6);

  // Whatever was asked of a model stands on a commit: tries, reviews, and the chief's specs or its turns in vain.
  const keys = ['Event', 'Agent', 'Model', 'Tokens-In', 'Tokens-Out', 'Cost-USD', 'Cause', 'Part'];
  const format = keys.map((key) => `%(trailers:key=Org-${key},valueonly,separator=)`).join('%x09');
  const rows = org
    .git('log', '--branches=orgrepo/*', '--glob=refs/orgrepo/wip', `--format=%H%x09${format}`)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [commit = '', event = '', agent = '', used = '', tokensIn = '', tokensOut = '', usd = '', cause, part] =
        line.split('\t');
      const isOurs = cause !== '' || part !== '' || agent === 'orgrepo'; // Of two that conflict, one becomes a spec.
      return { commit, event, agent, used, tokensIn, tokensOut, usd, isOurs };
    });
  const made = rows.filter(
    ({ event, isOurs }) => (event === 'try' && !isOurs) || event === 'review' || (event === 'spec' && !isOurs),
  );
  for (const { commit, agent, used, tokensIn, tokensOut, usd } of made)
    assert.equal(
      [agent, used].every((word) => word !== '') && [tokensIn, tokensOut, usd].every((n) => Number(n) > 0),
      true,
      `${commit} ${agent} ${used} ${tokensIn} ${tokensOut} ${usd}`,
    );
  const sum = (key: 'tokensIn' | 'tokensOut' | 'usd'): number =>
    rows.reduce((total, row) => total + Number(row[key] || 0), 0);
  const { tokensIn, tokensOut } = server.tally();
  assert.deepEqual([sum('tokensIn'), sum('tokensOut')], [tokensIn, tokensOut]);
  const booked = spendLines(org).filter((line) => line['Org-Event'] === 'settle');
  const inBooks = (key: string): number => booked.reduce((total, line) => total + Number(line[key]), 0);
  assert.deepEqual([inBooks('Org-Tokens-In'), inBooks('Org-Tokens-Out')], [tokensIn, tokensOut]);
  assert.equal(booked.length, server.said.length);
  assert.equal(Math.abs(inBooks('Org-Cost-USD') - sum('usd')) < 1e-6, true);
  const status = JSON.parse((await org.orgrepo('status', '--json')).stdout);
  assert.deepEqual([status.spent.tokens_in, status.spent.tokens_out], [tokensIn, tokensOut]);
  assert.equal(Math.abs(status.spent.usd - sum('usd')) < 1e-6, true);
  const reviewers = new Set(rows.filter(({ event }) => event === 'review').map(({ agent }) => agent));
  assert.deepEqual([...reviewers].sort(), ['checker-1', 'checker-2']);
  assert.deepEqual(new Set(made.map(({ used }) => used.split('/')[0])), new Set(['anthropic', 'openai', 'google']));
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout);
});
