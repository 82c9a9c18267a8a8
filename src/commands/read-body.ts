import { readFileSync, statSync } from 'node:fs';
import { Problem } from '../domain/problem.ts';
import { decodeText } from '../text/decode.ts';
import type { Call } from './command.ts';

const largestBody = 1024 * 1024;

/** What `--body-file` names; nothing where it is not given. */
export async function readBody(call: Call): Promise<string> {
  const file = call.value('body-file');
  if (file === undefined) return '';
  if (file === '-') return decodeText(await readStandardInput(), 'standard input', 'spec/syntax');
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() === true && stat.size <= largestBody) return decodeText(readFileSync(file), file, 'spec/syntax');
  const what =
    stat === undefined ? 'is not there' : stat.isFile() ? `has ${stat.size} bytes, expected a text` : 'is not a file';
  throw new Problem('file/missing', `${file} ${what}`, 'Check the path given to --body-file.', { file });
}

/** To its end, however slowly it comes; but not for ever. */
async function readStandardInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > largestBody)
      throw new Problem('spec/value', `standard input has over ${largestBody} bytes`, 'Say it in fewer words.');
  }
  return Buffer.concat(chunks);
}
