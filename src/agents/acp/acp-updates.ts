import { hideSecrets } from '../../secrets/known-secrets.ts';
import type { Json } from '../programs/json-lines.ts';
import type { Trace } from '../trace/open-trace.ts';

/** What a program says of its work while it works: into the trace, and its last words for the title. */
export function openUpdates(trace: Trace) {
  let [speaking, said, words, isEmpty] = ['', '', '', true];
  let usd: number | undefined;
  const calls = new Map<string, { readonly tool: string; readonly input: unknown }>();
  const stopSpeaking = (): void => {
    if (speaking === 'agent_message_chunk') words = said;
    const text = speaking === 'agent_thought_chunk' ? `(thinks) ${said}` : said;
    if (said !== '') trace.add({ from: 'model', parts: [{ kind: 'text', text }] });
    [speaking, said] = ['', ''];
  };
  /** It comes in parts: what it is first, then its input, and how it ended. */
  const hearCall = (id: string, update: Json): void => {
    const before = calls.get(id) ?? { tool: '', input: {} };
    const tool = before.tool || (update.at('title').text ?? update.at('kind').text ?? 'a tool');
    if (calls.size < mostCalls || calls.has(id))
      calls.set(id, { tool, input: update.at('rawInput').value ?? before.input });
    const status = update.at('status').text;
    if (status === 'completed' || status === 'failed') endCall(id, update, status === 'failed');
  };
  const endCall = (id: string, update: Json | undefined, failed: boolean): void => {
    const { tool = 'a tool', input = {} } = calls.get(id) ?? {};
    calls.delete(id);
    trace.add({ from: 'model', parts: [{ kind: 'call', tool, input }] });
    const content = update?.at('content').list ?? [];
    const text = content.map((part) => part.at('content', 'text').text ?? part.at('path').text ?? '').join('\n');
    const end = failed ? { failed } : {};
    if (update !== undefined) trace.add({ from: 'us', parts: [{ kind: 'result', tool, text, ...end }] });
  };
  return {
    take: (update: Json): void => {
      const kind = update.at('sessionUpdate').text ?? '';
      const isWork = /^(agent_|tool_)/.test(kind);
      if (isWork && kind !== speaking) stopSpeaking();
      if (kind === 'agent_message_chunk' || kind === 'agent_thought_chunk') {
        speaking = kind;
        said += update.at('content', 'text').text ?? '';
        if (said.length > mostSaid) said = hideSecrets(said).slice(-mostSaid / 2); // Half a secret is not known again.
      } else if (kind === 'usage_update') {
        const { text: currency } = update.at('cost', 'currency');
        usd = currency === 'USD' ? (update.at('cost', 'amount').number ?? usd) : usd;
      } else if (kind === 'tool_call' || kind === 'tool_call_update')
        hearCall(update.at('toolCallId').text ?? '', update);
      isEmpty &&= !isWork;
    },
    /** The last thing that it said. */
    words: (): string => {
      stopSpeaking();
      for (const id of calls.keys()) endCall(id, undefined, false);
      return words;
    },
    /** What the session cost so far, by its own word. */
    usd: (): number | undefined => usd,
    /** Whether its model has said and done nothing yet. */
    isEmpty: (): boolean => isEmpty,
  };
}

const mostSaid = 1024 * 1024;
const mostCalls = 1_000;
