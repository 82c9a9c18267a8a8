import type { Effort } from '../../domain/words/model-id.ts';
import type { Refused } from '../../domain/words/spending.ts';

/**
 * A conversation with a model in our own words. It becomes a provider's form only in that provider's file, and what a
 * provider says comes back as these; nobody else knows how any of them spells it.
 */
export interface ModelMessage {
  readonly from: 'us' | 'model';
  readonly parts: readonly Part[];
  /** The provider's own form of what the model said, given back to it as it was: signatures and the like live there. */
  readonly native?: unknown;
}

export type Part =
  | {
      readonly kind: 'text';
      readonly text: string;
      /** Other conversations of the night begin with the same, up to its end: a provider that has to be told keeps it in its cache. */
      readonly isShared?: true;
    }
  /** The model wants a tool used. `input` is undefined where what it said could not be read, and `unread` is what it said. */
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>> | undefined;
      readonly unread?: string;
    }
  /** What came of it. */
  | {
      readonly kind: 'result';
      readonly id: string;
      readonly tool: string;
      readonly text: string;
      readonly failed: boolean;
      /** Never of a failure. */
      readonly images?: readonly Image[];
    };

/** In base64. All providers take these two kinds. */
export interface Image {
  readonly type: 'image/png' | 'image/jpeg';
  readonly data: string;
}

/** A tool as a model is told of it. */
export interface ToolForm {
  readonly name: string;
  readonly description: string;
  /** A JSON schema of an object. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** One turn: everything that is said to the model, from the beginning. */
export interface Question {
  /** The pinned id, without the provider's name. */
  readonly model: string;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolForm[];
  /** The most that it may answer. */
  readonly mostTokens: number;
  /** How hard it is to think; undefined for what its provider takes by itself. */
  readonly effort?: Effort | undefined;
}

/** What a turn cost, as the provider counts it. `tokensIn` holds the cached ones too. */
export interface Usage {
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Of `tokensIn`: read from the provider's cache, and written to it. */
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface ModelAnswer {
  readonly message: ModelMessage;
  /** `done`: it has said what it wanted; `calls`: it waits for tools; `length`: cut off at `mostTokens`; `refused`: it will not. */
  readonly stop: 'done' | 'calls' | 'length' | 'refused';
  /** Undefined when the provider did not say, or said something that cannot be. */
  readonly usage: Usage | undefined;
  /** The model that the provider says it used; all of them, where it names several. */
  readonly model: string | undefined;
  /** It wrote a call of a tool into its text, where a server should have read it. */
  readonly writesCalls?: boolean;
}

/** One turn with a model. What goes wrong is thrown as a Fault; the signal ends it at once. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<ModelAnswer>;

/** Where a provider is and how one gets in. */
export interface ProviderAccess {
  readonly key: string;
  /** Another place than the provider's own: a gateway, or a server of one's own. */
  readonly baseUrl: string | undefined;
  /** For a program: a person's own login, in the form in which it takes one, in place of a key. */
  readonly login?: string | undefined;
}

/**
 * `credentials`: the key is refused. `model`: there is no such model. `request`: it will never take this question.
 * `busy`: too many ask, later it will. `trouble`: it broke, or what it said cannot be read. `stopped`: we hung up.
 * `cap`: a person's cap stands against it, so nobody was asked.
 */
export type FaultKind = 'credentials' | 'model' | 'request' | 'busy' | 'trouble' | 'stopped' | 'cap';

/** A turn that came to nothing. */
export class Fault extends Error {
  readonly kind: FaultKind;
  /** How long the provider says to wait, if it does. */
  readonly retryAfterMs: number | undefined;
  /** Whether the provider may have begun to answer, and so may ask for money. */
  readonly begun: boolean;
  /** What it used all the same, where the provider has said so. */
  readonly usage: Usage | undefined;
  /** The cap that stands against it. */
  readonly refused: Refused | undefined;
  /** The request that waits for a person's yes to it, by its key. */
  readonly request: string | undefined;
  /** The server has no such place: it speaks something else. */
  readonly nowhere: boolean;

  constructor(
    kind: FaultKind,
    message: string,
    options: {
      retryAfterMs?: number | undefined;
      begun?: boolean;
      usage?: Usage | undefined;
      refused?: Refused;
      request?: string | undefined;
      nowhere?: boolean;
    } = {},
  ) {
    super(message);
    this.name = 'Fault';
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
    this.begun = options.begun ?? false;
    this.usage = options.usage;
    this.refused = options.refused;
    this.request = options.request ?? options.refused?.request;
    this.nowhere = options.nowhere ?? false;
  }
}
