import type { NightTally } from '../attempt/night-tally.ts';
import type { NightDesk } from '../claim/night-desk.ts';
import type { NightStanding } from '../standing/night-standing.ts';
import type { NightInForce } from './night-in-force.ts';
import type { RunConstants } from './run-constants.ts';

/** One run of the org, from start to report, in five parts. A function takes the parts it needs. */
export interface Night {
  /** Fixed when the run starts. */
  readonly run: RunConstants;
  /** The organisation in force; written by `steps/night`. */
  readonly inForce: NightInForce;
  /** The claims at hand; written by `steps/claim`. */
  readonly desk: NightDesk;
  /** Whether each agent may go on; written by `steps/standing`. */
  readonly standing: NightStanding;
  /** The results so far; written by `steps/attempt`. */
  readonly tally: NightTally;
}
