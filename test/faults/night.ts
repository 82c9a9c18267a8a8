import type { Chance } from '../kill/chance.ts';
import { processesIn } from '../kill/processes.ts';
import { factsIn, spawnNight, type Told } from '../support/night.ts';
import { briefText, makeOrg, quadratic, type TestOrg } from '../support/org.ts';
import { type ProviderServer, startProviderServer } from '../support/provider-server/server.ts';
import { checkBook, type Line, readBook } from './book.ts';
import { models } from './conversation.ts';
import { drawTurn } from './draw.ts';

/** A whole night as a process of its own, with three providers that go wrong. */
export interface NightPlayed {
  readonly findings: readonly string[];
  readonly experiments: number;
  readonly exit: number | null;
  readonly dir: string;
}

const nightMs = 15_000;
/** To start, to measure what was begun, and to write the report, on a machine that is busy. */
const graceMs = 30_000;

export async function playNight(chance: Chance): Promise<NightPlayed> {
  const server = await startProviderServer(() => drawTurn(chance));
  const caps = {
    tokensIn: 40_000 + Math.floor(chance.number(200_000)),
    tokensOut: 60_000 + Math.floor(chance.number(300_000)),
  };
  const org = makeOrg({ ...quadratic, ...moreSpecs, 'program.md': briefFor(server, caps) });
  try {
    const began = performance.now();
    const run = spawnNight(org, 'run', '--json', '--max', '20');
    const late = setTimeout(() => process.kill(-(run.child.pid ?? 0), 'SIGKILL'), nightMs + graceMs);
    const { code, signal } = await run.ended;
    clearTimeout(late);
    const experiments = factsIn(run.said()).flatMap(({ experiment }) => experiment ?? []);
    const findings = [
      ...(signal === null ? [] : [`it was not done after ${Math.round(performance.now() - began)} ms`]),
      ...(code !== null && [0, 2, 3].includes(code)
        ? []
        : [`it ended with ${code}: ${run.complained().slice(-1_000)}`]),
      ...(await checkNight(org, experiments, caps)),
    ];
    if (findings.length === 0) org.remove();
    return { findings, experiments: experiments.length, exit: code, dir: org.dir };
  } finally {
    await server.close();
  }
}

const moreSpecs = Object.fromEntries(
  ['0002', '0003', '0004', '0005', '0006'].map((id) => [`specs/${id}-more.md`, `# another one, ${id}\n`]),
);

function briefFor(server: ProviderServer, caps: { readonly tokensIn: number; readonly tokensOut: number }): string {
  const who = (['anthropic', 'openai', 'google'] as const).map(
    (provider) => `{ model: ${provider}/${models[provider]}, base_url: "${server.baseUrl(provider)}" }`,
  );
  const budget = `experiment: 5s, agent: 2s, night: ${nightMs / 1000}s, attempts: 3, patience: 1000`;
  return briefText({
    agent: '',
    junior: `[${who.join(', ')}]`,
    chief: who[1] ?? '',
    juniors: '3',
    budget: `{ ${budget}, tokens_in: ${caps.tokensIn}, tokens_out: ${caps.tokensOut} }`,
  });
}

async function checkNight(
  org: TestOrg,
  experiments: readonly Told[],
  caps: { tokensIn: number; tokensOut: number },
): Promise<string[]> {
  const book = readBook(org.git);
  const verified = await org.orgrepo('verify');
  return [
    ...checkBook(book, () => ({ night: caps })),
    ...experiments.filter(({ reason }) => reason.trim() === '').map(({ n }) => `#${n} has no reason`),
    ...checkTries(org, book),
    ...(verified.code === 0 ? [] : [`verify: ${verified.stdout}${verified.stderr}`]),
    ...processesIn(org.dir).map(({ pid, command }) => `left running: ${pid} ${command}`),
  ];
}

/** Every attempt that was paid for is in a notebook, and tells what the book tells. */
function checkTries(org: TestOrg, book: readonly Line[]): readonly string[] {
  const keys = ['Experiment', 'Spec', 'Tokens-In', 'Tokens-Out'];
  const format = keys.map((key) => `%(trailers:key=Org-${key},valueonly,separator=%x20)`).join('%x1f');
  const rows = org
    .git('log', '--all', '--grep=^Org-Event: try$', `--format=${format}`)
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\x1f'));
  const told = [2, 3].map((at) => sum(rows.map((row) => Number(row[at] ?? 0))));
  const settled = book.filter(({ event, spec }) => event === 'settle' && spec !== '');
  const paid = [sum(settled.map(({ tokensIn }) => tokensIn)), sum(settled.map(({ tokensOut }) => tokensOut))];
  return told.join() === paid.join() ? [] : [`the notebooks tell of ${told.join()} tokens, the book of ${paid.join()}`];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
