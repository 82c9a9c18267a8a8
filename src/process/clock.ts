/** The only clock of the org itself, in the seconds that facts and commits carry. */
export const nowInSeconds = (): number => Date.now() / 1000;
