import { type Need, recordNeed } from '../../records/requests/needs.ts';
import type { Night } from './night.ts';
import { inTheBackground } from './run-constants.ts';

/** What only a person can put right is on the queue from when it is met: `status` tells it while the night goes on. */
export const needPerson = (night: Night, need: Need): void =>
  inTheBackground(night.run, recordNeed(night.run.org, need));
