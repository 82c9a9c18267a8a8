import { steer } from './steer.ts';

export const command = steer(
  'pause',
  'paused',
  'No new attempts until resume; what is being measured is finished.',
  'paused: it waits at the next attempt. Go on: npx orgrepo resume',
);
