import type { AgentWork, Role } from '../../agents/agent-contract.ts';
import { agentFor } from '../../agents/choose-agent.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import { nowInSeconds } from '../../process/pace.ts';
import type { NotebookLine } from '../../records/notebook/notebook.ts';
import { zonesOf } from '../../score/judge/boundary.ts';
import type { Night } from '../night/night.ts';
import type { NightInForce } from '../night/night-in-force.ts';
import { haltByRules, noteOpinion, reachCap, stopAgent } from '../standing/halt.ts';
import type { NightStanding } from '../standing/night-standing.ts';
import { checkAway, untilPresent } from '../standing/standing-now.ts';
import { taskAt, type Wanted } from './agent-task.ts';
import { layBench } from './prepare-bench.ts';

/** What an agent said that was asked for an opinion, or why it said nothing. */
export type Opinion = Exclude<AgentWork, { kind: 'edited' | 'nothing' }>;

/**
 * Asks an agent that changes nothing for its opinion, at a side bench with the files of a line. Waits for a paused agent,
 * unless it is to be `at once`. Undefined when the run was cancelled meanwhile.
 */
export async function consult(
  night: Pick<Night, 'run' | 'inForce' | 'standing' | 'tally'>,
  pinned: PinnedBrief,
  line: Pick<NotebookLine, 'tip' | 'tree'>,
  wanted: Wanted & { readonly role: Exclude<Role, 'chief' | 'junior'> },
  how: 'patient' | 'at once' = 'patient',
): Promise<Opinion | undefined> {
  const { agent, role } = wanted;
  const opinion = await inItsTurn(night.standing, agent, async (): Promise<Opinion> => {
    if (night.standing.spentUp.has(agent)) return { kind: 'failed', reason: `${agent} has used up what it may` };
    if (how === 'patient') await untilPresent(night, agent);
    if ((await haltByRules(night, agent)) || (await checkAway(night, agent)))
      return { kind: 'failed', reason: `${agent} is stopped` };
    const zones = zonesOf(pinned.brief);
    // A plan comes before the work, so the agent makes it at its own bench.
    const name = role === 'planner' ? agent : sideBenchOf(night.inForce, agent);
    const bench = await layBench(night.run.org, name, { ...night.tally.best, ...line }, zones);
    const say = (doing: 'thinking' | 'idle', detail: string): void =>
      night.run.say({ kind: 'doing', at: nowInSeconds(), agent, doing, detail });
    say('thinking', `${role} of ${wanted.spec?.id ?? ''}`);
    const task = await taskAt(night, { ...bench, zones }, pinned, wanted);
    const done = await agentFor(role, agent, pinned.brief, night.inForce.office)(task, night.run.signal);
    say('idle', '');
    if (done.kind === 'capped') reachCap(night, agent, done, wanted.spec?.id);
    if (done.kind === 'unable') await stopAgent(night, agent, done.reason);
    else if (role !== 'planner') {
      noteOpinion(night, agent, done.kind === 'said');
      await haltByRules(night, agent);
    }
    if (done.kind === 'waits' || done.kind === 'busy') return { kind: 'failed', reason: done.reason };
    if (done.kind === 'edited' || done.kind === 'nothing')
      return { kind: 'failed', reason: 'it said nothing that could be used', spent: done.spent };
    return done;
  });
  return night.run.signal.aborted ? undefined : opinion;
}

/** An agent at a side bench does one thing at a time: new work waits for what it was asked before. */
export function inItsTurn<T>(standing: NightStanding, agent: string, work: () => Promise<T>): Promise<T> {
  const before = standing.busy.get(agent) ?? Promise.resolve();
  const mine = before.then(work);
  standing.busy.set(
    agent,
    mine.catch(() => {}),
  );
  return mine;
}

/** The bench for what else an agent is asked: the bench of an agent that works specs holds its own work. */
export const sideBenchOf = ({ juniors }: NightInForce, agent: string): string =>
  juniors.includes(agent) ? `${agent}.desk` : agent;
