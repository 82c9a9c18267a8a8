import { less, pieces, type Spoken, unnamed } from './spoken.ts';

/** Google's streamGenerateContent, as server-sent events. It reads calls itself, so a bad one is only complained of. */
export function googleEvents({ text, thinking, calls, stop, usage, model }: Spoken): readonly string[] {
  const chunk = (rest: object): string => unnamed({ ...rest, modelVersion: model, responseId: 'resp_1' });
  const candidate = (parts: readonly object[], rest: object = {}): object => ({
    candidates: [{ content: { role: 'model', parts }, index: 0, ...rest }],
  });
  const counted = usage === undefined ? {} : { usageMetadata: usageForm(usage) };
  if (stop === 'blocked') return [chunk({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, ...counted })];
  const bad = calls.find(({ json }) => !isObject(json));
  const good = calls.filter((call) => call !== bad).map(callPart);
  const signed = signedParts([...pieces(text).map((piece) => ({ text: piece })), ...good], thinking);
  const end =
    bad === undefined
      ? { finishReason: reasons[stop] }
      : { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: `Malformed function call: ${bad.tool}(${bad.json})` };
  return [...signed.map((part) => chunk(candidate([part]))), chunk({ ...candidate([], end), ...counted })];
}

const reasons: Readonly<Record<Spoken['stop'], string>> = {
  done: 'STOP',
  calls: 'STOP',
  length: 'MAX_TOKENS',
  refused: 'SAFETY',
  blocked: 'SAFETY',
};

const callPart = ({ id, tool, json }: Spoken['calls'][number]): object => ({
  functionCall: { ...(id === '' ? {} : { id }), name: tool, args: JSON.parse(json) },
});

/** The signature of the thoughts hangs on the first call, or else on the last of the text. */
function signedParts(parts: readonly object[], thinking: Spoken['thinking']): readonly object[] {
  if (thinking === undefined) return parts;
  const call = parts.findIndex((part) => 'functionCall' in part);
  const at = call === -1 ? parts.length - 1 : call;
  const signed = parts.map((part, index) => (index === at ? { ...part, thoughtSignature: thinking.signature } : part));
  return [{ text: thinking.text, thought: true }, ...signed];
}

function usageForm(usage: NonNullable<Spoken['usage']>): object {
  const { tokensIn, tokensOut, cacheRead = 0, thoughts = 0 } = usage;
  return {
    promptTokenCount: tokensIn,
    candidatesTokenCount: less(tokensOut, thoughts),
    thoughtsTokenCount: thoughts,
    cachedContentTokenCount: cacheRead,
    totalTokenCount: Number(tokensIn) + Number(tokensOut),
  };
}

function isObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

export const googleError = (status: number, message: string, retryDelay?: string): object => ({
  error: {
    code: status,
    message,
    status: errors[status] ?? 'INTERNAL',
    ...(retryDelay === undefined
      ? {}
      : { details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }] }),
  },
});

const errors: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};
