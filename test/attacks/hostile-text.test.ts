import { beatNaiveRunner } from './beat.ts';
import { holdAgainst } from './hold.ts';

beatNaiveRunner('hostile text');
await holdAgainst('bubblewrap', 'hostile text');
await holdAgainst('namespaces', 'hostile text');
