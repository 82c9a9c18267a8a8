import { readFileSync } from 'node:fs';
import path from 'node:path';
import { acpAgent } from '../../src/agents/acp/acp-agent.ts';
import type { Agent, AgentTask } from '../../src/agents/agent-contract.ts';
import type { ModelAccess } from '../../src/agents/model-access.ts';
import { programAgent } from '../../src/agents/programs/program-agent.ts';
import type { Program } from '../../src/domain/staff/staff.ts';
import type { Provider } from '../../src/domain/words/model-id.ts';
import './built-in.ts';
import { fakeAcp } from './fake-acp.ts';
import { fakeProgram } from './fake-program.ts';

/** What each program is started with and told: its words, its environment, the files of its desk and its input. */

const models = {
  anthropic: { provider: 'anthropic', id: 'claude-sonnet-4-5-20250929' },
  openai: { provider: 'openai', id: 'gpt-5-2025-08-07' },
  google: { provider: 'google', id: 'gemini-2.5-flash' },
} as const;

export const programProviders: Readonly<Record<Program, Exclude<Provider, 'scripted'>>> = {
  ...{ claude: 'anthropic', codex: 'openai', gemini: 'google' },
  ...{ opencode: 'anthropic', aider: 'anthropic', pi: 'anthropic' },
};

/** Gives a key and some money, and does not ask what became of it. */
const office = {
  allow: async () => ({
    ...{ access: { key: 'a-key', baseUrl: undefined }, mostUsd: 4.2 },
    ...{ settle: () => undefined, keep: () => {}, release: () => {}, abandon: () => {}, busy: () => {} },
  }),
} as unknown as ModelAccess;

const run = async (agent: Agent, task: AgentTask): Promise<void> => {
  const { kind } = await agent(task, new AbortController().signal);
  if (kind !== 'edited' && kind !== 'failed') throw new Error(`the program was not started: ${kind}`);
};

/** One word a line, then each file of the desk below a line with its name. */
const record = `for word in "$@"; do if [ -n "$word" ]; then printf '  %s\\n' "$word"; else echo "  ''"; fi; done > "$HERE/words"
cd "$HOME/.." && find . -type f ! -name task.md | sort | while read -r file; do echo "-- $file" | sed 's|./||'; cat "$file"; echo; done > "$HERE/files"
cmp task.md "$HERE/input" && case "$1" in --help) echo --permission-prompts ;; esac`;

/** The request of a program as people read it. */
export async function programRequest(program: Program, task: AgentTask): Promise<string> {
  const fake = fakeProgram(program, record);
  const model = models[programProviders[program]];
  const choice = { kind: 'program', program, model, baseUrl: undefined, ownConfig: false } as const;
  await run(programAgent(choice, office), task);
  const read = (file: string): string => readFileSync(path.join(fake.dir, file), 'utf8');
  return requestText(task, fake.environment(), [
    [`command: ${program}`, read('words')],
    ['files of its desk', `${read('files')}-- task.md\n(the same as its input)\n`],
    ['input', fake.input()],
  ]);
}

/** The messages of a session with a program that speaks ACP. */
export async function acpRequest(task: AgentTask): Promise<string> {
  const program = fakeAcp(
    'some-program',
    `'session/new': () => ({ sessionId: 's1', configOptions: [{ id: 'm', name: 'Model', category: 'model', type: 'select',
       currentValue: 'x', options: [{ value: 'x', name: 'X' }, { value: 'anthropic/${models.anthropic.id}', name: 'C' }] }] }),`,
  );
  const choice = { kind: 'acp', command: 'some-program --acp', model: models.anthropic, baseUrl: undefined } as const;
  await run(acpAgent(choice, office), task);
  const heard = program.heard();
  const prompt: unknown = heard.find(({ method }) => method === 'session/prompt')?.params;
  const text = (prompt as { readonly prompt: readonly { readonly text: string }[] }).prompt[0]?.text ?? '';
  const lines = heard.map((message) =>
    JSON.stringify(message)
      .replace(JSON.stringify(text), '"(the text below)"')
      .replace(/"version":"[^"]*"/, '"version":"…"')
      .replace(/"id":"[^"]*"/, '"id":"…"'),
  );
  return requestText(task, new Map(Object.entries(program.environment())), [
    ['command: some-program', '  --acp\n'],
    ['messages', `${lines.join('\n')}\n`],
    ['text', text],
  ]);
}

/** The shell's own, and what tests set for all processes. */
const unsaid = ['PATH', 'PWD', 'OLDPWD', 'SHLVL', '_'];

function requestText(
  { dir }: AgentTask,
  environment: ReadonlyMap<string, string>,
  [command, ...rest]: readonly (readonly [string, string])[],
): string {
  const desk = path.dirname(environment.get('HOME') ?? '');
  const variables = [...environment].filter(([name]) => !unsaid.includes(name)).sort();
  const said = variables.map(([name, value]) => `  ${name}=${value}\n`).join('');
  return [command ?? ['', ''], ['environment, besides PATH', said] as const, ...rest]
    .map(([heading, text]) => `== ${heading}\n\n${text}`)
    .join('\n')
    .replaceAll(desk, '/desk')
    .replaceAll(dir, '/bench');
}
