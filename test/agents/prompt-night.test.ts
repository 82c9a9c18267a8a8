import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nightOf, orgOf, serverFor } from '../support/model-night.ts';
import { trailers } from '../support/night.ts';
import { type CacheUse, promptCache } from '../support/prompt-cache.ts';
import type { CallSaid, Heard } from '../support/provider-server/script.ts';

/** What agents are told in a night, and how much of it their provider has read before. */

const numbers = (first: number, second: number): string => `first ${first}\nsecond ${second}\nthird -4\nfourth 8\n`;
const tries = [numbers(3, 7), numbers(5, 7), numbers(3, 3), numbers(3, 4), numbers(3, 5), numbers(3, 6)];

const specOf = (title: string): string =>
  `# ${title}\n\nHypothesis: it is too far from 3.\n\nPrediction: ${title}, by 4.\n\nControl: best.\n\nHeld fixed: all else.\n\nWrong if: nothing falls.\n`;

const isChief = ({ body }: Heard): boolean => JSON.stringify(body).includes('You are the chief');

/** A chief that writes two specs at a time, and juniors that read, write and say that they are done. */
function player() {
  let [begun, asked] = [0, 0];
  const use = promptCache();
  const uses: CacheUse[] = [];
  const callsOf = (heard: Heard): readonly CallSaid[] => {
    const { told } = heard;
    if (told.includes('# Your task')) {
      asked += 1;
      return ['a', 'b'].map((name) => ({
        ...{ tool: 'write', input: { path: `specs/${name}.md`, content: specOf(`idea ${name} of round ${asked}`) } },
      }));
    }
    if (told.includes('# Your spec')) {
      begun += 1;
      return [{ tool: 'read', input: { path: 'sandbox/numbers.txt' } }];
    }
    if (told.includes('written'))
      return [{ tool: 'finish', input: { title: `done ${begun}`, notes: 'as it was meant' } }];
    return [{ tool: 'write', input: { path: 'sandbox/numbers.txt', content: tries[begun - 1] ?? numbers(9, begun) } }];
  };
  const reply = (heard: Heard) => {
    const used = use(heard);
    uses.push(used);
    const [tokensIn, cacheRead] = [used.bytes, used.cached].map((bytes) => Math.ceil(bytes / 4)) as [number, number];
    return { calls: callsOf(heard), usage: { tokensIn, tokensOut: 50, cacheRead } };
  };
  return { reply, uses };
}

const models = { anthropic: 'claude-sonnet-4-5-20250929', openai: 'gpt-5-2025-08-07' } as const;

for (const [wire, model] of Object.entries(models) as [keyof typeof models, string][])
  test(`${wire}: agents are told earlier changes and results, mostly from the cache`, async () => {
    const { reply, uses } = player();
    const server = await serverFor(reply);
    const agent = `{ model: ${wire}/${model}, base_url: ${server.baseUrl(wire)} }`;
    const budget = '{ experiment: 10s, agent: 60s, night: 1h, attempts: 3, patience: 1000, usd: 5, tokens_in: 2M }';
    const org = orgOf({ agent: '', junior: agent, chief: agent, prices: `{ ${model}: { in: 3, out: 15 } }`, budget });
    const night = await nightOf(org, '--max', '6');
    assert.equal(night.code, 0, night.said + night.complained);
    assert.deepEqual(
      night.experiments.slice(0, 3).map(({ event }) => event),
      ['keep', 'discard', 'keep'],
      night.said,
    );

    const told = server.heard.map((heard) => heard.told);
    const [first = '', second = '', third = ''] = told.filter((words) => words.includes('# Your spec, try'));
    assert.doesNotMatch(first, /# What /);
    assert.match(first, /You have 60 turns, \d+ s, \$5\.00 and 2000000 tokens to read left\.$/);
    assert.match(first, /you can read, and not change\n\n<data-\w+>\n[^<]*harness\/run\.sh\n/);
    assert.match(second, /# What the best so far changed since the start\n\n<data-\w+>\n[^<]*-first 9\n\+first 3\n/);
    assert.match(
      second,
      /# What earlier tries of this spec changed\n\n<data-\w+>\n#1 done 1\n[^<]*-first 9\n\+first 3\n/,
    );
    assert.match(third, /#2 done 2\n[^<]*-first 3\n\+first 5\n/);

    const [chief = ''] = server.heard.filter(isChief).map((heard) => heard.told);
    assert.match(chief, /Write 2 specs, no more/);
    assert.match(
      chief,
      /\n0001 bring every number [^;]*; predicted: nothing; 3 tries, won with loss \d+ against \d+ \(#3 keep\)/,
    );

    const from = told.findIndex((words) => words.includes('try 2 of'));
    const later = uses.slice(from);
    const share = (all: readonly CacheUse[]): number =>
      all.reduce((sum, { cached }) => sum + cached, 0) / all.reduce((sum, { bytes }) => sum + bytes, 0);
    const firsts = uses.filter((_, at) => at >= from && /# Your (spec|task)/.test(told[at] ?? ''));
    assert.ok(share(later) >= 0.6, `${share(later)}`);
    assert.ok(share(firsts) >= 0.5, `${share(firsts)}`);

    const { spend } = JSON.parse((await org.orgrepo('report', '--json')).stdout);
    assert.ok(spend.cached_share >= 0.6 && spend.cached_share < 1, JSON.stringify(spend));
    const words = new RegExp(`${Math.round(100 * spend.cached_share)} % of what tries read was cached`);
    for (const form of [[], ['--format', 'md']])
      assert.match((await org.orgrepo('report', ...form)).stdout.replaceAll(/\s+/g, ' '), words);
    const counted = trailers(org, 'Tokens-Cached', '--grep=^try:', 'orgrepo/work/0001').map(Number);
    assert.equal(counted.length, 3);
    assert.equal((await org.orgrepo('verify')).code, 0);
  });
