import { steer } from './steer.ts';

export const command = steer(
  'stop',
  'stopping',
  'Ends the run: what is being measured is finished, then the report is written. With a name, one is done for tonight.',
  'stopping after what is being measured',
  'npx orgrepo stop junior-1',
);
