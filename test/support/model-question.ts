import assert from 'node:assert/strict';
import {
  Fault,
  type ModelAnswer,
  type ModelMessage,
  type Part,
  type ProviderAccess,
  type Question,
} from '../../src/agents/models/model-contract.ts';
import { askOf } from '../../src/agents/models/providers.ts';
import type { ModelApi } from '../../src/domain/staff/staff.ts';
import type { ProviderServer } from './provider-server/server.ts';

export const providers: readonly ModelApi[] = ['anthropic', 'openai', 'google', 'responses'];

/** One that no message may ever show. */
export const key = 'sk-test-0123456789abcdef';

export const accessTo = (server: ProviderServer, provider: ModelApi): ProviderAccess => ({
  key,
  baseUrl: server.baseUrl(provider),
});

/** A turn with what the server plays. */
export function askIt(
  server: ProviderServer,
  provider: ModelApi,
  rest: Partial<Question> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<ModelAnswer> {
  return askOf(provider, accessTo(server, provider))(questionOf(rest), signal);
}

export const questionOf = (rest: Partial<Question> = {}): Question => ({
  model: 'some-model-2',
  system: 'You are a junior.',
  messages: [fromUs({ kind: 'text', text: 'Make it faster.' })],
  tools: [readTool, writeTool],
  mostTokens: 4096,
  ...rest,
});

export const fromUs = (...parts: readonly Part[]): ModelMessage => ({ from: 'us', parts });

const pathInput = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const readTool = { name: 'read_file', description: 'Reads a file.', input: pathInput };
const writeTool = { name: 'write_file', description: 'Writes a file.', input: pathInput };

/** Without what only the provider can read. */
export const withoutNative = ({ message, ...rest }: ModelAnswer): object => {
  const { native: _, ...plain } = message;
  return { ...rest, message: plain };
};

/** What a turn came to that came to nothing. */
export async function faultOf(asked: Promise<unknown>): Promise<Fault> {
  const thrown = await asked.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof Fault, `expected a Fault and got ${String(thrown)}`);
  return thrown;
}
