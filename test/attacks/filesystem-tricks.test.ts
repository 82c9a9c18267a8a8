import { beatNaiveRunner } from './beat.ts';
import { holdAgainst } from './hold.ts';

beatNaiveRunner('filesystem tricks');
await holdAgainst('bubblewrap', 'filesystem tricks');
await holdAgainst('namespaces', 'filesystem tricks');
