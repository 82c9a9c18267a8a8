import type { Heard } from './provider-server/script.ts';

/** How providers cache prompts. Anthropic keeps what a request says up to its marks, others whatever an earlier request began with. */

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
  const [byMarks, byItself] = [markedCache(), plainCache()];
  return (heard) => (heard.wire === 'anthropic' ? byMarks : byItself)(heard);
}

function plainCache(): (heard: Heard) => CacheUse {
  const kept: string[] = [];
  return ({ body: { tools, messages } }) => {
    const said = JSON.stringify([tools, messages]);
    const common = (other: string): number => {
      let at = 0;
      while (at < said.length && said[at] === other[at]) at += 1;
      return at;
    };
    const cached = Math.max(0, ...kept.map(common));
    kept.push(said);
    return { bytes: said.length, cached: cached < leastBytes ? 0 : cached };
  };
}

function markedCache(): (heard: Heard) => CacheUse {
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
