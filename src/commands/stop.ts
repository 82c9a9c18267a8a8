import { steer } from './steer.ts';

export const command = steer(
  'stop',
  'stopping',
  'Ends the run: what is being measured is finished, then the report is written.',
  'stopping after what is being measured',
);
