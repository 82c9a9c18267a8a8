/** What the server is to say, in words that are nobody's wire format. */
export interface Said {
  readonly text?: string;
  /**
   * Thoughts come with a signature, which has to come back; cut off they have an empty one, which is refused. In chat completions they
   * stand in `reasoning_content`, as DeepSeek has it, or in `reasoning`, as vLLM and Ollama do.
   */
  readonly thinking?: { readonly text: string; readonly signature: string; readonly field?: 'reasoning' };
  readonly calls?: readonly CallSaid[];
  /** By itself: `calls` when there are some, else `done`. `blocked` is a refusal that says nothing. */
  readonly stop?: 'done' | 'calls' | 'length' | 'refused' | 'blocked';
  /** By itself: about a token for every four characters, in and out. */
  readonly usage?: Counts | 'none';
  /** By itself: the model that was asked for. */
  readonly model?: string;
  /** Between any two events, and before the first. */
  readonly everyMs?: number;
  readonly afterMs?: number;
}

export interface CallSaid {
  readonly tool: string;
  /** A string is said as it is, whether it is JSON or not. */
  readonly input: Readonly<Record<string, unknown>> | string;
  /** In chat completions every call has its own, except with some servers that speak them. */
  readonly index?: number;
  /** By itself a new one; Google is known to give none, which is the empty string. */
  readonly id?: string;
}

/** As contract.ts counts; `thoughts` are among `tokensOut`. What is no number is a lie to be told. */
export interface Counts {
  readonly tokensIn: number | string;
  readonly tokensOut: number | string;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly thoughts?: number;
}

export type Broken =
  /** An error of the provider's own, or a body that is given. */
  | {
      readonly fault: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
      /** Google's way to say how long to wait: `34.5s`. */
      readonly retryDelay?: string;
    }
  /** A web page of something in between. */
  | { readonly fault: 'page'; readonly status: number }
  /** The first half of the events, all but the last, or this part of the bytes, and then the end, or not even that, or nothing more. */
  | {
      readonly fault: 'cut';
      readonly said: Said;
      readonly how: 'ended' | 'reset' | 'hang';
      readonly late?: boolean;
      readonly at?: number;
    }
  /** Something else in the place of a stream. */
  | { readonly fault: 'raw'; readonly body: string; readonly type?: string; readonly status?: number }
  /** The first half of the events, and then something that is no JSON. */
  | { readonly fault: 'garbage'; readonly said: Said }
  /** The first half of the events, and then the provider says that it broke. */
  | { readonly fault: 'broke'; readonly said: Said; readonly status: number }
  | { readonly fault: 'reset' }
  | { readonly fault: 'silence' };

export type Reply = (heard: Heard) => Said | Broken;

export type Step = Said | Broken | Reply;

export type Wire = 'anthropic' | 'openai' | 'responses' | 'google';

/** A request as it came. */
export interface Heard {
  readonly wire: Wire;
  /** With what stands behind the question mark. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly key: string | undefined;
  readonly model: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Everything in words since the model last spoke: what people said, what tools gave. */
  readonly told: string;
  /** Which request it is, from 1. */
  readonly turn: number;
}
