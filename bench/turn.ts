import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Anthropic } from '@anthropic-ai/sdk';
import type { ModelMessage, Question } from '../src/agents/models/model-contract.ts';
import { parseBrief } from '../src/brief/read/brief-text.ts';
import type { JailChoice } from '../src/jail/jail.ts';
import { openOrg } from '../src/records/org.ts';
import { closeOrg } from '../src/score/arena/measuring-room.ts';
import { levelOf } from '../src/score/measure/trial.ts';
import { work } from '../src/steps/attempt/ask-agent.ts';
import { prepareBench } from '../src/steps/attempt/bench.ts';
import { claimNext } from '../src/steps/claim/claim.ts';
import { refillQueue } from '../src/steps/claim/refill.ts';
import { openNightModels } from '../src/steps/night/night-models.ts';
import { startNight } from '../src/steps/night/start-night.ts';
import { makeRepository } from './repository.ts';

/** Seconds of two things, each the middle one of many, and the middle one of their differences. */
export interface Beside {
  readonly plain: number;
  readonly orgrepo: number;
  readonly difference: number;
}

const model = 'bench-model-1';

/**
 * A conversation of ten turns with a provider on this machine, again and again: through its own SDK and nothing else, and
 * as an agent has it, with every call reserved and settled in git. The two take turns, so the machine is the same to both.
 */
export async function measureTurn(turns: number): Promise<Beside> {
  const { child, said: baseURL } = await startProvider();
  const repository = makeRepository({
    files: 100,
    brief: {
      agent: 'api',
      model: `anthropic/${model}`,
      base_url: baseURL,
      prices: `{ ${model}: { in: 3, out: 15 } }`,
      caps: '{ call: { usd: 5 }, attempt: { usd: 1000 }, spec: { usd: 2000 }, agent: { usd: 3000 }, day: { usd: 4000 } }',
    },
  });
  const org = await openOrg(repository.dir);
  try {
    const brief = parseBrief(readFileSync(path.join(repository.dir, 'program.md'), 'utf8'), 'program.md');
    const office = openNightModels(org, {
      run: 'bench',
      startedAt: Date.now(),
      tree: '',
      brief: () => brief,
      say: () => {},
      isClosing: () => false,
    });
    const choice = brief.staff.juniors[0];
    if (choice.kind !== 'api') throw new Error('the brief names a model');
    const client = new Anthropic({ apiKey: 'none', baseURL, maxRetries: 0 });
    const { signal } = new AbortController();
    const plain: number[] = [];
    const ours: number[] = [];
    for (let turn = 0; turn < turns + 20; turn++) {
      const question = questionAt(turn % 10);
      const line = await office.askFor(choice, {
        agent: 'junior-1',
        spec: '0001',
        attempt: `1.${Math.floor(turn / 10)}`,
        errand: `1.${Math.floor(turn / 10)}`,
      });
      const raw = (): Promise<unknown> => askPlainly(client, question);
      const asked = (): Promise<unknown> => line.ask(question, signal);
      const times =
        turn % 2 === 0 ? [await timed(raw), await timed(asked)] : [await timed(asked), await timed(raw)].reverse();
      if (turn < 20) continue; // Everybody has loaded what they need by then.
      plain.push(times[0] ?? Number.NaN);
      ours.push(times[1] ?? Number.NaN);
    }
    await office.written();
    return besides(plain, ours);
  } finally {
    child.stdin?.end();
    await closeOrg(org);
    repository.remove();
  }
}

/** From the beginning of an attempt to the first breath of the process that it starts, and the same process started by nobody but node. */
export async function measureAttempt(attempts: number, jail: JailChoice): Promise<Beside & { readonly level: string }> {
  const repository = makeRepository({ files: 100 });
  const clock = path.join(repository.dir, 'harness/clock.sh');
  writeFileSync(clock, 'date +%s.%N\n');
  const brief = path.join(repository.dir, 'program.md');
  writeFileSync(
    brief,
    readFileSync(brief, 'utf8').replace('agent: search', `agent: { command: "sh harness/clock.sh" }`),
  );
  repository.git('add', '-A');
  repository.git('commit', '--quiet', '-m', 'an agent that tells the time');
  const org = await openOrg(repository.dir, jail);
  try {
    const limits = { max: undefined, until: undefined, patience: undefined };
    const started = await startNight(
      org,
      { seed: '1', limits, fromTrunk: false },
      () => {},
      new AbortController().signal,
    );
    const claimed = await claimNext(started.night, 'junior-1', await refillQueue(started.night, 'junior-1'));
    if (claimed === undefined) throw new Error('nobody had an idea');
    const bench = await prepareBench(org, claimed, 1);
    const plain: number[] = [];
    const ours: number[] = [];
    for (let attempt = 0; attempt < attempts + 3; attempt++) {
      const [alone, held] = [await startPlainly(clock), await startHeld(() => work(started.night, bench))];
      if (attempt < 3) continue;
      plain.push(alone);
      ours.push(held);
    }
    started.lock.release();
    return { ...besides(plain, ours), level: await levelOf(org) };
  } finally {
    await closeOrg(org);
    repository.remove();
  }
}

/** The title of the try is what the agent printed: when it was started. */
async function startHeld(begin: () => Promise<Awaited<ReturnType<typeof work>>>): Promise<number> {
  const from = Date.now() / 1000;
  const offer = await begin();
  if (offer.kind !== 'refused') throw new Error(`an agent that changes nothing offers nothing: ${offer.kind}`);
  return Number(offer.title) - from;
}

async function startPlainly(script: string): Promise<number> {
  const from = Date.now() / 1000;
  const child = spawn('sh', [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  return Number(await firstLine(child)) - from;
}

async function startProvider(): Promise<{ readonly child: ChildProcess; readonly said: string }> {
  const file = fileURLToPath(new URL('./provider.js', import.meta.url));
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
  return { child, said: await firstLine(child) };
}

const firstLine = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => child.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString().trim())));

async function timed(run: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await run();
  return (performance.now() - from) / 1000;
}

function besides(plain: readonly number[], orgrepo: readonly number[]): Beside {
  const differences = orgrepo.map((one, index) => one - (plain[index] ?? Number.NaN));
  return { plain: middle(plain), orgrepo: middle(orgrepo), difference: middle(differences) };
}

const middle = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

const tools = ['list', 'read', 'search', 'edit', 'write', 'delete', 'run', 'finish'].map((name) => ({
  name,
  description: `${name}: what it does and how, in a sentence or two that a model can follow.`,
  input: { type: 'object', properties: { path: { type: 'string' } }, required: [], additionalProperties: false },
}));

/** What is said at a turn: all that was said before it, too. */
function questionAt(turn: number): Question {
  const opening: ModelMessage = { from: 'us', parts: [{ kind: 'text', text: 'Make it better. '.repeat(250) }] };
  const rounds = Array.from({ length: turn }, (_, index): readonly ModelMessage[] => {
    const [id, tool] = [`call-${index}`, 'read'];
    const text = `line of a file that was read\n`.repeat(60);
    return [
      { from: 'model', parts: [{ kind: 'call', id, tool, input: { path: `sandbox/${index}.txt` } }] },
      { from: 'us', parts: [{ kind: 'result', id, tool, text, failed: false }] },
    ];
  });
  const system = 'You are a junior. '.repeat(60);
  return { model, system, messages: [opening, ...rounds.flat()], tools, mostTokens: 8_192 };
}

/** The same question in the SDK's own words, by hand. */
async function askPlainly(client: Anthropic, question: Question): Promise<string> {
  const messages = question.messages.map(({ from, parts }): Anthropic.MessageParam => {
    const content = parts.map((part): Anthropic.ContentBlockParam => {
      if (part.kind === 'text') return { type: 'text', text: part.text };
      if (part.kind === 'call') return { type: 'tool_use', id: part.id, name: part.tool, input: part.input };
      return { type: 'tool_result', tool_use_id: part.id, content: part.text };
    });
    return { role: from === 'us' ? 'user' : 'assistant', content };
  });
  const stream = await client.messages.create({
    model: question.model,
    max_tokens: question.mostTokens,
    system: question.system,
    messages,
    tools: question.tools.map(({ name, description, input }) => ({
      name,
      description,
      input_schema: { ...input, type: 'object' as const },
    })),
    stream: true,
  });
  let said = '';
  for await (const event of stream)
    if (event.type === 'content_block_delta')
      said += event.delta.type === 'text_delta' ? event.delta.text : JSON.stringify(event.delta);
  return said;
}
