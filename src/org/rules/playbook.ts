import type { Playbook } from '../../domain/staff/charter.ts';
import type { EscalationReason } from '../../domain/staff/escalation.ts';

/** What a manager is given to go by: the org's own playbook, or the usual steps where it has none. */
export function stepsFor(reason: EscalationReason, playbooks: readonly Playbook[]): readonly string[] {
  const own = playbookFor(reason, playbooks);
  return own !== undefined && own.steps.length > 0 ? own.steps : [...usual[reason], ...always];
}

/** `Escalation: BLOCKED`, whatever its case and its marks. */
export const playbookFor = (reason: EscalationReason, playbooks: readonly Playbook[]): Playbook | undefined =>
  playbooks.find(({ name }) => bare(name) === `escalation ${bare(reason)}`);

const bare = (text: string): string => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');

const usual: Readonly<Record<EscalationReason, readonly string[]>> = {
  BLOCKED: ['Read what is missing.', 'Provide it as context, or reassign the spec to somebody who has it.'],
  OUT_OF_DOMAIN: [
    'Look whose field the spec is.',
    'Reassign it to them, or to the lead of their department. It costs the agent that gave it back nothing.',
  ],
  OVER_BUDGET: [
    'Look whether the spec is worth more than was planned for it.',
    'Reassign it to somebody who has budget left, or close it. Only a person can raise a limit.',
  ],
  LOW_CONFIDENCE: [
    'Read what the agent is unsure of.',
    'Say which way to go as context, or reassign the spec to somebody more senior.',
  ],
  TIMEOUT: ['Look whether the spec is too large for one attempt.', 'Say as context what to leave out, or close it.'],
  DEPENDENCY: ['Look which spec must come first.', 'Say so as context, or close this one until the other is done.'],
};

const always = ['Where you cannot answer, escalate further up.'];
