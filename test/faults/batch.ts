import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ModelAccess, openModelAccess } from '../../src/agents/model-access.ts';
import type { Cap, Caps } from '../../src/domain/words/spending.ts';
import type { Org } from '../../src/records/org.ts';
import { openSpendBook } from '../../src/spend/books/spend-book.ts';
import type { Chance } from '../kill/chance.ts';
import type { Counts, Heard } from '../support/provider-server/script.ts';
import { startProviderServer } from '../support/provider-server/server.ts';
import { speak } from '../support/provider-server/spoken.ts';
import type { Line } from './book.ts';
import { checkConversations } from './check-conversations.ts';
import { drawScript, models, type Played, playScript, type Script } from './conversation.ts';
import { finish } from './draw.ts';
import { watchStalls } from './stalls.ts';

/** A night's worth of conversations at once, on one book and against one server. */
export interface Batch {
  readonly night: string;
  readonly caps: Caps;
  readonly played: readonly Played[];
  readonly findings: readonly string[];
}

/** `lines` are those of the book, read by git. Every agent has another name, so the books of batches before do not matter. */
export async function playBatch(
  org: Org,
  night: string,
  numbers: readonly number[],
  chance: Chance,
  lines: () => readonly Line[],
): Promise<Batch> {
  const caps = drawCaps(chance, numbers.length);
  const scripts = numbers.map((number) => drawScript(number, chance));
  const byKey = new Map(scripts.map((script) => [script.key, { script, turn: 0 }]));
  const honest = new Map<number, Counts>();
  const server = await startProviderServer((heard) => {
    const one = byKey.get(heard.key ?? '');
    const step = one?.script.turns[one.turn] ?? finish;
    if (one !== undefined) one.turn += 1;
    // What was cut off may have counted before: the count is believed, and the answer perhaps as well.
    const said = !('fault' in step) ? step : step.fault === 'cut' ? step.said : undefined;
    const counts = said?.usage === undefined && said !== undefined ? speak(said, heard).usage : undefined;
    // Whoever says more than it was asked for is not paid for it.
    if (counts !== undefined && Number(counts.tokensOut) <= longestAsked(heard)) honest.set(heard.turn, counts);
    return step;
  });
  const book = await openSpendBook(org, night, () => caps);
  const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-faults-'));
  try {
    const offices = groupsOf(scripts, chance).flatMap((group) => {
      const office = officeFor(group, book);
      return group.map((script) => ({ script, office }));
    });
    const stallsSoFar = watchStalls();
    const played = await Promise.all(
      offices.map(({ script, office }) => playScript(script, office, server, path.join(dir, script.agent))),
    );
    const stalls = stallsSoFar();
    const written = await book.written().then(
      () => [],
      (error: unknown) => [`${night}: the book could not be written: ${String(error)}`],
    );
    const findings = [...written, ...checkConversations(lines(), played, server, honest, stalls)];
    return { night, caps, played, findings };
  } finally {
    await server.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The longest answer that the request asks for, in the words of each provider. */
function longestAsked({ body }: Heard): number {
  const { maxOutputTokens } = (body.generationConfig ?? {}) as Record<string, unknown>;
  return Number(body.max_tokens ?? body.max_completion_tokens ?? maxOutputTokens);
}

/** Those who share an office share the way to each provider, and wait for each other. */
function groupsOf(scripts: readonly Script[], chance: Chance): readonly (readonly Script[])[] {
  const groups: Script[][] = [];
  for (const script of scripts) {
    const last = groups.at(-1);
    if (last === undefined || chance.happens(0.4)) groups.push([script]);
    else last.push(script);
  }
  return groups;
}

function officeFor(group: readonly Script[], book: Awaited<ReturnType<typeof openSpendBook>>): ModelAccess {
  // An office asks for a key by the choice alone, and each script has one of its own.
  const keys = new WeakMap<object, string>();
  const office = openModelAccess({
    reserve: (payer, model, { most }) => book.reserve({ ...payer, ...model, most }),
    reserveRest: (payer, model, usual, least) => book.reserveRest({ ...payer, ...model, most: usual }, least),
    access: async (choice) => ({ key: keys.get(choice) ?? '', baseUrl: choice.baseUrl }),
    script: async () => '',
    prices: () => new Map([[models.anthropic, { input: 3, output: 15 }]]),
    onWait: () => {},
    key: async () => '',
    onTool: () => {},
    onMissing: () => {},
    onOddity: () => {},
  });
  return {
    ...office,
    askFor: (choice, payer) => {
      keys.set(choice, group.find(({ agent }) => agent === payer.agent)?.key ?? '');
      return office.askFor(choice, payer);
    },
  };
}

/** A call sets aside some 5,000 tokens to read and 8,192 to say, or 32,000: caps of a few of them are met often. */
function drawCaps(chance: Chance, size: number): Caps {
  const some = (calls: number): Cap =>
    chance.pick<Cap>([
      {},
      {},
      { tokensOut: Math.ceil(8_192 * (0.9 + chance.number(calls))) },
      { tokensIn: Math.ceil(5_000 * (0.9 + chance.number(calls))) },
      { usd: 0.15 * (0.9 + chance.number(calls)), tokensOut: 8_192 * 10 },
    ]) ?? {};
  return { attempt: some(10), spec: some(8 * size), agent: some(12), night: some(8 * size) };
}
