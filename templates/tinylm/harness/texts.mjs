import { drawText } from './grammar.mjs';
import { randomFrom } from './random.mjs';

/** What is learnt from. */
export const drawTraining = () => drawText(randomFrom(20_001), 200_000).text;

/** What is scored: from the same grammar, by other draws. Stage 2 draws it again and so needs nobody's copy. */
export const drawValidation = () => drawText(randomFrom(30_001), 4_000);
