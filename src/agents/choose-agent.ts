import { anyHost, networkAct, type Principal } from '../domain/rules/act.ts';
import { type AgentChoice, choiceInWords, choiceOf } from '../domain/staff/staff.ts';
import type { Brief } from '../domain/words/brief.ts';
import { acpAgent } from './acp/acp-agent.ts';
import type { Agent, AgentTask } from './agent-contract.ts';
import { apiAgent } from './api-agent.ts';
import { type ModelAccess, payerOf } from './model-access.ts';
import { commandAgent } from './programs/command-agent.ts';
import { programAgent } from './programs/program-agent.ts';
import { searchChief } from './search/search-chief.ts';
import { searchJunior } from './search/search-junior.ts';

/** The agent that a brief puts behind a name of the org. */
export function agentFor(role: AgentTask['role'], name: string, brief: Brief, models: ModelAccess): Agent {
  const choice = choiceOf(brief.staff, name);
  switch (choice.kind) {
    case 'search':
      return role === 'chief' ? searchChief : searchJunior;
    case 'command':
      return choice.network ? onlyIfAllowed(commandAgent(choice), choice, models) : commandAgent(choice);
    case 'api':
      return apiAgent(choice, models);
    case 'program':
      return onlyIfAllowed(programAgent(choice, models), choice, models);
    case 'acp':
      return onlyIfAllowed(acpAgent(choice, models), choice, models);
    case 'human':
      throw new Error('nobody starts a person: steps/people/people-lane.ts waits for one');
  }
}

/** One that has the network is started only where the policies let it have that. They will say the same the next time. */
const onlyIfAllowed =
  (agent: Agent, choice: AgentChoice, models: ModelAccess): Agent =>
  async (task, signal) => {
    const purpose = { what: choiceInWords(choice), spec: task.spec?.id };
    const act = (who: Principal) => networkAct(who, anyHost, purpose);
    const refusal = await models.refuses?.(task.agent, act, payerOf(task).errand);
    if (refusal === undefined) return agent(task, signal);
    const reason = `the network: ${refusal.words}`;
    return refusal.request === undefined
      ? { kind: 'unable', reason }
      : { kind: 'waits', reason, request: refusal.request };
  };
