import { decide } from './decide.ts';

export const command = decide('deny', 'Says no to a win or an act that waits for a person.');
