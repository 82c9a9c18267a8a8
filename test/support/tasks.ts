import type { Attempted, SpecTask } from '../../src/domain/staff/trust.ts';
import type { VerdictEvent } from '../../src/domain/words/experiment.ts';

/** An attempt of its own: tampered, failed and unchanged ones are never measured. */
export const tried = (agent: string, event: VerdictEvent, more: Partial<Attempted> = {}): Attempted => ({
  ...{ n: 1, agent, event, merged: false, part: undefined, at: 100, title: 'leave less room' },
  seconds: event === 'tampered' || event === 'failed' || event === 'unchanged' ? undefined : 1.5,
  ...more,
});

/** A finished task of `agent` with these verdicts. */
export const taskOf = (agent: string, events: readonly VerdictEvent[], more: Partial<SpecTask> = {}): SpecTask => ({
  ...{ spec: '0001', agent, claimedAt: 0, endedAt: 1000, escalations: 0 },
  experiments: events.map((event, index) => tried(agent, event, { n: index + 1, at: 100 + index })),
  ...more,
});
