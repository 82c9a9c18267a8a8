import { type Look, spell, wrap } from '../../terminal/look.ts';
import { visible } from '../../terminal/visible.ts';
import { recommendedStep } from '../advice/recommend.ts';
import type { EditProposal } from '../facts/proposal.ts';
import { paintDiff, shortCommit } from '../words/numbers.ts';

/** What is recommended, and the edit itself. */
export function formatProposal({ recommendation, diff }: EditProposal, look: Look): string {
  const { bold } = look.paint;
  const words = wrap(visible(recommendedStep(recommendation).what), look.columns);
  const plain = diff.split('\n').filter((line) => !/^(diff --git|index) /.test(line));
  const lines = paintDiff(plain.join('\n'), { ...look.paint, bold: String });
  return spell(`${[...words.map(bold), '', ...lines].join('\n')}\n`, look);
}

/** Where it is, and what to type: nothing of that is done for anybody. */
export const formatCommitted = (story: EditProposal, commit: string): string =>
  [
    '',
    `${shortCommit(commit)} is on ${story.branch}; ${story.trunk} is as it was`,
    `  look at it   ${commandsFor(story).review}`,
    `  take it      ${commandsFor(story).merge}`,
    `  drop it      ${commandsFor(story).drop}`,
    '',
  ].join('\n');

const commandsFor = ({ branch, trunk }: EditProposal) => ({
  review: `git diff ${trunk}...${branch}`,
  merge: `git merge ${branch}`,
  drop: `git branch -D ${branch}`,
});

/** `orgrepo/apply@1`. */
export function proposalJson(story: EditProposal, commit: string): Record<string, unknown> {
  const { recommendation, file, branch, trunk, diff } = story;
  return { schema: 'orgrepo/apply@1', recommendation, file, trunk, branch, commit, diff, ...commandsFor(story) };
}
