import type { Caps } from '../../domain/words/spending.ts';
import type { ApiChoice } from '../model-access.ts';

/**
 * The longest answer that a model is asked for, thoughts among it: what the cap on a call says, else 8,192 tokens, and 32,000 for
 * models that think. Old ones and servers of one's own refuse to be asked for more than they can say.
 */
export const longestAnswer = (choice: ApiChoice, caps: Caps): number =>
  caps.call?.tokensOut ?? (isThinking(choice) ? 32_000 : 8_192);

/** What a request may take in bytes, 200 KB unless the cap on a call says otherwise. A script reads its place off the whole talk. */
export const longestRequest = ({ model }: ApiChoice, { call }: Caps): number =>
  model.provider === 'scripted' ? Number.POSITIVE_INFINITY : (call?.requestBytes ?? 200_000);

const isThinking = ({ model, effort }: ApiChoice): boolean =>
  effort !== undefined ||
  /(^|\/)(o\d|gpt-[5-9]|codex-|gemini-(2\.5|[3-9])|deepseek-(reasoner|r\d|v[4-9]))/.test(model.id);
