import assert from 'node:assert/strict';
import type { Heard, Reply, Said } from './provider-server/script.ts';
import { edit, finish, inTurn, nightAt, plain, type ServerNight } from './server-nights.ts';

/** Nights that are held by limits: how long an answer and a question may be, how many turns there are, and what a cap pays. */

const bytesOf = ({ body }: Heard): number => Buffer.byteLength(JSON.stringify(body));

/** Thirty reads of 32 KB, five in each turn, then the end. */
const reader: Reply = ({ turn }) =>
  turn > 6
    ? { calls: [turn === 7 ? edit : finish] }
    : {
        calls: Array.from({ length: 5 }, (_, at) => ({
          tool: 'read',
          input: { path: 'sandbox/long.txt', from: 1 + 1_000 * (5 * (turn - 1) + at) },
        })),
      };

const longFile = { 'sandbox/long.txt': 'let "a" = b; // and some more\n'.repeat(30_000) };

/** What each provider is told of the longest answer and of thinking. */
const settingsOf = ({ body }: Heard): object => {
  const { maxOutputTokens, thinkingConfig } = (body.generationConfig ?? {}) as Record<string, unknown>;
  const found = { ...body, maxOutputTokens, thinkingConfig } as Record<string, unknown>;
  const names = ['max_tokens', 'max_completion_tokens', 'maxOutputTokens', 'thinking', 'output_config'];
  return Object.fromEntries(
    [...names, 'reasoning_effort', 'thinkingConfig'].flatMap((name) =>
      found[name] === undefined ? [] : [[name, found[name]]],
    ),
  );
};

export const boundedNights: readonly ServerNight[] = [
  {
    what: 'answers are as long as thinking needs or a cap says',
    meet: async (delayMs) => {
      const wanted = [
        [
          ...(['claude-sonnet-4-6', 'high', ''] as const),
          { max_tokens: 32_000, thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
        ],
        [
          ...(['claude-sonnet-4-5-20250929', 'medium', '12k'] as const),
          { max_tokens: 12_000, thinking: { type: 'enabled', budget_tokens: 8_192 } },
        ],
        ['gpt-5-2025-08-07', '', '64k', { max_completion_tokens: 64_000 }],
        [
          ...(['gemini-2.5-flash', 'low', ''] as const),
          { maxOutputTokens: 32_000, thinkingConfig: { thinkingBudget: 2_048 } },
        ],
        ['qwen3:8b', '', '', { max_tokens: 8_192 }],
      ] as const;
      const asked = await Promise.all(
        wanted.map(async ([model, effort, most]) => {
          const { server, night, experiment } = await nightAt({
            ...{ reply: plain, model, delayMs, keys: effort === '' ? '' : `, effort: ${effort}` },
            brief: most === '' ? {} : { caps: `{ call: { tokens_out: ${most} } }` },
          });
          assert.equal(experiment?.event, 'keep', night.said);
          return server.heard.map(settingsOf);
        }),
      );
      assert.deepEqual(
        asked,
        wanted.map(([, , , settings]) => [settings, settings]),
      );
    },
  },
  {
    what: 'a setting that a model lacks stops it at its first call',
    meet: async (delayMs) => {
      const rows = [
        ['claude-3-haiku-20240307', '', /8192 > 4096.*\. Write caps: \{ call: \{ tokens_out: 4k \} \}/],
        ['gpt-4o-2024-11-20', ', effort: high', /reasoning_effort\. Take effort out of the brief/],
        ['gemini-2.0-flash', ', effort: low', /Thinking level is not supported for this model\.+ Take effort out/],
      ] as const;
      const met = rows.map(async ([model, keys, fix]) => {
        const { server, night } = await nightAt({ reply: plain, model, delayMs, keys });
        assert.deepEqual([night.code, server.heard.length], [3, 1], night.said);
        assert.match(night.experiments[0]?.reason ?? '', fix);
      });
      await Promise.all(met);
    },
  },
  {
    what: 'long requests are cut, and asked once with half where refused',
    meet: async (delayMs) => {
      const most = 120_000;
      const tooLong = {
        error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000' },
      };
      const refusing: Reply = (heard) =>
        bytesOf(heard) > most
          ? { fault: 'status', status: 400, body: tooLong }
          : { calls: [heard.turn > 6 ? finish : reading(heard.turn)] };
      const reading = (turn: number) => ({ tool: 'read', input: { path: 'sandbox/long.txt', from: 1_000 * turn } });
      const common = { model: 'claude-sonnet-4-6', delayMs, files: longFile };
      const brief = { caps: '{ call: { request: 400k } }' };
      const [long, raised, refused] = await Promise.all([
        nightAt({ ...common, reply: reader }),
        nightAt({ ...common, reply: reader, brief }),
        nightAt({ ...common, reply: refusing }),
      ]);
      const longest = Math.max(...raised.server.heard.map(bytesOf));
      assert.ok(longest > 200_000 && longest < 400_000, `${longest}`);

      assert.equal(long.experiment?.event, 'keep', long.night.said);
      const sizes = long.server.heard.map(bytesOf);
      assert.equal(sizes.length, 8);
      assert.ok(Math.max(...sizes) < 200_000 && Math.max(...sizes) > 120_000, `${sizes}`);
      assert.match(JSON.stringify(long.server.heard.at(-1)?.body), /bytes are left out here: read again if needed/);

      assert.equal(refused.experiment?.event, 'unchanged', refused.night.said);
      const asked = refused.server.heard.map(bytesOf);
      const at = asked.findIndex((size) => size > most);
      assert.equal(asked.filter((size) => size > most).length, 1, `${asked}`);
      assert.ok((asked[at + 1] ?? most) <= (asked[at] ?? 0) / 2, `${asked}`);
    },
  },
  {
    what: 'a model in circles is told so, hears its limits, and ends',
    meet: async (delayMs) => {
      const looks = [
        { tool: 'list', input: { path: '.' } },
        { tool: 'read', input: { path: 'sandbox/numbers.txt' } },
      ] as const;
      const { server, night, experiment } = await nightAt({
        ...{ model: 'claude-sonnet-4-6', delayMs },
        reply: ({ turn }): Said => ({ calls: looks.slice(turn % 2, (turn % 2) + 1) }),
        brief: { budget: '{ experiment: 10s, agent: 4m, night: 1h, attempts: 1, patience: 1000, usd: 4 }' },
      });
      assert.deepEqual([experiment?.event, server.heard.length], ['failed', 8], night.said);
      assert.match(experiment?.reason ?? '', /it did the same thing 4 times with the same result/);
      const told = server.heard.map((one) => one.told);
      assert.match(told[0] ?? '', /You have 60 turns, 2[34]\d s and \$4\.00 left\.$/m);
      assert.match(told.at(-1) ?? '', /You did this before, with the same results: do something else\./);
    },
  },
  {
    what: 'plan and doctor name what a cap below one call needs',
    meet: async (delayMs) => {
      const reply = inTurn({ calls: [edit] }, { calls: [finish] });
      const under = (usd: string) => ({ caps: `{ attempt: { usd: ${usd} } }` });
      const common = { reply, model: 'claude-sonnet-4-6', delayMs };
      const { server, org, night } = await nightAt({ ...common, brief: under('0.01') });
      assert.deepEqual([server.heard.length, night.experiments[0]?.event], [0, 'failed'], night.said);
      const small = /program\.md:\d+:\d+: caps\.attempt\.usd is 0\.01, and one call of junior-1 needs up to (0\.\d+)/;
      const plan = await org.orgrepo('plan');
      const [, needed = ''] = small.exec(plan.stdout + plan.stderr) ?? [];
      const doctor = await org.orgrepo('doctor');
      assert.equal(small.exec(doctor.stdout + doctor.stderr)?.[1], needed);
      assert.match(doctor.stdout + doctor.stderr, new RegExp(`Write at least usd: ${needed}\\.`));
      const enough = await nightAt({ ...common, brief: under(needed) });
      assert.ok(enough.server.heard.length > 0, enough.night.said);
      const again = await enough.org.orgrepo('plan');
      assert.doesNotMatch(again.stdout + again.stderr, /one call of junior-1 needs/);
    },
  },
];
