import { steer } from './steer.ts';

export const command = steer('resume', 'running', 'Goes on after a pause.', 'resumed');
