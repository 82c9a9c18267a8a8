import type { Json } from '../programs/json-lines.ts';
import type { Trace } from '../trace/open-trace.ts';

/** What a program says of its work while it works: into the trace, and its last words for the title. */
export function openUpdates(trace: Trace) {
  let [speaking, said, words, isEmpty] = ['', '', '', true];
  let usd: number | undefined;
  const tools = new Map<string, string>();
  const stopSpeaking = (): void => {
    if (speaking === 'agent_message_chunk') words = said;
    const text = speaking === 'agent_thought_chunk' ? `(thinks) ${said}` : said;
    if (said !== '') trace.add({ from: 'model', parts: [{ kind: 'text', text }] });
    [speaking, said] = ['', ''];
  };
  const call = (id: string, update: Json): void => {
    const tool = update.at('title').text ?? update.at('kind').text ?? 'a tool';
    tools.set(id, tool);
    trace.add({ from: 'model', parts: [{ kind: 'call', tool, input: update.at('rawInput').value ?? {} }] });
  };
  const result = (id: string, update: Json, failed: boolean): void => {
    const text = update
      .at('content')
      .list.map((part) => part.at('content', 'text').text ?? part.at('path').text ?? '')
      .join('\n');
    const tool = tools.get(id) ?? update.at('title').text ?? 'a tool';
    trace.add({ from: 'us', parts: [{ kind: 'result', tool, text, ...(failed ? { failed } : {}) }] });
    tools.delete(id);
  };
  return {
    take: (update: Json): void => {
      const kind = update.at('sessionUpdate').text ?? '';
      const id = update.at('toolCallId').text ?? '';
      const status = update.at('status').text;
      if (kind !== speaking) stopSpeaking();
      if (kind === 'agent_message_chunk' || kind === 'agent_thought_chunk') {
        speaking = kind;
        said = (said + (update.at('content', 'text').text ?? '')).slice(0, mostSaid);
      } else if (kind === 'usage_update') {
        const { text: currency } = update.at('cost', 'currency');
        usd = currency === 'USD' ? (update.at('cost', 'amount').number ?? usd) : usd;
      } else if (kind === 'tool_call' && tools.size < mostTools) call(id, update);
      else if (kind === 'tool_call_update' && (status === 'completed' || status === 'failed'))
        result(id, update, status === 'failed');
      isEmpty &&= !/^(agent_|tool_)/.test(kind);
    },
    /** The last thing that it said. */
    words: (): string => {
      stopSpeaking();
      return words;
    },
    /** What the session cost so far, by its own word. */
    usd: (): number | undefined => usd,
    /** Whether its model has said and done nothing yet. */
    isEmpty: (): boolean => isEmpty,
  };
}

const mostSaid = 1024 * 1024;
const mostTools = 10_000;
