import { beatNaiveRunner } from './beat.ts';
import { holdAgainst } from './hold.ts';

beatNaiveRunner('git tricks');
await holdAgainst('bubblewrap', 'git tricks');
await holdAgainst('namespaces', 'git tricks');
