import type { Charter } from '../domain/staff/charter.ts';
import { formatModelId } from '../domain/words/model-id.ts';
import { formatFrontMatter } from './front-matter.ts';
import { formatCulture } from './org-culture.ts';
import { formatStructure, formatTitle } from './org-format-chart.ts';
import { readPage } from './org-page.ts';
import { formatPlaybooks } from './org-playbooks.ts';
import { formatPolicies } from './org-policies.ts';
import { formatSdlc } from './org-sdlc.ts';
import { readSections } from './org-sections.ts';

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
