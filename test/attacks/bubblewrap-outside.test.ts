import { holdAgainst } from './hold.ts';

await holdAgainst('bubblewrap', [
  'escaped process',
  'resource exhaustion',
  'git tricks',
  'filesystem tricks',
  'hostile text',
]);
