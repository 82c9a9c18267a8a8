import { type Need, recordNeed } from '../../records/requests/needs.ts';
import { inTheBackground, type Night } from './night.ts';

/** What only a person can put right is on the queue from when it is met: `status` tells it while the night goes on. */
export const needPerson = (night: Night, need: Need): void => inTheBackground(night, recordNeed(night.org, need));
