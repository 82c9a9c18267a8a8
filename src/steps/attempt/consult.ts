import type { AgentWork, Role } from '../../agents/agent-contract.ts';
import { agentFor } from '../../agents/choose-agent.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import { nowInSeconds } from '../../process/clock.ts';
import type { NotebookLine } from '../../records/notebook/notebook.ts';
import { zonesOf } from '../../score/arena/zone-files.ts';
import type { Night } from '../night/night.ts';
import { noteOpinion } from '../standing/attempt-breaker.ts';
import { haltByRules, reachCap, stopAgent } from '../standing/halt.ts';
import { checkAway, untilPresent } from '../standing/present.ts';
import { layBench } from './prepare-bench.ts';
import { atDesk, deskOf } from './side-bench.ts';
import { taskAt, type Wanted } from './task-of-attempt.ts';

/** What somebody said who was asked for an opinion. Who cannot say anything has said why. */
export type Opinion = Exclude<AgentWork, { kind: 'edited' | 'nothing' }>;

/**
 * Asks an agent that changes nothing for its opinion: at a desk of its own, with the files of a line on it. Whoever is paused is
 * waited for, unless it is to be `at once`. Undefined when the run was cancelled meanwhile.
 */
export async function consult(
  night: Pick<Night, 'run' | 'inForce' | 'standing' | 'tally'>,
  pinned: PinnedBrief,
  line: Pick<NotebookLine, 'tip' | 'tree'>,
  wanted: Wanted & { readonly role: Exclude<Role, 'chief' | 'junior'> },
  how: 'patient' | 'at once' = 'patient',
): Promise<Opinion | undefined> {
  const { agent, role } = wanted;
  const opinion = await atDesk(night.standing, agent, async () => {
    if (night.standing.spentUp.has(agent))
      return { kind: 'failed', reason: `${agent} has used up what it may` } as const;
    if (how === 'patient') await untilPresent(night, agent);
    if ((await haltByRules(night, agent)) || (await checkAway(night, agent)))
      return { kind: 'failed', reason: `${agent} is stopped` } as const;
    const zones = zonesOf(pinned.brief);
    const place = role === 'planner' ? agent : deskOf(night.inForce, agent); // A plan is made before the work, by whom it is for.
    const desk = await layBench(night.run.org, place, { ...night.tally.best, ...line }, zones);
    const doing = (word: 'thinking' | 'idle', detail: string): void =>
      night.run.say({ kind: 'doing', at: nowInSeconds(), agent, doing: word, detail });
    doing('thinking', `${role} of ${wanted.spec?.id ?? ''}`);
    const task = await taskAt(night, { ...desk, zones }, pinned, wanted);
    const done = await agentFor(role, agent, pinned.brief, night.inForce.office)(task, night.run.signal);
    doing('idle', '');
    if (done.kind === 'capped') reachCap(night, agent, done, wanted.spec?.id);
    if (done.kind === 'unable') await stopAgent(night, agent, done.reason);
    else if (role !== 'planner') {
      noteOpinion(night, agent, done.kind === 'said');
      await haltByRules(night, agent);
    }
    if (done.kind === 'waits' || done.kind === 'busy') return { kind: 'failed', reason: done.reason } as const;
    if (done.kind === 'edited' || done.kind === 'nothing')
      return { kind: 'failed', reason: 'it said nothing that could be used', spent: done.spent } as const;
    return done;
  });
  return night.run.signal.aborted ? undefined : opinion;
}
