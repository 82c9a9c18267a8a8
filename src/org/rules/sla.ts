import type { CharterPolicies, SlaRule } from '../../domain/staff/charter.ts';
import type { Priority } from '../../domain/words/spec.ts';

/** A promise of the org's policies, under the heading that it stands: `Client SLA`. */
export interface Promised extends SlaRule {
  readonly policy: string;
}

/** An open spec with what promises are about. Seconds since 1970. */
export interface OpenSpec {
  readonly priority: Priority;
  /** When it came on the queue. */
  readonly queuedAt: number;
  /** Undefined while nobody has claimed it. */
  readonly claimed:
    | {
        /** When its progress was last reported; the claim itself is the first report. */
        readonly reportedAt: number;
        /** A report that it waits for a person is there already. */
        readonly waitsForPerson: boolean;
      }
    | undefined;
}

/** What the policies of an org promise, in the order of the file. */
export const promisesIn = ({ named }: Pick<CharterPolicies, 'named'>): readonly Promised[] =>
  named.flatMap(({ name, rules }) => rules.map((rule) => ({ ...rule, policy: name })));

/** `normal` is everything that is not critical: a spec called low or high loses nothing by it. */
const isFor = ({ of }: Pick<SlaRule, 'of'>, priority: Priority): boolean =>
  of === 'all' || (of === 'critical') === (priority === 'critical');

/** The promises that are broken for a spec now, each with how many cycles it has been. */
export function brokenFor(
  promises: readonly Promised[],
  spec: OpenSpec,
  cycleSeconds: number,
  now: number,
): readonly { readonly promise: Promised; readonly cycles: number }[] {
  return promises.flatMap((promise) => {
    const since = isFor(promise, spec.priority) ? countedFrom(promise, spec) : undefined;
    const cycles = since === undefined ? 0 : (now - since) / cycleSeconds;
    return cycles > promise.cycles ? [{ promise, cycles }] : [];
  });
}

function countedFrom({ what }: SlaRule, { queuedAt, claimed }: OpenSpec): number | undefined {
  if (what === 'completion') return queuedAt;
  if (what === 'response') return claimed === undefined ? queuedAt : undefined;
  return claimed === undefined || claimed.waitsForPerson ? undefined : claimed.reportedAt;
}

/** Whether progress must be reported now: so many attempts went by, or another one could make it too late. */
export function mustTell(
  promises: readonly Promised[],
  priority: Priority,
  since: { readonly seconds: number; readonly attempts: number },
  cycleSeconds: number,
): boolean {
  return promises.some(
    (promise) =>
      promise.what === 'progress' &&
      isFor(promise, priority) &&
      (since.attempts >= promise.cycles || since.seconds + cycleSeconds > promise.cycles * cycleSeconds),
  );
}

/** `Client SLA: critical tasks, response within 1 cycle`; the same for the same promise, wherever it stands. */
export const promiseInWords = ({ policy, of, what, cycles }: Promised): string =>
  `${policy}: ${of} tasks, ${what} ${what === 'progress' ? 'every' : 'within'} ${cycles} cycle${cycles === 1 ? '' : 's'}`;
