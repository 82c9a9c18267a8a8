import type { Attack } from '../attack.ts';
import { editedJudge } from './edited-judge.ts';
import { escapedProcess } from './escaped-process.ts';
import { filesystemTricks } from './filesystem-tricks.ts';
import { forgedOutput } from './forged-output.ts';
import { gitTricks } from './git-tricks.ts';
import { hostileText } from './hostile-text.ts';
import { leakedAnswers } from './leaked-answers.ts';
import { luckyDraws } from './lucky-draws.ts';
import { resourceExhaustion } from './resource-exhaustion.ts';
import { timingAndClock } from './timing-and-clock.ts';

export const corpus: readonly Attack[] = [
  ...forgedOutput,
  ...editedJudge,
  ...leakedAnswers,
  ...escapedProcess,
  ...resourceExhaustion,
  ...gitTricks,
  ...filesystemTricks,
  ...timingAndClock,
  ...luckyDraws,
  ...hostileText,
];
