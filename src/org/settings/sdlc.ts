import type { Sdlc, SdlcGate, SdlcPreset } from '../../domain/staff/charter.ts';

/** What an SDLC decides, without where it was said. */
export interface SdlcValues {
  readonly branching: Sdlc['branching']['value'];
  readonly branchNaming: string | undefined;
  readonly directPush: boolean;
  readonly pullRequests: Sdlc['pullRequests']['value'];
  /** Undefined is the trunk, whatever it is called. */
  readonly target: string | undefined;
  readonly review: boolean;
  readonly mostLines: Sdlc['mostLines']['value'];
  readonly preMerge: readonly SdlcGate[];
  readonly verification: Sdlc['verification']['value'];
  readonly workspace: Sdlc['workspace']['value'];
}

/** Where a file names no preset: a branch for people to merge, and no other rule. */
export const sdlcDefaults: SdlcValues = {
  branching: 'trunk',
  branchNaming: undefined,
  directPush: false,
  pullRequests: 'optional',
  target: undefined,
  review: false,
  mostLines: { soft: undefined, hard: undefined },
  preMerge: [],
  verification: 'none',
  workspace: 'worktree-per-agent',
};

/** The presets' values. None of them has gates of its own: only the file knows which commands its tests are. */
export const sdlcValues: Readonly<Record<SdlcPreset, SdlcValues>> = {
  standard: { ...sdlcDefaults, pullRequests: 'required', verification: 'smoke' },
  strict: {
    ...sdlcDefaults,
    pullRequests: 'required',
    review: true,
    mostLines: { soft: undefined, hard: 500 },
    verification: 'full',
  },
  solo: { ...sdlcDefaults, directPush: true, verification: 'manual' },
  research: { ...sdlcDefaults, branching: 'feature', pullRequests: 'required' },
};
