import { decide } from './decide.ts';

export const command = decide(
  'approve',
  'Says yes to a win or an act that waits for a person; without one, lists the acts.',
);
