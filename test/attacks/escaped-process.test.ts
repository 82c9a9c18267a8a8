import { beatNaiveRunner } from './beat.ts';
import { holdAgainst } from './hold.ts';

beatNaiveRunner('escaped process');
await holdAgainst('bubblewrap', 'escaped process');
await holdAgainst('namespaces', 'escaped process');
