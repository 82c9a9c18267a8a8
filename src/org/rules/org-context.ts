import { memberOf } from '../../domain/staff/chart.ts';
import type { Charter, Member, Playbook } from '../../domain/staff/charter.ts';
import type { EscalationReason } from '../../domain/staff/escalation.ts';
import { paragraphs } from '../read/org-metadata.ts';

/**
 * What people wrote for an agent to know: of the org, its culture, its department and its role. Empty where they wrote nothing. A
 * new agent also reads which colleague looks after it.
 */
export function orgContext(
  charter: Pick<Charter, 'name' | 'mission' | 'identity' | 'culture' | 'departments' | 'members'>,
  agent: string,
  mentor?: Pick<Member, 'id' | 'name'> | undefined,
): string {
  const member = memberOf(charter, agent);
  const department = charter.departments.find(({ id }) => id === member?.department);
  const [mission, identity] = [charter.mission.trim(), charter.identity.trim()];
  const parts: readonly (readonly [string, string])[] = [
    [charter.name, paragraphs(mission, identity === mission ? '' : identity)],
    ['How we work', charter.culture.context],
    [department?.name ?? '', paragraphs(department?.goal ?? '', department?.context ?? '')],
    [member === undefined ? '' : `You: ${member.name}`, member?.context ?? ''],
    ['Your mentor', mentor === undefined ? '' : mentorWords(mentor)],
  ];
  const said = parts.filter(([name, text]) => name !== '' && text.trim() !== '');
  return said.map(([name, text]) => `## ${name}\n\n${text.trim()}`).join('\n\n');
}

const mentorWords = ({ id, name }: Pick<Member, 'id' | 'name'>): string =>
  `You are new here, and ${id === name ? id : `${name} (${id})`} looks after you: take its wins for an example, where the notebook tells of it.`;

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
