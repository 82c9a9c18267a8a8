import { beatNaiveRunner } from './beat.ts';
import { holdAgainst } from './hold.ts';

beatNaiveRunner('timing and clock');
await holdAgainst('bubblewrap', 'timing and clock');
await holdAgainst('namespaces', 'timing and clock');
