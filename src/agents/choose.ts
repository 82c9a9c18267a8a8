import type { Brief } from '../domain/brief.ts';
import { choiceOf } from '../domain/staff.ts';
import { apiAgent } from './api.ts';
import { commandAgent } from './command.ts';
import type { Agent, Task } from './contract.ts';
import type { Office } from './office.ts';
import { findsIdeasIn, searchChief } from './search-chief.ts';
import { searchJunior } from './search-junior.ts';

export { parseScript as checkScript } from '../models/scripted.ts';
export { type Office, type OfficeRules, openOffice } from './office.ts';

/** The agent that a brief puts behind a name of the org. */
export function agentFor(role: Task['role'], name: string, brief: Brief, office: Office): Agent {
  const choice = choiceOf(brief.staff, name);
  switch (choice.kind) {
    case 'search':
      return role === 'chief' ? searchChief : searchJunior;
    case 'command':
      return commandAgent(choice);
    case 'api':
      return apiAgent(choice, office);
    case 'program':
    case 'human':
      throw new Error(`${choice.kind} agents come next`);
  }
}

/** Whether the chief that a brief gets would find anything in a file of the sandbox to write a spec about. */
export const chiefFindsIdeasIn = (path: string, content: Buffer): boolean => findsIdeasIn(path, content);
