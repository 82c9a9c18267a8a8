import { type Ask, Fault, type ModelAnswer, type ModelMessage, type Question } from './model-contract.ts';
import { imagesOf, withoutImages } from './provider-form.ts';
import { isTooLong, requestBytes, shortenTalk } from './request-size.ts';

/** How a model is asked, and what it can take. */
interface Asked {
  readonly ask: Ask;
  /** What a request may take in bytes. */
  readonly mostBytes: number;
  /** Whether it may be shown images. Where it refuses them, they are left out from then on. */
  readonly takesImages?: boolean;
  /** Hears every message as it is said, also when a Fault ends it all; of the model's own, the whole answer. */
  readonly hear?: (message: ModelMessage, answer?: ModelAnswer) => void;
}

/** All that was said, in a form that the model takes: short enough, and without images where it refuses them. */
export function openTalk(question: Omit<Question, 'messages'>, { ask, hear, ...limits }: Asked) {
  let messages: ModelMessage[] = [];
  let { mostBytes, takesImages = false } = limits;
  let { mostTokens } = question;
  let isHalved = false;
  const askOnce = (signal: AbortSignal): Promise<ModelAnswer> => {
    if (requestBytes(question, messages) > mostBytes) messages = shortenTalk(question, messages, mostBytes);
    return ask({ ...question, mostTokens, messages: [...messages] }, signal);
  };
  /** What a model refuses for its length or its images is asked once more with less. False where there is no less. */
  const tryLess = (error: unknown): boolean => {
    if (!(error instanceof Fault)) return false;
    if (!isHalved && isTooLong(error)) {
      isHalved = true;
      mostBytes = requestBytes(question, messages) / 2;
      mostTokens = Math.ceil(mostTokens / 2); // Some servers count the longest answer too.
      return true;
    }
    const hasImages = imagesOf(messages.flatMap(({ parts }) => parts)).length > 0;
    if (error.kind !== 'request' || !hasImages) return false;
    takesImages = false;
    messages = messages.map(withoutImages);
    return true;
  };
  return {
    say: (message: ModelMessage, answer?: ModelAnswer): void => {
      const taken = takesImages ? message : withoutImages(message);
      messages.push(taken);
      hear?.(taken, answer);
    },
    ask: (signal: AbortSignal): Promise<ModelAnswer> =>
      askOnce(signal).catch((error: unknown) => {
        if (tryLess(error)) return askOnce(signal);
        throw error;
      }),
  };
}
