import { randomBytes } from 'node:crypto';
import type { AgentTask } from '../../agents/agent-contract.ts';
import { choiceOf } from '../../domain/staff/staff.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import { orgContext } from '../../org/rules/org-context.ts';
import type { Night } from '../night/night.ts';
import { chartNow } from '../night/night-in-force.ts';
import { heldFor } from './agent-cell.ts';
import { mentorNow } from './mentor-now.ts';
import type { Bench } from './prepare-bench.ts';

/** What every task says whoever gets it; the rest is the role's own. */
type Usual = Exclude<keyof AgentTask, 'role' | 'agent' | 'dir' | 'files' | 'brief'>;

export type Wanted = Pick<AgentTask, 'role' | 'agent'> & Partial<Pick<AgentTask, Usual>>;

/** A task for an agent at a bench. What the role has no use for is empty. */
export async function taskAt(
  night: Pick<Night, 'run' | 'inForce' | 'standing' | 'tally'>,
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
    held: await heldFor(night.run.org, brief, choiceOf(brief.staff, wanted.agent)),
    ...wanted,
  };
}

/** Only of those who work specs it is known how new they are. */
function contextFor(night: Pick<Night, 'inForce' | 'standing'>, { role, agent }: Wanted): string {
  const chart = chartNow(night.inForce);
  if (chart === undefined) return '';
  return orgContext(chart, agent, role === 'junior' || role === 'planner' ? mentorNow(night, agent) : undefined);
}
