import type { AgentTask, PastChanges, Role } from '../../agents/agent-contract.ts';
import { choiceOf, isProgramChoice } from '../../domain/staff/staff.ts';
import type { Brief } from '../../domain/words/brief.ts';
import type { Experiment } from '../../domain/words/experiment.ts';
import { changedFiles, diffText } from '../../git/merge.ts';
import type { Repo } from '../../git/repo.ts';
import { zonesOf } from '../../score/judge/boundary.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import { unlessProblem } from '../../text/problem.ts';
import type { AttemptParts } from '../night/night.ts';

/** What a model or a program that works on a spec is shown of earlier changes; undefined for all others, which read no diffs. */
export async function pastChanges(
  { run, tally }: AttemptParts,
  brief: Brief,
  { role, agent, spec }: Pick<AgentTask, 'role' | 'agent'> & Partial<Pick<AgentTask, 'spec'>>,
): Promise<PastChanges | undefined> {
  const choice = choiceOf(brief.staff, agent);
  if (!readers.includes(role) || !(choice.kind === 'api' || isProgramChoice(choice))) return undefined;
  const { repo } = run.org;
  const { best } = tally;
  const tries = tally.memory.experiments.filter((one) => one.spec === spec?.id && isOwnChange(one)).slice(-mostTries);
  const diffs = await Promise.all(
    tries.map(async ({ n, tried, title }) => {
      const diff = await sandboxDiff(repo, brief, `${tried}^`, tried);
      return diff === '' ? [] : [`#${n} ${title}\n${cut(diff, Math.floor(mostOfTries / tries.length))}`];
    }),
  );
  return {
    ofBest: cut(await sandboxDiff(repo, brief, best.baseline.commit, best.commit), mostOfBest),
    ofTries: diffs.flat().join('\n'),
  };
}

/** A chief has the whole notebook, a checker the change, and whoever shares out work the spec. */
const readers: readonly Role[] = ['junior', 'planner', 'critic', 'manager'];

/** In characters. */
const mostOfBest = 8 * 1024;
const mostOfTries = 4 * 1024;
const mostTries = 4;

/** What its agent made, not what orgrepo made of it. */
const isOwnChange = ({ merged, part }: Experiment): boolean => !merged && part === undefined;

/** People may have changed files of the harness meanwhile, which not every agent may see. A clone without the old trees has no diff. */
const sandboxDiff = async (...asked: Parameters<typeof diffOf>): Promise<string> =>
  (await unlessProblem(diffOf(...asked))) ?? '';

async function diffOf(repo: Repo, brief: Brief, before: string, after: string): Promise<string> {
  if (before === after) return '';
  const { sandbox, holdout } = zonesOf(brief);
  const files = (await changedFiles(repo, before, after))
    .map(({ path }) => path)
    .filter((file) => sandbox.names(file) && !holdout.names(file));
  return files.length === 0
    ? ''
    : hideSecrets(await diffText(repo, before, after, files.slice(0, mostChanged))).trimEnd();
}

/** More names would be too long for a command line. */
const mostChanged = 200;

const cut = (diff: string, most: number): string =>
  diff.length <= most ? diff : `${diff.slice(0, most)}\n[cut off here: ${diff.length - most} characters more]`;
