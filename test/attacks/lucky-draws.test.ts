import { beatNaiveRunner } from './beat.ts';
import { holdAgainst } from './hold.ts';

beatNaiveRunner('lucky draws');
await holdAgainst('bubblewrap', 'lucky draws');
await holdAgainst('namespaces', 'lucky draws');
