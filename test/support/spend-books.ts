import assert from 'node:assert/strict';
import type { Cap, Scope } from '../../src/domain/words/spending.ts';
import type { TestOrg } from './org.ts';

/** One commit of a book, as plain git tells it. */
type Line = Readonly<Record<string, string>>;

type Counts = { usd: number; tokensIn: number; tokensOut: number };

/** All commits of all books, oldest first. Read with git alone, because what orgrepo says of itself is what is in question. */
export function spendLines(org: TestOrg): Line[] {
  const refs = org
    .git('for-each-ref', '--format=%(refname)', 'refs/orgrepo/spend')
    .split('\n')
    .filter((ref) => ref !== '');
  return refs.flatMap((ref) =>
    org
      .git('log', '--reverse', '--first-parent', '--format=commit: %H%n%(trailers:only,unfold)%x00', ref)
      .split('\0')
      .map((text) =>
        Object.fromEntries(
          text
            .trim()
            .split('\n')
            .map((line) => line.split(/: (.*)/s, 2) as [string, string]),
        ),
      )
      .filter((line) => line['Org-Reserved'] !== undefined || line['Org-Event'] === 'reserve'),
  );
}

/**
 * Goes through the books commit by commit and holds every sum against its cap: what is settled, and of what is not the
 * whole reservation. A spec is counted over all nights. Gives the most that anything ever came to, for each scope.
 */
export function checkCaps(org: TestOrg, caps: Readonly<Partial<Record<Scope, Cap>>>): Readonly<Record<string, Counts>> {
  const counted = new Map<string, Counts>();
  const open = new Map<string, Counts>();
  const most: Record<string, Counts> = {};
  for (const line of spendLines(org)) {
    const of = (name: string): string => line[`Org-${name}`] ?? '';
    const used = {
      usd: Number(of('Cost-USD')),
      tokensIn: Number(of('Tokens-In')),
      tokensOut: Number(of('Tokens-Out')),
    };
    const event = of('Event');
    const before = event === 'reserve' ? undefined : open.get(of('Cause'));
    if (event === 'reserve') open.set(line.commit ?? '', used);
    else assert.ok(before, `${line.commit} ends what was never begun`);
    const keys: readonly (readonly [Scope, string])[] = [
      ...(of('Spec') === ''
        ? []
        : [['spec', of('Spec')] as const, ['attempt', `${of('Run')} ${of('Attempt')}`] as const]),
      ['agent', `${of('Run')} ${of('Agent')}`],
      ['night', of('Run')],
      ['day', of('Day')],
    ];
    for (const [scope, name] of keys) {
      const sum = counted.get(`${scope} ${name}`) ?? { usd: 0, tokensIn: 0, tokensOut: 0 };
      const high = most[scope] ?? { usd: 0, tokensIn: 0, tokensOut: 0 };
      most[scope] = high;
      for (const what of ['usd', 'tokensIn', 'tokensOut'] as const) {
        sum[what] += (event === 'release' ? 0 : used[what]) - (before?.[what] ?? 0);
        high[what] = Math.max(high[what], sum[what]);
        const cap = caps[scope]?.[what] ?? Number.POSITIVE_INFINITY;
        assert.ok(
          sum[what] <= cap + 1e-9,
          `${scope} ${name}: ${sum[what]} ${what} at ${line.commit}, the cap is ${cap}`,
        );
      }
      counted.set(`${scope} ${name}`, sum);
    }
  }
  return most;
}
