import { decisionCommand } from './decide.ts';

export const command = decisionCommand(
  'approve',
  'Says yes to a win or an act that waits for a person; without one, lists the acts.',
);
