import { anyHost, networkAct, type Principal } from '../domain/rules/act.ts';
import { type AgentChoice, choiceInWords, choiceOf } from '../domain/staff/staff.ts';
import type { Brief } from '../domain/words/brief.ts';
import type { Agent, AgentTask } from './agent-contract.ts';
import { apiAgent } from './api-agent.ts';
import { type Office, payerOf } from './model-access.ts';
import { commandAgent } from './programs/command-agent.ts';
import { programAgent } from './programs/program-agent.ts';
import { findsIdeasIn, searchChief } from './search/search-chief.ts';
import { searchJunior } from './search/search-junior.ts';

export { type Office, type OfficeRules, openOffice } from './model-access.ts';
export { parseScript as checkScript } from './models/scripted.ts';
export { checkProgramPriced } from './programs/program-agent.ts';
export { isProgram, placeOfProgram } from './programs/program-place.ts';

/** The agent that a brief puts behind a name of the org. */
export function agentFor(role: AgentTask['role'], name: string, brief: Brief, office: Office): Agent {
  const choice = choiceOf(brief.staff, name);
  switch (choice.kind) {
    case 'search':
      return role === 'chief' ? searchChief : searchJunior;
    case 'command':
      return choice.network ? onlyIfAllowed(commandAgent(choice), choice, office) : commandAgent(choice);
    case 'api':
      return apiAgent(choice, office);
    case 'program':
      return onlyIfAllowed(programAgent(choice, office), choice, office);
    case 'human':
      throw new Error('nobody starts a person: steps/people/peoples-desk.ts waits for one');
  }
}

/** One that has the network is started only where the policies let it have that. They will say the same the next time. */
const onlyIfAllowed =
  (agent: Agent, choice: AgentChoice, office: Office): Agent =>
  async (task, signal) => {
    const purpose = { what: choiceInWords(choice), spec: task.spec?.id };
    const act = (who: Principal) => networkAct(who, anyHost, purpose);
    const refusal = await office.refuses?.(task.agent, act, payerOf(task).errand);
    if (refusal === undefined) return agent(task, signal);
    const reason = `the network: ${refusal.words}`;
    return refusal.request === undefined
      ? { kind: 'unable', reason }
      : { kind: 'waits', reason, request: refusal.request };
  };

/** Whether the chief that a brief gets would find anything in a file of the sandbox to write a spec about. */
export const chiefFindsIdeasIn = (path: string, content: Buffer): boolean => findsIdeasIn(path, content);

export { endOfLife, type Knocked, knock } from './models/providers.ts';
export { checkPriced } from './prices.ts';
