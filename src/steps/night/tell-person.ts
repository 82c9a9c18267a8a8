import { type Need, recordNeed } from '../../records/requests/needs.ts';
import type { RunConstants } from './run-constants.ts';
import { inTheBackground } from './run-constants.ts';

/** What only a person can put right is on the queue from when it is met: `status` tells it while the night goes on. */
export const needPerson = (run: RunConstants, need: Need): void => inTheBackground(run, recordNeed(run.org, need));
