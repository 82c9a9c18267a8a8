import { beatNaiveRunner } from './beat.ts';
import { holdAgainst } from './hold.ts';

beatNaiveRunner('forged output');
await holdAgainst('bubblewrap', 'forged output');
await holdAgainst('namespaces', 'forged output');
