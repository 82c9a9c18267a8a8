import { beatNaiveRunner } from './beat.ts';

beatNaiveRunner(['escaped process', 'resource exhaustion', 'git tricks', 'filesystem tricks', 'hostile text']);
