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

/** It looks for what it has kept at each mark, and this many pieces before it. */
const lookBack = 20;

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
    if (pieces.filter(({ isMarked }) => isMarked).length > 4) throw new Error('Anthropic takes four marks');
    const beginnings = pieces.map((_, at) =>
      pieces
        .slice(0, at + 1)
        .map(({ text }) => text)
        .join(''),
    );
    let cached = 0;
    for (const [at, { isMarked }] of pieces.entries()) {
      if (!isMarked) continue;
      const found = beginnings.slice(Math.max(0, at - lookBack + 1), at + 1).findLast((said) => kept.has(said));
      cached = Math.max(cached, Buffer.byteLength(found ?? ''));
    }
    for (const [at, { isMarked }] of pieces.entries()) {
      const said = beginnings[at] ?? '';
      if (isMarked && Buffer.byteLength(said) >= leastBytes) kept.add(said);
    }
    return { bytes: Buffer.byteLength(beginnings.at(-1) ?? ''), cached };
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
