import { objectionsTo } from '../../domain/rules/spec-words.ts';
import { choiceOf } from '../../domain/staff/staff.ts';
import { type Experiment, isRepeat } from '../../domain/words/experiment.ts';
import type { Draft, Spec } from '../../domain/words/spec.ts';
import type { Repo } from '../../git/repo.ts';
import { type DraftRejection, rejectionInWords, writeRefusals } from '../../records/queue/spec-events.ts';
import { parseDraft } from '../../records/queue/spec-text.ts';
import { type DirectoryState, type Found, readDirectory } from '../../score/arena/arena-directory.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import { decodeText } from '../../text/decode.ts';
import { showPath } from '../../text/paths.ts';
import { isProblem, Problem } from '../../text/problem.ts';
import { type Bench, differencesIn } from '../attempt/bench.ts';
import { rememberRefusal } from '../attempt/night-tally.ts';
import type { Night, ResultParts } from '../night/night.ts';
import { isChief, warn } from '../night/night-basics.ts';

/** A file that a chief left: a draft, or why it is not one. */
type WrittenDraft = { readonly file: string; readonly text: string } & (
  | { readonly draft: Draft }
  | { readonly draft: undefined; readonly problem: string }
);

/** The bench that a chief writes specs at. */
export type DraftBench = Pick<Bench, 'worktree' | 'files' | 'state'>;

/** What a chief left: its drafts as they can be read, and what it wrote where nothing is its to write. No link is followed. */
export async function readDrafts(
  repo: Repo,
  { worktree, files, state }: DraftBench,
  chief: string,
): Promise<readonly WrittenDraft[]> {
  const found = readDirectory(repo, worktree.dir, state, () => true, '.git');
  return [...draftsIn(found, chief), ...strayFiles(files, found)];
}

const isDraft = (file: string): boolean => file.startsWith('specs/');

const mostDrafts = 64;

/** What lies in specs/, each file as it can be read. */
function draftsIn(found: DirectoryState, chief: string): WrittenDraft[] {
  const odd = found.odd.map(({ path: file }) => [file, undefined] as const);
  const all = [...found.files, ...odd].filter(([file]) => isDraft(file));
  return all
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, mostDrafts)
    .map(([file, one]) => readDraft(showPath(hideSecrets(file)), bytesOf(one), chief));
}

const largestDraft = 512 * 1024;

/** Empty where it is not a plain file, or more than anybody would read. */
const bytesOf = (one: Found | undefined): Buffer =>
  one?.content === undefined || one.mode === '120000' || one.content.length > largestDraft
    ? Buffer.alloc(0)
    : one.content;

function readDraft(file: string, bytes: Buffer, by: string): WrittenDraft {
  const text = hideSecrets(bytes.toString('utf8'));
  try {
    if (!/^specs\/[^/]+\.md$/.test(file))
      throw new Problem('spec/value', 'it is not a Markdown file of specs/', 'Name it specs/<idea>.md.', { file });
    if (text === '')
      throw new Problem('spec/value', 'it is not a text of half a megabyte at most', 'Say it in fewer words.', {
        file,
      });
    decodeText(bytes, file, 'spec/syntax');
    return { file, text, draft: { ...parseDraft(text, file), by } };
  } catch (error) {
    if (!isProblem(error)) throw error;
    return { file, text, draft: undefined, problem: error.message };
  }
}

/** What a chief that is a process wrote elsewhere: it is thrown away with its bench, and reported. */
function strayFiles(files: DraftBench['files'], found: DirectoryState): WrittenDraft[] {
  const changed = [...differencesIn({ files }, found)].map(({ path: file }) => file);
  const stray = [...changed, ...found.odd.map(({ path: file }) => file)].filter((file) => !isDraft(file));
  const [first] = stray;
  if (first === undefined) return [];
  const more = stray.length > 1 ? ` and ${stray.length - 1} more` : '';
  const shown = showPath(hideSecrets(first));
  const problem = `only specs/*.md is a chief's to write, and it changed ${shown}${more}`;
  return [{ file: shown, text: '', draft: undefined, problem }];
}

/**
 * Which of a chief's specs may be worked. What is refused goes back to it as a commit, and is the first thing that it reads
 * when it is asked again.
 */
export async function letThrough(
  night: ResultParts,
  chief: string,
  written: readonly WrittenDraft[],
): Promise<readonly Draft[]> {
  const passed: Draft[] = [];
  const refused: DraftRejection[] = [];
  for (const one of written) {
    const objections =
      one.draft === undefined ? [one.problem] : objectionsTo(one.draft, [...night.tally.memory.specs, ...passed]);
    if (one.draft !== undefined && objections.length === 0) passed.push(one.draft);
    else refused.push({ title: one.draft?.title ?? one.file, objections, text: one.text });
  }
  await refuse(night, chief, refused);
  return passed;
}

/**
 * A spec's tree is known only when it was worked: where every try gave one that was measured before, its chief reads that as
 * it does of a spec that repeats another. The embedded chief learns it from the notebook.
 */
export async function refuseRepeat(
  night: Pick<Night, 'run' | 'inForce' | 'tally'>,
  spec: Spec,
  tries: readonly Experiment[],
): Promise<void> {
  const own = tries.filter((one) => !one.merged && one.part === undefined);
  const { kind } = choiceOf(night.inForce.pinned.brief.staff, spec.by);
  if (!isChief(night.inForce, spec.by) || kind === 'search' || own.length === 0 || !own.every(isRepeat)) return;
  const trees = [...new Set(own.map(({ reason }) => reason))].join(', ');
  const objections = [`it was worked, and every try was a tree that was measured before (${trees})`];
  await refuse(night, spec.by, [{ title: spec.title, objections, text: spec.body }]);
}

async function refuse(night: ResultParts, chief: string, refused: readonly DraftRejection[]): Promise<void> {
  await writeRefusals(night.run.org, chief, refused);
  for (const refusal of refused) {
    const message = rejectionInWords(refusal);
    warn(night.run, `a spec of the ${chief}'s: ${message}`);
    rememberRefusal(night.tally, message);
  }
}
