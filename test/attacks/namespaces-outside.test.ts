import { holdAgainst } from './hold.ts';

await holdAgainst('namespaces', [
  'escaped process',
  'resource exhaustion',
  'git tricks',
  'filesystem tricks',
  'hostile text',
]);
