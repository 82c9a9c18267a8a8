import { shortCommit } from '../../report/words/numbers.ts';
import { cut, type Look, spell } from '../../terminal/look.ts';
import { visible } from '../../terminal/visible.ts';
import type { Problem } from '../../text/problem.ts';
import type { PlannedChange } from '../org-plan.ts';
import { signs } from './plan-agents.ts';
import { warningJson } from './plan-json.ts';
import { warningLines } from './plan-page.ts';

/** An organisation that is about to be put into force. */
export interface ApplyStory {
  readonly name: string;
  readonly trunk: string;
  readonly changes: readonly PlannedChange[];
  readonly warnings: readonly Problem[];
  /** Whether a night is running that will follow. */
  readonly running: boolean;
  /** Whether the trunk has an organisation, or one was in force. */
  readonly isOrg: boolean;
}

const mostRows = 60;

export function formatApply({ name, trunk, changes, warnings }: ApplyStory, look: Look): string {
  const rows = changes.slice(0, mostRows).map((change) => cut(`  ${changeWords(change)}`, look.edge));
  const lines = [
    look.paint.bold(cut(`Apply the organisation of ${shortCommit(trunk)} · ${visible(name)}`, look.edge)),
    '',
    ...(changes.length === 0 ? ['  Nothing that has a name has changed.'] : rows),
    ...(changes.length > mostRows ? [look.typed(`  and ${changes.length - mostRows} more: orgrepo plan`)] : []),
    ...warnings.flatMap((warning) => ['', ...warningLines(warning, look)]),
    '',
  ];
  return spell(`${lines.join('\n')}\n`, look);
}

export function formatApplied({ trunk, running, isOrg }: ApplyStory, commit: string | undefined, look: Look): string {
  if (!isOrg) return 'Nothing to apply: there is no ORG.md, org.yaml, allowed_signers or policies/ on the trunk.\n';
  if (commit === undefined) return 'Nothing to apply: the organisation on the trunk is in force.\n';
  const when = running
    ? 'The running night follows at its next boundary: who joins starts, who leaves finishes their spec.'
    : look.typed('The next run works so: orgrepo run');
  return `Applied: the organisation of ${shortCommit(trunk)}, as ${shortCommit(commit)} on refs/orgrepo/applied.\n${when}\n`;
}

/** `orgrepo/apply@1`. */
export const applyJson = (story: ApplyStory, commit: string | undefined): Record<string, unknown> => ({
  schema: 'orgrepo/apply@1',
  applied: commit !== undefined,
  commit,
  trunk: story.trunk,
  running: story.running,
  changes: commit === undefined ? [] : story.changes,
  warnings: story.warnings.map(warningJson),
});

function changeWords({ kind, what, from, to }: PlannedChange): string {
  const values = [from, to].filter((value) => value !== undefined).map((value) => visible(value.replace(/\s+/g, ' ')));
  return `${signs[kind]} ${visible(what)}  ${values.join(' -> ')}`;
}
