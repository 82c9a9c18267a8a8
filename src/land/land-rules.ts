import type { Sdlc, SdlcGate, Setting } from '../domain/staff/charter.ts';
import type { Direction } from '../domain/words/brief.ts';
import { brokenGuard, type Guard, gainOver, meanOf, type Numbers } from '../domain/words/score.ts';
import type { Problem } from '../text/problem.ts';

/** A change that is about to come to the trunk, as far as the rules of an org ask for it. */
interface LandedChange {
  /** The branch that it is made for: `main`. */
  readonly trunk: string;
  /** Added and deleted together. */
  readonly lines: number;
  /** The experiments in it, and whether somebody who did not make them has approved of each. */
  readonly kept: readonly { readonly n: number; readonly approved: boolean }[];
}

/** What the rules say of a change: how it may come to the trunk, what stands in its way, and what is yet to be done. */
export interface LandRules {
  /** `trunk`: the trunk itself is moved; `branch`: a branch is made beside it. */
  readonly way: 'trunk' | 'branch';
  readonly refusals: readonly LandRefusal[];
  readonly warnings: readonly string[];
  /** What must pass before anything is written. */
  readonly gates: readonly (SdlcGate & { readonly command: string })[];
  /** What only a person can judge. */
  readonly forYou: readonly string[];
}

type LandRefusal = Pick<Problem, 'code' | 'message' | 'hint'>;

export function landRules(sdlc: Sdlc, change: LandedChange): LandRules {
  const target = sdlc.target.value;
  const size = sizeOf(sdlc, change);
  const gates = sdlc.preMerge.value;
  return {
    // Where one line allows what another forbids, the stricter one holds.
    way: sdlc.directPush.value && sdlc.pullRequests.value !== 'required' ? 'trunk' : 'branch',
    refusals: [...size.refusals, ...unreviewed(sdlc, change)],
    warnings: [
      ...size.warnings,
      ...(target === undefined || target === change.trunk
        ? []
        : [`the org's changes are for ${target} (${sdlc.target.from}), and this one is made from ${change.trunk}`]),
    ],
    gates: gates.flatMap((gate) => (gate.command === undefined ? [] : [{ ...gate, command: gate.command }])),
    forYou: [
      ...gates.flatMap(({ words, command }) => (command === undefined ? [words] : [])),
      ...(laterChecks[sdlc.verification.value] ?? []),
    ],
  };
}

const laterChecks: Readonly<Record<string, readonly string[]>> = {
  manual: ['a look at it by hand once it is merged'],
  smoke: ['a smoke test once it is merged'],
  full: ['all tests once it is merged'],
};

function sizeOf(
  { mostLines }: Sdlc,
  { lines, kept }: LandedChange,
): { readonly refusals: readonly LandRefusal[]; readonly warnings: readonly string[] } {
  const { soft, hard } = mostLines.value;
  const over = (most: number): string => `${lines} lines change, and a change has at most ${most} (${mostLines.from})`;
  if (hard !== undefined && lines > hard) {
    const [first] = kept;
    const hint =
      first === undefined || kept.length < 2
        ? 'Ask for smaller changes in the brief, or allow larger ones where the limit stands.'
        : `Land fewer experiments at a time: orgrepo land ${first.n}`;
    return { refusals: [{ code: 'person/large', message: over(hard), hint }], warnings: [] };
  }
  return { refusals: [], warnings: soft !== undefined && lines > soft ? [over(soft)] : [] };
}

function unreviewed({ review }: Sdlc, { kept }: LandedChange): readonly LandRefusal[] {
  const missing = review.value ? kept.filter(({ approved }) => !approved).map(({ n }) => n) : [];
  const [first] = missing;
  if (first === undefined) return [];
  const numbers = missing.map((n) => `#${n}`).join(' ');
  return [
    {
      code: 'person/unreviewed',
      message: `nobody has approved ${numbers}, and every win must be reviewed (${review.from})`,
      hint: `Read it: orgrepo show ${first}. Then: orgrepo approve ${first}`,
    },
  ];
}

/** What came out when the landed tree and the trunk were measured side by side. */
export interface LandedScores {
  readonly direction: Direction;
  /** One score for each seed; none where it got no score. */
  readonly landed: readonly number[];
  readonly trunk: readonly number[];
  readonly numbers: Numbers;
  /** What the guards compare with. */
  readonly baseline: Numbers;
  readonly guards: readonly Guard[];
  /** The score that best was taken with, and how far a fresh score may lie from it; undefined where it was measured by something else. */
  readonly recorded: { readonly score: number; readonly within: number } | undefined;
}

/** Whether a squashed change is still worth having: why not, else what is odd about it. */
export function judgeLanded(
  scores: LandedScores,
): { readonly refused: string } | { readonly doubts: readonly string[] } {
  const { direction, landed, trunk, recorded } = scores;
  const score = meanOf(landed);
  const before = trunk.length === 0 ? undefined : meanOf(trunk);
  if (before !== undefined && gainOver(score, before, direction) < 0)
    return { refused: `it scores ${score} once it is squashed, and the trunk as it is scores ${before}` };
  // A bound on what a candidate was built on says nothing of many changes together: each of them kept it.
  const guards = scores.guards.filter(({ of }) => of !== 'best');
  const broken = brokenGuard(guards, scores.numbers, scores.baseline, scores.baseline);
  if (broken !== undefined) return { refused: `it breaks a guard once it is squashed: ${broken}` };
  const differs = recorded !== undefined && Math.abs(score - recorded.score) > recorded.within;
  return {
    doubts: [
      ...(before === undefined ? ['the trunk as it is gets no score, so there is nothing to compare with'] : []),
      ...(before === score ? ['it is not better than the trunk as it is'] : []),
      ...(differs ? [`it scores ${score} here and now, and won with ${recorded.score}`] : []),
    ],
  };
}

/** What a land branch is called where nobody says it: `land/exact-fit`, or as the org names its branches. */
export function landBranch(naming: string | undefined, feature: string, agents: readonly string[]): string {
  const [maker = 'land'] = new Set(agents).size === 1 ? agents : [];
  if (naming === undefined) return `land/${feature}`;
  const named = naming
    .replaceAll(/<(role|agent|author)>/gi, maker)
    .replaceAll(/<[^<>]*>/g, feature)
    .replaceAll(/[^A-Za-z0-9._/-]+/g, '-');
  return named.includes(feature) ? named : `${named}/${feature}`; // A name without a place for it would be the same every time.
}

const said = <T>(value: T): Setting<T> => ({ value, from: 'preset standard' });

/** How a change comes to the trunk where no file says it: by a branch that a person merges. */
export const standardSdlc: Sdlc = {
  preset: { value: 'standard', from: 'default' },
  branching: said('trunk'),
  branchNaming: said(undefined),
  directPush: said(false),
  pullRequests: said('required'),
  target: said(undefined),
  review: said(false),
  mostLines: said({ soft: 500, hard: 1000 }),
  preMerge: said([]),
  verification: said('smoke'),
  workspace: said('worktree-per-agent'),
  worktrees: new Map(),
  context: '',
};
