import { hideSecrets } from '../../secrets/known-secrets.ts';

/** The lines of a program that count, taken while it speaks: of what it printed only the first and last part are kept. */
export interface CountedLines {
  hear(chunk: Buffer): void;
  /** One JSON object a line, in the order in which they were said; long texts in them are shortened. */
  text(): string;
  /** One that may have counted is not among them: what is left is no sum. */
  lost(): boolean;
}

/** No line is held at greater length, nor more of all of them. */
const longestLine = 16 * 1024 * 1024;
const mostText = 32 * 1024 * 1024;

/** Takes the JSON lines whose `type` is one of these. */
export function takeLines(types: readonly string[]): CountedLines {
  const kept: string[] = [];
  let [pieces, size, keptSize, lost] = [[] as Buffer[], 0, 0, false];
  const keep = (line: string): void => {
    const taken = types.some((type) => line.includes(`"${type}"`)) ? shortened(line, types) : undefined;
    if (taken === undefined) return;
    keptSize += taken.length;
    if (keptSize > mostText) lost = true;
    else kept.push(taken);
  };
  const add = (piece: Buffer): void => {
    size += piece.length;
    if (size <= longestLine || pieces.length === 0) pieces.push(piece);
  };
  const endLine = (): void => {
    const line = Buffer.concat(pieces).toString('utf8');
    if (size <= longestLine) keep(line);
    else if (mayCount(line, types)) lost = true;
    [pieces, size] = [[], 0];
  };
  return {
    hear: (chunk) => {
      let from = 0;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
        add(chunk.subarray(from, at));
        endLine();
        from = at + 1;
      }
      add(chunk.subarray(from));
    },
    text: () => {
      endLine(); // The last one need not have an end.
      return kept.map((line) => `${line}\n`).join('');
    },
    lost: () => lost,
  };
}

/** By its beginning, where a program says what a line is; one that does not say may be anything. */
function mayCount(line: string, types: readonly string[]): boolean {
  const [, type] = /^\{\s*"type"\s*:\s*"([^"]*)"/.exec(line) ?? [];
  return line.startsWith('{') && (type === undefined || types.includes(type));
}

/** Undefined for a line of another type, and for one that is no JSON: cut off by a kill. */
function shortened(line: string, types: readonly string[]): string | undefined {
  try {
    const value: unknown = JSON.parse(line, (_, inside) => (typeof inside === 'string' ? shortText(inside) : inside));
    const type = typeof value === 'object' && value !== null ? Reflect.get(value, 'type') : undefined;
    return types.includes(type) ? JSON.stringify(value) : undefined;
  } catch {
    return undefined;
  }
}

const longestText = 32 * 1024;

/** Its beginning and its end, from which titles and notes are made. */
function shortText(text: string): string {
  if (text.length <= longestText) return text;
  const said = hideSecrets(text); // Before it is cut: half a secret is not known again.
  return said.length <= longestText ? said : `${said.slice(0, longestText / 2)}\n…\n${said.slice(-longestText / 2)}`;
}
