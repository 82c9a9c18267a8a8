import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import type { AgentTask } from '../../src/agents/agent-contract.ts';
import { apiAgent } from '../../src/agents/api-agent.ts';
import type { ModelAccess } from '../../src/agents/model-access.ts';
import { askOf } from '../../src/agents/models/providers.ts';
import type { Experiment } from '../../src/domain/words/experiment.ts';
import { aBrief, anExperiment } from './builders.ts';
import { startProviderServer } from './provider-server/server.ts';

/** Tasks as a night gives them to agents, and what a provider is told of each. */

const bench = mkdtempSync(path.join(tmpdir(), 'orgrepo-prompts-'));
after(() => rmSync(bench, { recursive: true, force: true }));
for (const [file, text] of [
  ['sandbox/pack.mjs', 'export const pack = (items) => items;\n'],
  ['harness/run.mjs', 'import { pack } from "../sandbox/pack.mjs";\n'],
] as const) {
  mkdirSync(path.join(bench, path.dirname(file)), { recursive: true });
  writeFileSync(path.join(bench, file), text);
}

const spec = {
  ...{ id: '0007', by: 'chief', attempts: 3 },
  title: 'Place the largest items first',
  body: [
    'Hypothesis: large items placed late leave gaps that nothing fills.',
    'Prediction: waste_pct falls by 2.',
    'Control: best as it is.',
    'Held fixed: the size of a bin.',
    'Wrong if: waste_pct falls by less than 0.5.',
  ].join('\n'),
};

const firstTry: Experiment = anExperiment({
  ...{ n: 12, spec: '0007', event: 'discard', score: 6.1, best: 5.29, title: 'sort by width' },
  ...{
    notes: 'Sorting by width alone made thin items last. Area may be the better key.',
    reason: '6.1 is not below 5.29',
  },
});

const notebook: readonly Experiment[] = [
  anExperiment({
    n: 9,
    spec: '0003',
    event: 'keep',
    score: 5.29,
    best: 7.4,
    title: 'first fit',
    reason: '5.29 is below 7.4',
  }),
  anExperiment({
    ...{
      n: 10,
      spec: '0005',
      event: 'rejected',
      score: 4.2,
      best: 5.29,
      title: 'a table of answers',
      reason: 'rejected by checker-1',
    },
    review: 'It answers the test cases from a table.',
  }),
  anExperiment({
    ...{ n: 11, spec: '0006', event: 'crash', title: 'two passes', reason: 'the run ended with 1', notes: '' },
    output: 'TypeError: items is not iterable',
  }),
];

const brief = aBrief({
  ...{ metric: 'waste_pct', target: 3, minEffect: 0.1, run: 'node harness/run.mjs' },
  guards: [{ name: 'lines', strict: false, kind: '+', amount: 40 }],
  prose: '# Pack boxes\n\nPlace items into bins of one size, with as little waste as possible. Keep it readable.',
});

const diff = '--- a/sandbox/pack.mjs\n+++ b/sandbox/pack.mjs\n@@ -1 +1 @@\n-a\n+b';

const orgOf = (agent: string): string => `Acme packs boxes.\n\nYou are ${agent}. You report to Engineering.`;

const task: AgentTask = {
  ...{ role: 'junior', agent: 'junior-1', dir: bench, brief, spec, notebook },
  files: ['sandbox/pack.mjs'],
  readable: ['harness/run.mjs'],
  context: orgOf('junior-1'),
  standing: { best: 5.29, baseline: 7.4, spread: 0.0473 },
  changes: { ofBest: diff, ofTries: '' },
  ...{ specs: [], open: 0, wanted: 0, attempt: 1, ask: 1, attempts: 3, seed: '1' },
  ...{ mark: '0f1e2d3c4b5a6978', deadlineMs: 600_000 },
  ...{ refused: [], report: '', plan: '', critiques: [], diff: '' },
  rehearse: async () => 'it ended with 0 after 0.1 s',
  cell: { level: 'none', shown: [], hidden: [] },
};

const laterTry: AgentTask = {
  ...{ ...task, attempt: 2, notebook: [...notebook, firstTry] },
  changes: { ofBest: diff, ofTries: `#12 sort by width\n${diff}` },
};

const plan = 'Sort by area in sandbox/pack.mjs, line 1.';

const chiefTask: AgentTask = {
  ...task,
  ...{ role: 'chief', agent: 'chief', spec: undefined, notebook: [...notebook, firstTry], open: 1, wanted: 4 },
  ...{ context: orgOf('chief'), changes: undefined },
  specs: [
    { ...spec, id: '0003', title: 'First fit', body: 'Prediction: waste_pct falls by 1.' },
    { ...spec, id: '0005', title: 'Known cases', body: 'Prediction: waste_pct falls by 1.' },
    { ...spec, id: '0006', title: 'Two passes', body: '' },
    spec,
    { ...spec, id: '0008', title: 'Rotate items', body: 'Prediction: waste_pct falls by 0.5.' },
  ],
  refused: ['Faster: its prediction has no number'],
  report: '# Night of 2026-11-15\n\n4 tried: 1 won.',
};

/** One task of each kind of request, by the name of its recorded text. */
export const promptTasks: Readonly<Record<string, AgentTask>> = {
  'junior-first-try': task,
  'junior-later-try': { ...laterTry, plan, critiques: ['Ties are not covered.'] },
  chief: chiefTask,
  planner: { ...task, role: 'planner' },
  critic: { ...laterTry, role: 'critic', agent: 'critic-1', context: orgOf('critic-1'), plan },
  checker: {
    ...{ ...task, role: 'checker', agent: 'checker-1', notebook: [], context: orgOf('checker-1'), changes: undefined },
    diff,
  },
  manager: {
    ...{ ...laterTry, role: 'manager', agent: 'engineering', context: orgOf('engineering') },
    stuck: {
      ...{ id: 'E1', by: 'junior-1', reason: 'no idea left', words: 'I have tried both keys.' },
      ...{ steps: ['Read the spec.', 'Give what is missing.'], others: ['junior-2'] },
    },
  },
  delegator: {
    ...{ ...task, role: 'delegator', agent: 'engineering', context: orgOf('engineering'), changes: undefined },
    candidates: {
      why: 'two fields fit',
      others: [{ id: 'junior-2', domains: ['packing'], open: 1, trust: 'trust 60' }],
    },
  },
};

/** The tasks that a program can get: only these two roles can be one. */
export const programTasks = { junior: laterTry, chief: chiefTask } as const;

/** The first request of an agent, as its provider gets it. */
export async function requestFor(given: AgentTask): Promise<Readonly<Record<string, unknown>>> {
  const server = await startProviderServer(() => ({ text: 'done' }));
  const ask = askOf('anthropic', { key: 'a-key', baseUrl: server.baseUrl('anthropic') });
  const model = { provider: 'anthropic', id: 'claude-sonnet-4-5-20250929' } as const;
  const line = {
    ask,
    spent: () => ({ model, tokensIn: 0, tokensOut: 0 }),
    ...{ left: () => ({ usd: 4.2 }), trouble: () => undefined, isHeldUp: () => false },
  };
  const models = { askFor: async () => line, onTool: () => {} } as unknown as ModelAccess;
  await apiAgent({ kind: 'api', model, baseUrl: undefined }, models)(given, new AbortController().signal);
  await server.close();
  return server.heard[0]?.body ?? {};
}

interface Block {
  readonly text?: string;
  readonly content?: string | readonly Block[];
  readonly cache_control?: unknown;
}

/** A request of Anthropic's as people read it, with the places up to which the provider caches it. */
export function requestInWords(body: Readonly<Record<string, unknown>>): string {
  const marked = (text: string, { cache_control }: Block): string =>
    cache_control ? `${text}\n[cached up to here]` : text;
  const block = (one: Block): string => marked(one.text ?? JSON.stringify(one.content), one);
  const tools = body.tools as readonly (Block & {
    readonly name: string;
    readonly description: string;
    readonly input_schema: { readonly properties: Record<string, unknown>; readonly required: readonly string[] };
  })[];
  const inputs = ({ properties, required }: (typeof tools)[number]['input_schema']): string =>
    Object.entries(properties)
      .map(([name, schema]) => `  ${name}${required.includes(name) ? '' : '?'}: ${JSON.stringify(schema)}\n`)
      .join('');
  const said = (body.messages as readonly { readonly role: string; readonly content: readonly Block[] }[]).flatMap(
    ({ role, content }) => content.map((one) => `== ${role}\n\n${block(one)}`),
  );
  return [
    `== tools\n\n${tools.map((one) => marked(`${one.name}: ${one.description}\n${inputs(one.input_schema)}`, one)).join('\n')}`,
    `== system\n\n${(body.system as readonly Block[]).map(block).join('\n\n')}`,
    ...said,
    '',
  ]
    .join('\n\n')
    .replace(/(You have 60 turns, )\d+ s/, '$1600 s')
    .replace(/\n+$/, '\n');
}
