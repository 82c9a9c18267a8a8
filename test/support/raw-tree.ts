import { parseBrief } from '../../src/brief/read/brief-text.ts';
import { boundaryBreaches } from '../../src/score/arena/boundary-check.ts';
import { makeRepo, type TestRepo } from './repo.ts';

export const brief = parseBrief(
  '---\nmetric: loss\ndirection: minimize\nsandbox: [sandbox/**]\nscore: sh harness/score.sh\n---\n',
  'program.md',
);
export const [file, program, link, submodule, directory] = ['100644', '100755', '120000', '160000', '40000'];

export type Line = readonly [mode: string, name: string | Buffer, oid: string];

/** A tree of exactly these lines in exactly this order, as no git command would write it. */
export function rawTree(made: TestRepo, lines: readonly Line[]): string {
  const bytes = lines.map(([mode, name, oid]) =>
    Buffer.concat([Buffer.from(`${mode} `), Buffer.from(name), Buffer.from([0]), Buffer.from(oid, 'hex')]),
  );
  return made.gitWith(Buffer.concat(bytes), {}, 'hash-object', '-t', 'tree', '-w', '--literally', '--stdin').trim();
}

const blobOf = (made: TestRepo, text: string): string => made.gitWith(text, {}, 'hash-object', '-w', '--stdin').trim();

/** A base with a sandbox of two files, and a way to make candidates that have another sandbox. */
export async function scene(format: 'sha1' | 'sha256' = 'sha1') {
  const made = await makeRepo(format);
  const text = blobOf(made, 'text\n');
  const other = blobOf(made, 'other\n');
  const harness = rawTree(made, [[file, 'score.sh', text]]);
  const inSandbox: readonly Line[] = [
    [file, 'a.txt', text],
    [program, 'run', text],
  ];
  const withSandbox = (sandbox: string, more: readonly Line[] = []): string =>
    rawTree(made, [
      [directory, 'harness', harness],
      [file, 'program.md', text],
      [directory, 'sandbox', sandbox],
      ...more,
    ]);
  const base = withSandbox(rawTree(made, inSandbox));
  const check = (candidate: string, from = base) => boundaryBreaches(made.repo, from, candidate, brief);
  return { made, text, other, harness, inSandbox, withSandbox, base, check };
}

/** As git sorts them, so that only what a case is about is wrong. */
export function sorted(lines: readonly Line[]): Line[] {
  const order = ([mode, name]: Line): Buffer =>
    Buffer.concat([Buffer.from(name), Buffer.from(mode === directory ? '/' : '')]);
  return [...lines].sort((a, b) => Buffer.compare(order(a), order(b)));
}
