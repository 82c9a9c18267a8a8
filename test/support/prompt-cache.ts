import type { Heard } from './provider-server/script.ts';

/** Anthropic's cache of prompts: what a request repeats of an earlier one, up to a mark of that one, is not read again. */

interface Piece {
  readonly text: string;
  readonly isMarked: boolean;
}

/** What one request has in bytes, and how much of it came from the cache. */
export interface CacheUse {
  readonly bytes: number;
  readonly cached: number;
}

/** 1,024 tokens of four bytes: shorter beginnings are not kept. */
const leastBytes = 4_096;

export function promptCache(): (heard: Heard) => CacheUse {
  const kept = new Set<string>();
  return ({ body }) => {
    const pieces = piecesOf(body);
    let [said, cached] = ['', 0];
    const marks: string[] = [];
    for (const { text, isMarked } of pieces) {
      said += text;
      if (kept.has(said)) cached = Buffer.byteLength(said);
      if (isMarked && Buffer.byteLength(said) >= leastBytes) marks.push(said);
    }
    if (marks.length > 4) throw new Error(`Anthropic takes four marks, and not ${marks.length}`);
    for (const mark of marks) kept.add(mark);
    return { bytes: Buffer.byteLength(said), cached };
  };
}

/** In the order in which the provider reads them. */
function piecesOf({ tools, system, messages }: Heard['body']): readonly Piece[] {
  const blocks = (messages as { role: string; content: readonly object[] }[]).flatMap(({ role, content }) =>
    content.map((block) => ({ role, ...block })),
  );
  return [...(tools as object[]), ...(system as object[]), ...blocks].map((block) => {
    const { cache_control: mark, ...rest } = block as { readonly cache_control?: unknown };
    return { text: JSON.stringify(rest), isMarked: mark !== undefined };
  });
}
