import { shortRef } from '../../git/refs/ref-names.ts';
import { nowInSeconds } from '../../process/clock.ts';
import type { Night } from './night.ts';

/**
 * True when somebody has changed how git works in this repository since the run began. No agent gets more work then, and
 * the night ends: whoever could do that could do more, and the person's next git command would run it.
 */
export async function endIfTouched(night: Pick<Night, 'run' | 'standing'>): Promise<boolean> {
  if (night.standing.touched !== undefined) return true;
  const lost = night.run.org.repo.refs.putBack();
  if (lost.length > 0) night.run.say({ kind: 'warning', at: nowInSeconds(), message: lostInWords(lost) });
  const changes = await night.run.canary.changes();
  if (changes.length === 0) return false;
  const [first = ''] = changes;
  const more = changes.length === 1 ? '' : ` and ${changes.length - 1} more`;
  night.standing.touched = `${first}${more}`;
  night.standing.ending = 'touched';
  night.run.say({
    kind: 'warning',
    at: nowInSeconds(),
    message: `somebody has changed how git works here: ${changes.join(', ')}. The night ends. Look at it before you use git in this repository; if it was you, run again`,
  });
  return true;
}

const lostInWords = (refs: readonly string[]): string =>
  `refs were gone and are back where this run left them: ${refs.map(shortRef).join(', ')}. Either .git/packed-refs was lost or somebody deleted them. Check your own branches: git branch -a`;
