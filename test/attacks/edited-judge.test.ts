import { beatNaiveRunner } from './beat.ts';
import { holdAgainst } from './hold.ts';

beatNaiveRunner('edited judge');
await holdAgainst('bubblewrap', 'edited judge');
await holdAgainst('namespaces', 'edited judge');
