import { unusedKey } from '../../agents/keys.ts';
import { howToRenew, loginOf } from '../../agents/logins.ts';
import { postsOf, programs } from '../../domain/staff/staff.ts';
import type { Brief } from '../../domain/words/brief.ts';
import { nowInSeconds } from '../../process/pace.ts';
import type { Org } from '../../records/org.ts';
import { isoTime } from '../../terminal/visible.ts';
import { Problem } from '../../text/problem.ts';
import type { UsedLogin } from '../org-plan.ts';

/** The logins that a night would use. */
export async function loginsIn(org: Org, brief: Brief): Promise<readonly UsedLogin[]> {
  const working = postsOf(brief).filter(({ choice }) => choice.kind === 'program' && choice.baseUrl === undefined);
  const found = await Promise.all(
    programs.map(async (program): Promise<readonly UsedLogin[]> => {
      const posts = working.filter(({ choice }) => choice.kind === 'program' && choice.program === program);
      const login = posts[0] && (await loginOf(org, posts[0].choice));
      if (posts[0] === undefined || login === undefined) return [];
      const { from, until } = login;
      const agents = posts.map(({ id }) => id);
      return [{ program, from, until, agents, unused: await unusedKey(org, posts[0].choice) }];
    }),
  );
  return found.flat();
}

/** Logins that a night could outlive: its agents would be stopped then. */
export async function endingLogins(org: Org, brief: Brief): Promise<Problem[]> {
  const over = nowInSeconds() + brief.budget.nightMs / 1000;
  return (await loginsIn(org, brief)).flatMap(({ program, from, until }) => {
    if (until === undefined || until >= over || until <= nowInSeconds()) return [];
    const what = `the login of ${program} in ${from} ends at ${isoTime(until)}, and a night that begins now may last longer`;
    return [new Problem('credentials/refused', what, `${howToRenew(program)}.`)];
  });
}
