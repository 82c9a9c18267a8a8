import type { Sdlc } from '../domain/staff/charter.ts';
import { formatList, formatNumbers, gainOver } from '../domain/words/score.ts';
import { slugOf } from '../domain/words/spec.ts';
import { acceptsBranchName, fastForward, headOf, signCommit, signsCommits, uncommitted } from '../git/persons-git.ts';
import { entryOf, sealOf, writeEntry } from '../records/entry.ts';
import type { Org } from '../records/org.ts';
import { type KeptStory, landedSince } from '../report/facts/land-history.ts';
import { Problem } from '../text/problem.ts';
import type { LandScore } from './land-checks.ts';
import { landBranch } from './land-rules.ts';
import type { Landing } from './plan-land.ts';

const mostNames = 100;

/**
 * The branch for a landing: a free name, or one that holds the same already; `named` where a person says what it is called. A name
 * that is taken by another one is counted on; the same experiments are not landed on a second branch, whatever the trunk has become
 * meanwhile: bringing a branch up to date is what people have git for.
 */
export async function findLandBranch(
  org: Org,
  landing: Landing,
  { branchNaming }: Sdlc,
  named: string | undefined,
): Promise<{ readonly kind: 'free' | 'holds-it'; readonly name: string }> {
  const agents = landing.kept.map(({ experiment }) => experiment.agent);
  const wanted = named ?? landBranch(branchNaming.value, featureOf(landing), agents);
  if (!(await acceptsBranchName(org.repo.root, wanted)) || wanted.startsWith('orgrepo/'))
    throw new Problem(
      'usage/option',
      `${JSON.stringify(wanted)} cannot be the name of a branch of yours`,
      'For example: --branch land/exact-fit',
    );
  const numbers = landing.kept.map(({ n }) => n);
  for (let count = 1; count <= mostNames; count++) {
    const name = count === 1 ? wanted : `${wanted}-${count}`;
    const commit = await org.repo.reader.resolve(`refs/heads/${name}`);
    if (commit === undefined) return { kind: 'free', name };
    // A person may have gone on from it.
    const landed = await landedSince(org, commit, landing.trunk.tip);
    if (landed.size === numbers.length && numbers.every((n) => landed.has(n))) return { kind: 'holds-it', name };
    if (named !== undefined) break;
  }
  throw new Problem(
    'file/exists',
    `there is a branch ${wanted} already, and it holds something else`,
    'Give another name: --branch <name>',
  );
}

/** What a branch is called after: the title of the spec that gained most. */
function featureOf({ kept, pinned }: Landing): string {
  const gain = ({ experiment: { score, best } }: KeptStory): number =>
    score === undefined || best === undefined ? 0 : gainOver(score, best, pinned.brief.direction);
  const most = kept.reduce((first, one) => (gain(one) > gain(first) ? one : first));
  const slug = slugOf(most.specTitle);
  const short = slug.length > longestName ? slug.slice(0, slug.lastIndexOf('-', longestName)) : slug;
  return short || `experiment-${most.n}`;
}

/** A branch is typed by people, so it ends with a word while it can still be typed. */
const longestName = 32;

/** Refuses to move the trunk where a file that changes is edited in the person's own directory. */
export async function refuseEdited(org: Org, { files, trunk }: Landing): Promise<void> {
  const edited = await uncommitted(
    org.repo.root,
    files.map(({ path }) => `:(literal)${path}`),
  );
  if (edited.length > 0)
    throw new Problem(
      'person/work-tree',
      `${edited.join(', ')} would change, and you have edits there that are in no commit`,
      `Commit them on ${trunk.name}, or put them aside: git stash. Then land again.`,
    );
}

/** Writes the land, one commit on top of the trunk; it is on no branch yet. */
export function commitLanding(
  org: Org,
  { trunk, best, pinned, kept, tree }: Landing,
  measured: LandScore,
  words: { readonly title: string; readonly body: string },
  decision: string | undefined,
): Promise<string> {
  return writeEntry(org, {
    tree,
    parents: [trunk.tip],
    agent: undefined,
    ...words,
    trailers: {
      Event: 'land',
      Experiments: formatList(kept.map(({ n }) => n)),
      Spec: [...new Set(kept.map(({ experiment }) => experiment.spec))].join(','),
      Agent: [...new Set(kept.map(({ experiment }) => experiment.agent))].join(','),
      Host: org.host,
      Metric: pinned.brief.metric,
      Score: measured.score,
      Samples: formatList(measured.samples),
      Seeds: formatList(measured.seeds),
      Best: measured.before,
      Numbers: formatNumbers(measured.numbers),
      Harness: pinned.harness,
      Brief: pinned.blob,
      Jail: measured.jail,
      Decision: decision,
      Cause: best.commit,
    },
  });
}

/** The land with the person's own signature, where their git signs commits. The seal holds beside it. */
export async function signLanding(org: Org, commit: string, isAttended: boolean): Promise<string> {
  if (!(await signsCommits(org.repo.root))) return commit;
  await org.repo.store.flush();
  const signed = await signCommit(org.repo.root, (await entryOf(org, commit)).commit, isAttended);
  const { content } = (await org.repo.reader.read(signed)) ?? { content: Buffer.alloc(0) };
  if (sealOf(content) === 'whole') return signed;
  throw new Error(`git signed another commit than ${commit}: ${signed}`);
}

/** Makes the branch, from nothing: one of this name that was made meanwhile stays. */
export async function landOnBranch(org: Org, commit: string, name: string): Promise<void> {
  if (await org.repo.refs.move(`refs/heads/${name}`, commit, undefined)) return;
  throw new Problem('busy/lock', `somebody has just made a branch ${name}`, 'Land again.');
}

/**
 * Moves the trunk itself, and the person's files with it: the only place where orgrepo does. Git's own fast-forward is a
 * compare-and-swap that minds the files too: it moves nothing where the branch has moved or an edit is in the way.
 */
export async function landOnTrunk(org: Org, commit: string, { trunk }: Landing): Promise<void> {
  const { root } = org.repo;
  await org.repo.store.flush();
  await org.repo.store.sync();
  const head = await headOf(root);
  const refused = head.ref !== trunk.ref || head.commit !== trunk.tip ? '' : await fastForward(root, commit);
  if ((await org.repo.reader.resolve(trunk.ref)) === commit) return; // Whatever git, or a hook after it, has said.
  throw refused === '' || refused === undefined
    ? new Problem('busy/lock', `${trunk.name} has moved while this was measured, and nothing was landed`, 'Land again.')
    : new Problem(
        'person/work-tree',
        `git does not bring ${trunk.name} forward: ${refused}`,
        'Nothing was landed. Put right what git says, and land again.',
      );
}
