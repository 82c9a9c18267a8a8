import { holdAgainst } from './hold.ts';

await holdAgainst('namespaces', ['forged output', 'edited judge', 'leaked answers', 'timing and clock', 'lucky draws']);
