import type Cedar from '@cedar-policy/cedar-wasm/nodejs';

export type {
  AuthorizationAnswer,
  CedarValueJson,
  Context,
  DetailedError,
  EntityJson,
  EntityUid,
} from '@cedar-policy/cedar-wasm/nodejs';

/** Cedar itself, in this process. Loading it takes 40 ms and 4 MB, so that is left until there is a policy. */
export type CedarEngine = typeof Cedar;

let loading: Promise<CedarEngine> | undefined;

export function loadCedar(): Promise<CedarEngine> {
  loading ??= import('@cedar-policy/cedar-wasm/nodejs').then(({ default: cedar }) => cedar); // The bundle has no other name for it.
  return loading;
}

/**
 * What the engine says; `otherwise` of a policy that is too much for it, which it does not refuse but falls over: it runs out of the
 * stack or the memory that it has. Every other error is a bug of ours.
 */
export function withoutTrap<T, U>(ask: () => T, otherwise: (why: string) => U): T | U {
  try {
    return ask();
  } catch (error) {
    const isTrap = error instanceof Error && (error.name === 'RuntimeError' || error instanceof RangeError);
    if (isTrap) return otherwise(error.message);
    throw error;
  }
}
