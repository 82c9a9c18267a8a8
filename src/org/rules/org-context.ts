import { memberOf } from '../../domain/staff/chart.ts';
import type { Charter, Member } from '../../domain/staff/charter.ts';

/**
 * What people wrote for an agent to know: of the org, its culture, its department and its role. Empty where they wrote nothing. Whoever
 * is new is told who looks after it.
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
    [charter.name, [mission, identity === mission ? '' : identity].filter((text) => text !== '').join('\n\n')],
    ['How we work', charter.culture.context],
    [department?.name ?? '', [department?.goal ?? '', department?.context ?? ''].filter(Boolean).join('\n\n')],
    [member === undefined ? '' : `You: ${member.name}`, member?.context ?? ''],
    ['Your mentor', mentor === undefined ? '' : mentorWords(mentor)],
  ];
  const said = parts.filter(([name, text]) => name !== '' && text.trim() !== '');
  return said.map(([name, text]) => `## ${name}\n\n${text.trim()}`).join('\n\n');
}

const mentorWords = ({ id, name }: Pick<Member, 'id' | 'name'>): string =>
  `You are new here, and ${id === name ? id : `${name} (${id})`} looks after you: take its wins for an example, where the notebook tells of it.`;
