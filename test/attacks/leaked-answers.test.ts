import { beatNaiveRunner } from './beat.ts';
import { holdAgainst } from './hold.ts';

beatNaiveRunner('leaked answers');
await holdAgainst('bubblewrap', 'leaked answers');
await holdAgainst('namespaces', 'leaked answers');
