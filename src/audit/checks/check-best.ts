import type { AuditFinding } from '../../domain/rules/finding.ts';
import { gainOver, parseNoise } from '../../domain/words/score.ts';
import { type PinnedBrief, pinBlob, pinBrief } from '../../org/force/pin-brief.ts';
import { isProblem, type Problem } from '../../text/problem.ts';
import type { Books, JudgedPage } from '../audit-books.ts';
import { readBriefs } from '../audit-briefs.ts';
import { type AuditPage, about, unequal } from '../audit-library.ts';

/** Each commit of orgrepo/best is a baseline or takes a candidate that a notebook keeps, byte for byte, and is better than the one before. */
export async function* checkBest(books: Books): AsyncGenerator<AuditFinding> {
  const verdicts = new Map(books.verdicts.map((verdict) => [verdict.page.id, verdict]));
  for (const page of [...books.formerBest, ...books.best]) {
    const before = books.library.page(page.commit.parents[0]);
    if (page.event === 'keep') yield* checkKeep(books, page, before, verdicts.get(page.get('Cause') ?? ''));
    else yield* checkBaseline(books, page, before);
  }
}

async function* checkKeep(
  books: Books,
  page: AuditPage,
  before: AuditPage | undefined,
  verdict: JudgedPage | undefined,
): AsyncGenerator<AuditFinding> {
  const [, second, third] = page.commit.parents;
  const tried = books.library.page(second);
  if (before === undefined || !before.ours || second === undefined || third !== undefined)
    return yield about(
      page,
      'a keep is a merge of the best before it and a candidate',
      'two parents',
      page.commit.parents.length,
    );
  if (verdict?.page.event !== 'keep' || verdict.tried?.id !== second)
    return yield about(page, 'no notebook keeps this candidate', `a keep of ${second}`, page.get('Cause'));
  yield* unequal(page, 'its tree is not the one that was measured', tried?.commit.tree, page.commit.tree);
  for (const key of ['Experiment', 'Agent', 'Metric', 'Score', 'Samples', 'Numbers', 'Harness', 'Brief'])
    yield* unequal(page, `it differs from its verdict in Org-${key}`, verdict.page.get(key), page.get(key));
  yield* checkGain(books, page, before, verdict);
}

/** Where the metric is noisy the verdict itself is the gain: scores of different seeds cannot be compared. */
async function* checkGain(
  books: Books,
  page: AuditPage,
  before: AuditPage,
  verdict: JudgedPage,
): AsyncGenerator<AuditFinding> {
  if (verdict.page.get('Against') !== undefined || parseNoise(verdict.page.get('Noise')) !== undefined) return;
  if (before.get('Harness') !== page.get('Harness') || before.get('Metric') !== page.get('Metric')) return;
  const brief = await readBriefs(books.library)(page);
  const [score, last] = [page.number('Score'), before.number('Score')];
  const gain = isProblem(brief) ? 1 : gainOver(score ?? Number.NaN, last ?? Number.NaN, brief.direction);
  const simpler = verdict.page.get('Part') !== undefined; // A change with an idle part left out need only be as good.
  if (gain > 0 || (simpler && gain === 0)) return;
  yield about(page, 'it is not better than the best before it', `better than ${last}`, score);
}

/** A baseline is the trunk, or best and the trunk, under the brief and the harness that the trunk has. */
async function* checkBaseline(
  books: Books,
  page: AuditPage,
  before: AuditPage | undefined,
): AsyncGenerator<AuditFinding> {
  if (before === undefined || page.commit.parents.length > 2)
    return yield about(
      page,
      'a baseline stands on the trunk, or on best and the trunk',
      'one or two parents',
      page.commit.parents.length,
    );
  const second = books.library.page(page.commit.parents[1]);
  const trunk = second ?? (before.ours ? undefined : before);
  if (second === undefined && page.commit.tree !== before.commit.tree)
    yield about(page, 'its tree is not the one it stands on', before.commit.tree, page.commit.tree);
  if (page.number('Score') === undefined) yield about(page, 'a baseline has a score', 'Org-Score', page.get('Score'));
  const { org } = books.library;
  // Best under a changed brief names no commit of the trunk; its tree still has the harness.
  const pinned = await found(
    trunk === undefined ? pinBlob(org, page.get('Brief') ?? '', page.commit.tree) : pinBrief(org, trunk.id),
  );
  if (isProblem(pinned))
    return yield about(page, 'what it was measured by cannot be had', 'brief and harness', pinned.message);
  const own = await found(pinBlob(org, pinned.blob, page.commit.tree));
  const ids = { Harness: pinned.harness, Brief: pinned.blob };
  for (const [key, id] of Object.entries(ids)) yield* unequal(page, `Org-${key} is not the trunk's`, id, page.get(key));
  if (isProblem(own) || own.harness !== pinned.harness)
    yield about(
      page,
      'the harness in its tree is not the one it was measured by',
      pinned.harness,
      isProblem(own) ? own.message : own.harness,
    );
}

async function found(pinning: Promise<PinnedBrief>): Promise<PinnedBrief | Problem> {
  try {
    return await pinning;
  } catch (error) {
    if (isProblem(error)) return error;
    throw error;
  }
}
