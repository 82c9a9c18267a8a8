import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { maxBody } from '../../records/queue/spec-text.ts';
import { decodeText } from '../../text/decode.ts';
import { Problem } from '../../text/problem.ts';
import type { VerbCall } from './command.ts';

/** What `--body-file` names; nothing where it is not given. */
export async function readBody(call: VerbCall): Promise<string> {
  const file = call.value('body-file');
  if (file === undefined) return '';
  if (file === '-') return decodeText(await readStandardInput(call), 'standard input', 'spec/syntax');
  const place = path.resolve(call.streams.dir, file);
  const stat = statSync(place, { throwIfNoEntry: false });
  if (stat?.isFile() === true && stat.size <= maxBody) return decodeText(readFileSync(place), file, 'spec/syntax');
  if (stat?.isFile() === true)
    throw new Problem('spec/value', `${file} has ${stat.size} bytes, expected at most ${maxBody}`, shorter, { file });
  const what = stat === undefined ? 'is not there' : 'is not a file';
  throw new Problem('file/missing', `${file} ${what}`, 'Check the path given to --body-file.', { file });
}

const shorter = 'Say it in fewer words, or commit the file where agents can read it and name it in the text.';

/** To its end, however slowly it comes; but not for ever. */
async function readStandardInput({ streams }: VerbCall): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of streams.stdin) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBody) throw new Problem('spec/value', `standard input has over ${maxBody} bytes`, shorter);
  }
  return Buffer.concat(chunks);
}
