import { steer } from './steer.ts';

export const command = steer(
  'resume',
  'running',
  'Goes on after a pause; with a name, lets an agent or a department work again that was paused or stopped.',
  'resumed',
  'npx orgrepo resume junior-2 --reason "it has been told"',
);
