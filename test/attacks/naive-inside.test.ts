import { beatNaiveRunner } from './beat.ts';

beatNaiveRunner(['forged output', 'edited judge', 'leaked answers', 'timing and clock', 'lucky draws']);
