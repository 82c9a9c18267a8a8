import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { AgentTask } from '../../agents/agent-contract.ts';
import type { Member } from '../../domain/staff/charter.ts';
import { type AgentChoice, choiceOf } from '../../domain/staff/staff.ts';
import { isWarmingUp } from '../../domain/staff/trust.ts';
import type { Brief } from '../../domain/words/brief.ts';
import { placesOfRepo } from '../../git/repo.ts';
import { machineFor, shownPaths } from '../../jail/cell.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import { orgContext } from '../../org/rules/org-context.ts';
import { mentorOf } from '../../org/rules/roster.ts';
import type { Org } from '../../records/org.ts';
import { levelOf } from '../../score/measure/trial.ts';
import type { AttemptParts, KnownParts } from '../night/night.ts';
import { chartNow } from '../night/night-in-force.ts';
import { trustNow } from '../standing/night-standing.ts';
import type { Bench } from './prepare-bench.ts';

/** What a role adds to its task; the rest is the same for every agent. */
export type Wanted = Pick<AgentTask, 'role' | 'agent'> &
  Partial<Omit<AgentTask, 'role' | 'agent' | 'dir' | 'files' | 'brief'>>;

/** A task for an agent at a bench. A field that the role has no use for is empty. */
export async function taskAt(
  night: AttemptParts,
  { worktree, files, zones }: Pick<Bench, 'worktree' | 'files' | 'zones'>,
  { brief }: PinnedBrief,
  wanted: Wanted,
): Promise<AgentTask> {
  return {
    dir: worktree.dir,
    files: [...files.keys()].filter(zones.sandbox.names),
    brief,
    context: contextFor(night, wanted),
    spec: undefined,
    notebook: night.tally.memory.experiments,
    standing: { best: night.tally.best.score, baseline: night.tally.best.baseline.score },
    ...{ specs: [], open: 0, wanted: 0, attempt: 1, ask: 1, attempts: 1 },
    ...{ refused: [], report: '', plan: '', critiques: [], diff: '' },
    seed: night.run.seed,
    mark: randomBytes(8).toString('hex'),
    deadlineMs: brief.budget.agentMs,
    rehearse: async () => `a ${wanted.role} has nothing to run`,
    held: await cellFor(night.run.org, brief, choiceOf(brief.staff, wanted.agent)),
    ...wanted,
  };
}

function contextFor(night: KnownParts, { role, agent }: Wanted): string {
  const chart = chartNow(night.inForce);
  if (chart === undefined) return '';
  const worksSpecs = role === 'junior' || role === 'planner'; // Trust is known only of these, and so is a mentor.
  return orgContext(chart, agent, worksSpecs ? mentorNow(night, agent) : undefined);
}

/** The mentor of an agent that is warming up; undefined for any other agent. */
export function mentorNow({ inForce, standing }: KnownParts, agent: string): Member | undefined {
  const charter = inForce.pinned.charter?.charter;
  return charter !== undefined && isWarmingUp(trustNow(standing, agent)) ? mentorOf(charter, agent) : undefined;
}

/** What a process of the agent may see. An agent that starts none needs no cell. */
async function cellFor(org: Org, { holdout, show }: Brief, choice: AgentChoice): Promise<AgentTask['held']> {
  if (!startsProcess(choice)) return { level: 'none', shown: [], hidden: [] };
  const { root, gitDir } = org.repo;
  // Git needs these to show the history: neither its config and hooks, nor what orgrepo keeps there.
  // The history holds every file of the trunk, so a brief that holds some of them out shows none of it.
  const history = holdout.length > 0 ? [] : ['objects', 'refs', 'packed-refs', 'HEAD', 'worktrees'];
  const files = history.map((name) => path.join(gitDir, name)).filter((file) => existsSync(file));
  return {
    level: await levelOf(org),
    shown: [...machineFor(root), ...shownPaths(show), ...files],
    hidden: placesOfRepo(org.repo),
  };
}

/** A model starts none itself, but its tool servers may be processes. */
const startsProcess = (choice: AgentChoice): boolean =>
  choice.kind === 'command' ||
  choice.kind === 'program' ||
  (choice.kind === 'api' && choice.servers?.some(({ reach }) => reach.kind === 'command') === true);
