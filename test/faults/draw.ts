import type { Chance } from '../kill/chance.ts';
import type { Broken, CallSaid, Said } from '../support/provider-server/script.ts';

/** What a provider does in one turn, drawn by lot. */
export type Drawn = Said | Broken;

const pick = <T>(chance: Chance, from: readonly T[]): T => chance.pick(from) as T;

/** A turn that a good provider and a good model would make. */
export function drawGood(chance: Chance): Said {
  const count = chance.happens(0.25) ? 1 + Math.floor(chance.number(4)) : 1;
  return { calls: Array.from({ length: count }, () => drawCall(chance)) };
}

export const finish: Said = { calls: [{ tool: 'finish', input: { title: 'done', notes: 'as far as it went' } }] };

/** Any turn: about half of them go wrong in one way or another. */
export function drawTurn(chance: Chance): Drawn {
  if (chance.happens(0.15)) return finish;
  if (chance.happens(0.4)) return drawGood(chance);
  const [, draw] = pick(chance, faults);
  return draw(chance);
}

/** The names of all that may go wrong, for a report. */
export const faultNames = (): readonly string[] => faults.map(([name]) => name);

export function drawNamed(name: string, chance: Chance): Drawn {
  const found = faults.find(([one]) => one === name);
  if (found === undefined) throw new Error(`there is no fault ${name}`);
  return found[1](chance);
}

function drawCall(chance: Chance): CallSaid {
  const content = `first ${Math.floor(chance.number(1e6))}\nsecond 7\n`;
  return pick<CallSaid>(chance, [
    { tool: 'list', input: {} },
    { tool: 'read', input: { path: 'sandbox/numbers.txt' } },
    { tool: 'search', input: { text: 'first' } },
    { tool: 'edit', input: { path: 'sandbox/numbers.txt', old: 'second 7', new: `second ${content.length}` } },
    { tool: 'write', input: { path: 'sandbox/numbers.txt', content } },
    {
      tool: 'write',
      input: { path: `specs/idea-${Math.floor(chance.number(1e6))}.md`, content: '# an idea\n\nwhy not' },
    },
    { tool: 'delete', input: { path: 'sandbox/other.txt' } },
    { tool: 'run', input: {} },
  ]);
}

const tenMegabytes = 'x'.repeat(10_000_000);

const status = (number: number, headers: Readonly<Record<string, string>> = {}): Broken => ({
  ...{ fault: 'status', status: number, headers },
});

const faults: readonly (readonly [string, (chance: Chance) => Drawn])[] = [
  ['unknown tool', () => ({ calls: [{ tool: 'shell', input: { command: 'env' } }] })],
  [
    'malformed input',
    (chance) => ({
      calls: [
        { tool: 'read', input: pick(chance, ['{"path": ', 'nonsense', '[]', '""', '{"path": 7}', '{"other": "x"}']) },
      ],
    }),
  ],
  ['refusal', () => ({ text: 'I will not.', stop: 'refused' })],
  ['blocked', () => ({ stop: 'blocked' })],
  [
    'max_tokens',
    (chance) => ({ ...(chance.happens(0.5) ? drawGood(chance) : { text: 'and so on and' }), stop: 'length' }),
  ],
  ['words and no call', () => ({ text: 'I am done.' })],
  ['400', () => status(400)],
  ['401', () => status(401)],
  ['403', () => status(403)],
  ['404', () => status(404)],
  ['429', () => status(429)],
  [
    '429 with a wait',
    (chance) => status(429, { 'retry-after': pick(chance, ['0', '1', '1', '2', '86400', '999999999']) }),
  ],
  [
    '429 with a wait in milliseconds',
    (chance) => status(429, { 'retry-after-ms': String(Math.floor(chance.number(300))) }),
  ],
  [
    '429 with a strange wait',
    (chance) =>
      status(429, { 'retry-after': pick(chance, ['soon', '-1', 'Mon, 16 Nov 2020 10:00:00 GMT', '1e9', 'NaN']) }),
  ],
  ['500', () => status(500)],
  ['500 with a wait', (chance) => status(500, { 'retry-after': pick(chance, ['0', '1', '999999999']) })],
  ['529', () => status(529)],
  [
    'an odd status',
    (chance) => status(pick(chance, [204, 301, 304, 402, 409, 413, 418, 422, 451, 502, 503, 504, 599])),
  ],
  ['a page', (chance) => ({ fault: 'page', status: pick(chance, [200, 200, 403, 404, 502, 503]) })],
  [
    'a body that is no JSON',
    (chance) => ({
      ...{ fault: 'raw', type: 'application/json', body: '{"error": {' },
      status: pick(chance, [200, 400, 429, 500]),
    }),
  ],
  ['garbage in the stream', () => ({ fault: 'garbage', said: finish })],
  [
    'garbage for a stream',
    (chance) => ({
      fault: 'raw',
      body: pick(chance, [
        'data: {"type": \n\n',
        'data: null\n\n',
        'data: 7\n\n',
        'data: []\n\n',
        'event: x\n\n',
        '\0\0\0\xff',
        'data: {}\n\ndata: [DONE]\n\n',
      ]),
    }),
  ],
  [
    'an empty answer',
    (chance) => ({
      ...{ fault: 'raw', body: '' },
      type: pick(chance, ['text/event-stream', 'application/json', 'text/plain']),
    }),
  ],
  [
    'it broke in the middle',
    (chance) => ({ ...{ fault: 'broke', said: drawGood(chance) }, status: pick(chance, [400, 401, 429, 500, 529]) }),
  ],
  [
    'cut at any byte',
    (chance) => ({
      ...{ fault: 'cut', at: chance.number(1) },
      said: drawGood(chance),
      how: pick(chance, ['ended', 'reset'] as const),
    }),
  ],
  [
    'cut before its last word',
    (chance) => ({ ...{ fault: 'cut', late: true }, said: finish, how: pick(chance, ['ended', 'reset'] as const) }),
  ],
  [
    'a stream that hangs',
    (chance) => ({ ...{ fault: 'cut', at: chance.number(1), how: 'hang' }, said: drawGood(chance) }),
  ],
  [
    'slow drips',
    (chance) => ({
      ...drawGood(chance),
      text: 'Let me think about this for a while.',
      everyMs: 20 + Math.floor(chance.number(200)),
    }),
  ],
  ['silence', () => ({ fault: 'silence' })],
  ['a reset', () => ({ fault: 'reset' })],
  ['negative usage', (chance) => ({ ...drawGood(chance), usage: { tokensIn: -5, tokensOut: pick(chance, [-7, 3]) } })],
  [
    'huge usage',
    (chance) => ({
      ...drawGood(chance),
      usage: { tokensIn: pick(chance, [1e9, 1e15, 2 ** 53, 1e300]), tokensOut: 1e12 },
    }),
  ],
  ['no usage', (chance) => ({ ...drawGood(chance), usage: 'none' })],
  ['usage in words', (chance) => ({ ...drawGood(chance), usage: { tokensIn: 'many', tokensOut: '12' } })],
  ['a broken number', (chance) => ({ ...drawGood(chance), usage: { tokensIn: 10.5, tokensOut: 3 } })],
  [
    'more cached than read',
    (chance) => ({ ...drawGood(chance), usage: { tokensIn: 10, tokensOut: 3, cacheRead: 500 } }),
  ],
  ['another model', (chance) => ({ ...drawGood(chance), model: 'another-model-2' })],
  ['ten megabytes of words', () => ({ fault: 'raw', body: `data: {"type": "text", "text": "${tenMegabytes}"}\n\n` })],
  ['ten megabytes without a line', () => ({ fault: 'raw', body: tenMegabytes })],
  [
    'ten megabytes of an error',
    () => ({
      ...{ fault: 'raw', type: 'application/json', status: 500 },
      body: JSON.stringify({ error: { message: tenMegabytes } }),
    }),
  ],
  [
    'ten megabytes to write',
    () => ({ calls: [{ tool: 'write', input: { path: 'sandbox/numbers.txt', content: tenMegabytes } }] }),
  ],
  ['the same again', () => ({ calls: [{ tool: 'list', input: {} }] })],
  [
    'a title of another kind',
    (chance) => ({
      calls: [
        {
          tool: 'finish',
          input: {
            title: pick(chance, [
              '',
              '\n\n\n',
              '\u001b[2J\u0007',
              'x'.repeat(100_000),
              'Org-Event: keep\nOrg-Score: 0',
              '\ud800',
            ]),
          },
        },
      ],
    }),
  ],
];
