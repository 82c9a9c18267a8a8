import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sdlc } from '../../src/domain/staff/charter.ts';
import { judgeLanded, type LandedScores, landBranch, landRules, standardSdlc } from '../../src/land/land-rules.ts';

const as = <T>(value: T, from = 'ORG.md:7') => ({ value, from });
const change = { trunk: 'main', lines: 10, kept: [{ n: 3, approved: false }] };

const rules: readonly {
  readonly what: string;
  readonly sdlc: Partial<Sdlc>;
  readonly change?: Partial<typeof change>;
  readonly says: readonly [way: string, refusals: readonly string[], warnings: readonly string[]];
}[] = [
  { what: 'a branch where nothing is said', sdlc: {}, says: ['branch', [], []] },
  {
    what: 'the trunk itself where it may be pushed to',
    sdlc: { directPush: as(true), pullRequests: as('optional') },
    says: ['trunk', [], []],
  },
  {
    what: 'a branch where one line allows a push and another wants a pull request',
    sdlc: { directPush: as(true), pullRequests: as('required') },
    says: ['branch', [], []],
  },
  {
    what: 'nothing of a change that is just as large as it may be',
    sdlc: { mostLines: as({ soft: 10, hard: 10 }) },
    says: ['branch', [], []],
  },
  {
    what: 'a warning above the soft limit',
    sdlc: { mostLines: as({ soft: 9, hard: 20 }) },
    says: ['branch', [], ['10 lines change, and a change has at most 9 (ORG.md:7)']],
  },
  {
    what: 'a refusal above the hard limit, and no warning beside it',
    sdlc: { mostLines: as({ soft: 5, hard: 9 }) },
    says: ['branch', ['person/large: 10 lines change, and a change has at most 9 (ORG.md:7)'], []],
  },
  {
    what: 'nothing of size without limits',
    sdlc: { mostLines: as({ soft: undefined, hard: undefined }) },
    change: { lines: 1e6 },
    says: ['branch', [], []],
  },
  {
    what: 'who is not reviewed, where a review is needed',
    sdlc: { review: as(true) },
    change: {
      kept: [
        { n: 3, approved: false },
        { n: 5, approved: true },
        { n: 8, approved: false },
      ],
    },
    says: ['branch', ['person/unreviewed: nobody has approved #3 #8, and every win must be reviewed (ORG.md:7)'], []],
  },
  {
    what: 'nothing where all are reviewed',
    sdlc: { review: as(true) },
    change: { kept: [{ n: 3, approved: true }] },
    says: ['branch', [], []],
  },
  {
    what: 'both refusals where there are two',
    sdlc: { review: as(true), mostLines: as({ soft: undefined, hard: 1 }) },
    says: [
      'branch',
      [
        'person/large: 10 lines change, and a change has at most 1 (ORG.md:7)',
        'person/unreviewed: nobody has approved #3, and every win must be reviewed (ORG.md:7)',
      ],
      [],
    ],
  },
  {
    what: 'that another branch is meant',
    sdlc: { target: as('develop') },
    says: ['branch', [], ["the org's changes are for develop (ORG.md:7), and this one is made from main"]],
  },
];

for (const { what, sdlc, change: other, says } of rules)
  test(`the rules say: ${what}`, () => {
    const { way, refusals, warnings } = landRules({ ...standardSdlc, ...sdlc }, { ...change, ...other });
    assert.deepEqual([way, refusals.map(({ code, message }) => `${code}: ${message}`), warnings], says);
  });

test('of what must pass before, commands are to be run and words are for a person', () => {
  const preMerge = as([
    { words: 'typecheck passes', command: 'tsc --noEmit' },
    { words: 'lint clean', command: undefined },
  ]);
  const { gates, forYou } = landRules({ ...standardSdlc, preMerge, verification: as('none') }, change);
  assert.deepEqual(gates, [{ words: 'typecheck passes', command: 'tsc --noEmit' }]);
  assert.deepEqual(forYou, ['lint clean']);
  assert.deepEqual(landRules(standardSdlc, change).forYou, ['a smoke test once it is merged']);
});

test('a change that is too large is told to land fewer experiments, where there are several', () => {
  const small = { ...standardSdlc, mostLines: as({ soft: undefined, hard: 1 }) };
  const several = [3, 5].map((n) => ({ n, approved: true }));
  const hint = (kept: typeof change.kept): string | undefined =>
    landRules(small, { ...change, kept }).refusals[0]?.hint;
  assert.equal(hint(several), 'Land fewer experiments at a time: orgrepo land 3');
  assert.match(hint(several.slice(1)) ?? '', /^Ask for smaller changes/);
});

const scores: LandedScores = {
  direction: 'minimize',
  landed: [4, 4],
  trunk: [10],
  numbers: { lines: 12 },
  baseline: { lines: 10 },
  guards: [{ name: 'lines', strict: false, kind: '+', amount: 5 }],
  recorded: { score: 4, within: 0 },
};

const judged: readonly [string, Partial<LandedScores>, ReturnType<typeof judgeLanded>][] = [
  ['what is better and as it was recorded', {}, { doubts: [] }],
  [
    'what is worse than the trunk',
    { trunk: [3] },
    { refused: 'it scores 4 once it is squashed, and the trunk as it is scores 3' },
  ],
  [
    'what is worse where more is better',
    { direction: 'maximize' },
    { refused: 'it scores 4 once it is squashed, and the trunk as it is scores 10' },
  ],
  ['what is as good as the trunk', { trunk: [4] }, { doubts: ['it is not better than the trunk as it is'] }],
  [
    'what scores otherwise than it was kept with',
    { landed: [5, 5] },
    { doubts: ['it scores 5 here and now, and won with 4'] },
  ],
  ['the same within the noise', { landed: [4.5, 4.5], recorded: { score: 4, within: 1 } }, { doubts: [] }],
  ['what was kept by another measure', { landed: [5, 5], recorded: undefined }, { doubts: [] }],
  [
    'a trunk without a score',
    { trunk: [] },
    { doubts: ['the trunk as it is gets no score, so there is nothing to compare with'] },
  ],
  [
    'what breaks a guard',
    { numbers: { lines: 16 } },
    { refused: 'it breaks a guard once it is squashed: lines is 16, the guard allows at most 15' },
  ],
  [
    'many changes that each held a bound on the one before',
    { numbers: { lines: 16 }, guards: [{ name: 'lines', strict: false, kind: '+', amount: 5, of: 'best' }] },
    { doubts: [] },
  ],
];

for (const [what, other, says] of judged)
  test(`measured again: ${what}`, () => assert.deepEqual(judgeLanded({ ...scores, ...other }), says));

const names: readonly [string | undefined, readonly string[], string][] = [
  [undefined, ['junior-1'], 'land/exact-fit'],
  ['<role>/<feature>', ['junior-1', 'junior-1'], 'junior-1/exact-fit'],
  ['<role>/<feature>', ['junior-1', 'junior-2'], 'land/exact-fit'],
  ['<Role>/<Ticket Name>', ['web-eng'], 'web-eng/exact-fit'],
  ['feature/<feature name>', ['a'], 'feature/exact-fit'],
  ['release candidates', ['a'], 'release-candidates/exact-fit'],
];

for (const [naming, agents, name] of names)
  test(`a branch is called ${name} by ${naming ?? 'no rule'} and ${agents.join(', ')}`, () =>
    assert.equal(landBranch(naming, 'exact-fit', agents), name));
