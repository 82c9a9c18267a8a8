import type { Charter } from '../../domain/staff/charter.ts';
import { formatModelId } from '../../domain/words/model-id.ts';
import { formatFrontMatter } from '../../text/front-matter.ts';
import { readPage } from '../read/org-page.ts';
import { formatPlaybooks } from '../read/org-playbooks.ts';
import { readSections } from '../read/org-sections.ts';
import { formatCulture } from '../settings/org-culture.ts';
import { formatPolicies } from '../settings/org-policies.ts';
import { formatSdlc } from '../settings/org-sdlc.ts';
import { formatStructure, formatTitle } from './org-format-chart.ts';

/** An ORG.md that says all of this; readCharter is its inverse, except for where each value stands. */
export function formatCharter(charter: Charter): string {
  const body = [
    `# ${formatTitle(charter.name)}`,
    ...titled('Identity', charter.identity),
    ...titled('Culture', formatCulture(charter.culture)),
    ...titled('SDLC', formatSdlc(charter.sdlc)),
    ...titled('Structure', formatStructure(charter)),
    ...titled('Policies', formatPolicies(charter.policies)),
    ...titled('Playbooks', formatPlaybooks(charter.playbooks)),
    ...charter.others.map(({ name, text }) => `## ${formatTitle(name)}${text === '' ? '' : `\n\n${text}`}`),
  ].join('\n\n');
  const front = frontMatter(charter);
  return Object.values(front).every((value) => value === undefined) ? `${body}\n` : formatFrontMatter(front, body);
}

const titled = (title: string, text: string): readonly string[] => (text === '' ? [] : [`## ${title}\n\n${text}`]);

/** What has no place in the prose: pinned names of models, and the mission where the prose does not begin with it. */
function frontMatter({ models, mission, identity, logEveryToolCall }: Charter): Readonly<Record<string, unknown>> {
  const silent = { file: 'ORG.md', warn: () => {} };
  const page = readPage(readSections(`## Identity\n\n${identity}`, 1, 'ORG.md'), silent);
  const told = page.mission?.text ?? page.opening;
  return {
    mission: told === mission || mission === '' ? undefined : mission,
    models:
      models.size === 0
        ? undefined
        : Object.fromEntries([...models].map(([name, model]) => [name, formatModelId(model)])),
    governance: logEveryToolCall ? { audit: { log_every_tool_call: true } } : undefined,
  };
}
