import { gzipSync } from 'node:zlib';
import { sealLine } from '../../src/records/entry.ts';
import { git } from './tamper.ts';

/*
 * What an outsider did with write access, every seal made anew and `.git/orgrepo/left` removed: only what other commits say
 * can give it away.
 */

/** The changes, by name. Each is given the `.git` of an org that models worked in. */
export const tamperingWithBooks: Readonly<Record<string, (gitDir: string) => void>> = {
  'the report is deleted': (dir) => void git(dir, ['update-ref', '-d', reports]),
  'the text of the report is replaced': (dir) =>
    forge(dir, reports, (text) =>
      text.replace(/^tree .*$/m, `tree ${replaced(dir, reports, 'reports', 'latest.md', 'RESULT   all is well\n')}`),
    ),
  'an approve names nothing': (dir) =>
    append(dir, queue, (text) =>
      text
        .replace(/^Org-(Run|Host|Tips|Reason|Ending): .*\n/gm, '')
        .replace(/^Org-Event: .*$/m, 'Org-Event: approve\nOrg-By: Mallory')
        .replace(/^(author|committer) .*<.*>/gm, '$1 Mallory <mallory@example.invalid>'),
    ),
  'the book of spending is moved back by two': (dir) => void git(dir, ['update-ref', bookOf(dir), `${bookOf(dir)}~2`]),
  'the book of spending is deleted': (dir) => void git(dir, ['update-ref', '-d', bookOf(dir)]),
  'the trace is deleted': (dir) => void git(dir, ['update-ref', '-d', trace]),
  'the trace is replaced': (dir) =>
    forge(dir, trace, (text) => {
      const blob = write(dir, 'blob', gzipSync('{"from":"orgrepo","text":"nothing happened"}\n'));
      return text.replace(/^tree .*$/m, `tree ${tree(dir, [`100644 blob ${blob}\ttrace.ndjson.gz`])}`);
    }),
};

const queue = 'refs/heads/orgrepo/queue';
const reports = 'refs/heads/orgrepo/reports';
const trace = 'refs/orgrepo/trace/0001';
const bookOf = (dir: string): string => git(dir, ['for-each-ref', '--format=%(refname)', 'refs/orgrepo/spend']).trim();

const write = (dir: string, type: string, content: string | Buffer): string =>
  git(dir, ['hash-object', '-t', type, '-w', '--literally', '--stdin'], content).trim();

const tree = (dir: string, lines: readonly string[]): string => git(dir, ['mktree'], `${lines.join('\n')}\n`).trim();

/** The tree of a commit with another text in one file of one of its directories. */
function replaced(dir: string, commit: string, folder: string, file: string, text: string): string {
  const list = (name: string): string[] => git(dir, ['ls-tree', name]).trimEnd().split('\n');
  const blob = write(dir, 'blob', text);
  const inner = list(`${commit}:${folder}`).map((line) =>
    line.endsWith(`\t${file}`) ? `100644 blob ${blob}\t${file}` : line,
  );
  const id = tree(dir, inner);
  return tree(
    dir,
    list(commit).map((line) => (line.endsWith(`\t${folder}`) ? `040000 tree ${id}\t${folder}` : line)),
  );
}

const sealed = (text: string): string => {
  const bare = text.replace(/Org-Seal: [0-9a-f]{16}\n$/, '');
  return bare + sealLine(Buffer.from(bare));
};

function forge(dir: string, ref: string, edit: (text: string) => string): void {
  git(dir, ['update-ref', ref, write(dir, 'commit', sealed(edit(git(dir, ['cat-file', 'commit', ref]))))]);
}

/** One more commit on top, made from the newest. */
function append(dir: string, ref: string, edit: (text: string) => string): void {
  const tip = git(dir, ['rev-parse', ref]).trim();
  forge(dir, ref, (text) => edit(text).replace(/^parent .*$/m, `parent ${tip}`));
}
