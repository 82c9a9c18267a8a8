/** Where a brief has only `score`, nobody stands between the candidate and its number, and everybody should know. */
export const singleStageWords = 'single-stage: the code that is scored prints its own score';
