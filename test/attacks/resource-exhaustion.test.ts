import { beatNaiveRunner } from './beat.ts';
import { holdAgainst } from './hold.ts';

beatNaiveRunner('resource exhaustion');
await holdAgainst('bubblewrap', 'resource exhaustion');
await holdAgainst('namespaces', 'resource exhaustion');
