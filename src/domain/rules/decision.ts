import type { Act } from './act.ts';

export type DecisionResult =
  | { readonly kind: 'allow' }
  | { readonly kind: 'deny' }
  /** A person must say yes first: everybody who is named. */
  | { readonly kind: 'needs-approval'; readonly by: readonly string[] };

/** Why: a policy, with where it stands; without a file it is what holds where no policy says anything. */
export interface Reason {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly policy?: string | undefined;
  readonly message: string;
}

/** What the policies say of an act. The same policies say the same of the same act, whoever asks and whenever. */
export interface Decision {
  /** Follows from policies and act alone, so whoever names it names both. */
  readonly id: string;
  /** The id of the tree that the policies are; empty where there are none. */
  readonly policies: string;
  readonly act: Act;
  readonly result: DecisionResult;
  readonly reasons: readonly Reason[];
}

/** Why an act is not done, in words for whoever wanted it. */
export interface PolicyRefusal {
  readonly words: string;
  /** The request that waits for a person's yes, by its key; undefined where nobody is asked, or has said no. */
  readonly request: string | undefined;
}

export const isAllowed = ({ result }: Pick<Decision, 'result'>): boolean => result.kind === 'allow';

/** `allow`, `deny`, `needs-approval: board, legal` */
export const formatResult = (result: DecisionResult): string =>
  result.kind === 'needs-approval' ? `${result.kind}: ${result.by.join(', ')}` : result.kind;

/** `policies/payments.cedar:12 wire-abroad: wire to KP denied; …` */
export const formatReasons = (reasons: readonly Reason[]): string =>
  reasons
    .map(({ file, line, policy, message }) => {
      const place = file === undefined ? '' : [file, line].filter((part) => part !== undefined).join(':');
      return [[place, policy].filter(Boolean).join(' '), message].filter((part) => part !== '').join(': ');
    })
    .join('; ');

/** What an agent is told of a refusal, and a notebook: the policies' own words. */
export function refusalOf({ result, reasons }: Pick<Decision, 'result' | 'reasons'>): string {
  const words = reasons.map(({ message, policy }) => message || policy || '').filter((part) => part !== '');
  const why = words.length === 0 ? '' : `: ${words.join('; ')}`;
  return result.kind === 'needs-approval'
    ? `it needs the approval of ${result.by.join(' and ')}${why}`
    : `a policy is against it${why}`;
}
