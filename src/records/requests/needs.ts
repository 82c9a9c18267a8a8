import type { NeedsYou } from '../../domain/rules/request.ts';
import { type OrderTarget, parseTarget, targetInWords } from '../../domain/staff/presence.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import { cleanLine } from '../../text/clean.ts';
import type { BookEntry } from '../entry.ts';
import type { Notebook } from '../notebook/notebook.ts';
import type { Org } from '../org.ts';
import { changeQueue, type Queue, queueHistory } from '../queue/queue.ts';

/** Something that a night met and only a person can put right. What it is about says when it is over; else it stands until the next run begins. */
export interface Need extends NeedsYou {
  /** The commit that cannot be used, and the ref that it was found on: it is over when that has moved on. */
  readonly found?: { readonly ref: string; readonly commit: string } | undefined;
  /** The spec that waits for somebody: it is over when it is claimed, or no longer open. */
  readonly spec?: string | undefined;
  /** Whom people have said something of: it is over when no such word is in force. */
  readonly targets?: readonly OrderTarget[] | undefined;
}

/** Writes down what a person has to do, once in a run. */
export function recordNeed(org: Org, { what, command, found, spec, targets = [] }: Need): Promise<Queue> {
  const trailers = {
    ...{ Reason: oneLine(what), Command: oneLine(command), Spec: spec, Ref: found?.ref, Cause: found?.commit },
    Target: targets.map(targetInWords).join(', ') || undefined,
  };
  const keys = Object.keys(trailers) as (keyof typeof trailers)[];
  return changeQueue(org, async (queue) => {
    const { run, needs } = queue.ledger;
    const isSaid = (await needsOfRun(org, queue)).some((entry) =>
      keys.every((key) => (entry.get(key) ?? '') === (trailers[key] ?? '')),
    );
    if (isSaid) return undefined;
    return {
      event: 'need',
      agent: 'orgrepo',
      title: `need: ${trailers.Reason}`,
      ledger: { needs: needs + 1 },
      trailers: { Run: run, ...trailers },
    };
  });
}

/** What the last run needed a person for and is not over, oldest first. */
export async function readNeeds(org: Org, queue: Queue, live: readonly Notebook[]): Promise<readonly NeedsYou[]> {
  const needs = new Map<string, NeedsYou>();
  const claimed = new Set(live.flatMap(({ spec, done }) => (done ? [] : [spec])));
  for (const entry of await needsOfRun(org, queue)) {
    const [what = '', command = ''] = [entry.get('Reason'), entry.get('Command')];
    if (await isStanding(org, queue, entry, claimed)) needs.set(`${what}\n${command}`, { what, command });
  }
  return [...needs.values()];
}

/** The ledger counts them, so a run that needed nobody is read by its last commit. */
async function needsOfRun(org: Org, { ledger }: Queue): Promise<readonly BookEntry[]> {
  const found: BookEntry[] = [];
  if (ledger.needs === 0) return found;
  for await (const entry of queueHistory(org)) {
    if (entry.event === 'run' && entry.get('Run') !== ledger.run) break;
    if (entry.event === 'need') found.push(entry);
    if (found.length >= ledger.needs) break;
  }
  return found.reverse();
}

async function isStanding(org: Org, queue: Queue, entry: BookEntry, claimed: ReadonlySet<string>): Promise<boolean> {
  const [ref, spec, targets] = ['Ref', 'Spec', 'Target'].map(entry.get);
  const tip = ref === undefined ? undefined : await org.repo.reader.resolve(ref);
  if (tip !== undefined && tip !== entry.get('Cause')) return false;
  if (spec !== undefined && (!queue.files.has(spec) || claimed.has(spec))) return false;
  return targets === undefined || targets.split(', ').some((target) => isSpokenOf(queue, target));
}

const isSpokenOf = ({ ledger }: Queue, words: string): boolean => {
  const target = parseTarget(words);
  return target !== undefined && ledger.orders.some((word) => word.endsWith(`:${words.replace(' ', '/')}`));
};

/** As it can be read back from a trailer. */
const oneLine = (text: string): string => cleanLine(hideSecrets(text).replaceAll(/\s+/g, ' '), 4 * 1024);
