import { existsSync } from 'node:fs';
import path from 'node:path';
import type { AgentTask } from '../../agents/agent-contract.ts';
import type { AgentChoice } from '../../domain/staff/staff.ts';
import type { Brief } from '../../domain/words/brief.ts';
import { placesOfRepo } from '../../git/repo-places.ts';
import { machineFor, shownPaths } from '../../jail/cell.ts';
import type { Org } from '../../records/org.ts';
import { levelOf } from '../../score/arena/jail-of-org.ts';

/** How the brief's agents are held: those that are processes in cells, the embedded ones not at all. */
export async function heldFor(org: Org, { holdout, show }: Brief, choice: AgentChoice): Promise<AgentTask['held']> {
  if (!isProcess(choice)) return { level: 'none', shown: [], hidden: [] };
  const { root, gitDir } = org.repo;
  // Of the repository, what git needs to tell its history. Neither config nor hooks, and not what orgrepo keeps there.
  // The history holds every file of the trunk: where the brief holds some of them out, there is none to be read.
  const told = holdout.length > 0 ? [] : ['objects', 'refs', 'packed-refs', 'HEAD', 'worktrees'];
  const books = told.map((name) => path.join(gitDir, name));
  return {
    level: await levelOf(org),
    shown: [...machineFor(root), ...shownPaths(show), ...books.filter((file) => existsSync(file))],
    hidden: placesOfRepo(org.repo),
  };
}

/** A model is none, but servers of its tools may be. */
const isProcess = (choice: AgentChoice): boolean =>
  choice.kind === 'command' ||
  choice.kind === 'program' ||
  (choice.kind === 'api' && choice.servers?.some(({ reach }) => reach.kind === 'command') === true);
