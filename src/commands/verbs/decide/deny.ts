import { decisionCommand } from './decide.ts';

export const command = decisionCommand('deny', 'Says no to a win or an act that waits for a person.');
