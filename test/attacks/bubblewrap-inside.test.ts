import { holdAgainst } from './hold.ts';

await holdAgainst('bubblewrap', ['forged output', 'edited judge', 'leaked answers', 'timing and clock', 'lucky draws']);
