import type { Brief } from '../domain/brief.ts';
import { commandAgent } from './command.ts';
import type { Agent, Task } from './contract.ts';
import { findsIdeasIn, searchChief } from './search-chief.ts';
import { searchJunior } from './search-junior.ts';

/** The agent that a brief puts in a role. Chiefs are the embedded one until models have roles. */
export function agentFor(role: Task['role'], brief: Brief): Agent {
  if (role === 'chief') return searchChief;
  return brief.agent.kind === 'command' ? commandAgent(brief.agent) : searchJunior;
}

/** Whether the chief that a brief gets would find anything in a file of the sandbox to write a spec about. */
export const chiefFindsIdeasIn = (path: string, content: Buffer): boolean => findsIdeasIn(path, content);
