import { placeOfProgram } from '../../src/agents/programs/program-place.ts';

/** For tests that need more than node and git: why they are skipped here, or false. CI has every tool and allows no skip. */
export const without = (program: string): string | false =>
  placeOfProgram(program) === undefined ? `${program} is not installed` : false;
