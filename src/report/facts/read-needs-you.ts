import { lackingOf, type NeedsYou, type Request } from '../../domain/rules/request.ts';
import { mostStrikes, strikesInWords } from '../../domain/rules/stopping-rules.ts';
import { agentsWithDuty, choiceOf } from '../../domain/staff/staff.ts';
import { specWord } from '../../domain/words/spec.ts';
import { reportsRef, shortRef } from '../../git/refs/ref-names.ts';
import { type PinnedBrief, pinBrief } from '../../org/force/pin-brief.ts';
import { refuseIgnored } from '../../org/read/org-limits.ts';
import { allPausedInWords, resumeCommand, type Standing, whyAllPaused } from '../../org/rules/agent-standing.ts';
import type { BookEntry } from '../../records/entry.ts';
import { runEvents } from '../../records/notebook/history.ts';
import type { Notebook } from '../../records/notebook/notebook.ts';
import { budgetFile } from '../../records/notebook/run-end.ts';
import { type Org, trunkTip } from '../../records/org.ts';
import { readHalts } from '../../records/queue/agent-book.ts';
import { freezeInWords, readFreeze } from '../../records/queue/freeze-book.ts';
import { personsSpecs } from '../../records/queue/inbox.ts';
import type { Queue } from '../../records/queue/queue.ts';
import { parseRefused } from '../../records/queue/spec-text.ts';
import { readWaiting } from '../../records/requests/requests.ts';
import { currentRunner } from '../../records/run-lock.ts';
import { isProblem } from '../../text/problem.ts';
import { readStandings } from './facts-of-work.ts';

/** What only a person can do: what waits in the book of requests, and what the tips of the branches tell. */
export async function needsYou(org: Org, queue: Queue | undefined, live: readonly Notebook[]): Promise<NeedsYou[]> {
  if (queue === undefined) return needsOfTrunk(org, queue);
  const runs = currentRunner(org) !== undefined;
  const waiting = await readWaiting(org, Date.now() / 1000, { queue, live });
  const met = waiting.filter((one) => one.kind === 'notice' && one.of === 'run').flatMap((one) => inWords(one, runs));
  const others = waiting.slice(met.length).flatMap((one) => inWords(one, runs));
  const ended = queue.ledger.state === 'ended' ? (await runEvents(org, queue.ledger.run, 'end')).ended : undefined;
  others.push(...afterEnding(queue, ended), ...refusedWork(queue, ended));
  others.push(...(await haltedAgents(org, queue)), ...(await waitForPeople(org, queue, runs)));
  others.push(...queue.unreadable.map(({ message, hint }) => ({ what: message, command: hint })));
  others.push(...(await needsOfTrunk(org, queue)));
  return [...met, ...others.filter(({ what }) => !met.some((notice) => notice.what.endsWith(what)))]; // Nothing is said twice.
}

/** What keeps a run from beginning anything: the files of the trunk, or people's orders. */
async function needsOfTrunk(org: Org, queue: Queue | undefined): Promise<NeedsYou[]> {
  if (org.repo.head === undefined) return [];
  try {
    const pinned = await pinBrief(org, await trunkTip(org));
    refuseIgnored(pinned.charter);
    return queue === undefined ? [] : [...(await frozenNow(org)), ...(await allPaused(org, queue, pinned))];
  } catch (error) {
    if (!isProblem(error)) throw error;
    return need(error.message, error.hint);
  }
}

const need = (what: string, command: string): NeedsYou[] => [{ what, command }];

/** A request as a person reads it, with what to type. While a run goes on it acts on the answer to a win by itself. */
function inWords(request: Request, runs: boolean): NeedsYou[] {
  if (request.kind === 'notice') return need(request.what, request.command);
  const { id } = request;
  if (request.kind === 'keep') {
    const what = `#${id} ${request.experiment.title}`;
    const command = `orgrepo show ${id}, then: orgrepo approve ${id} (or deny ${id})`;
    if (request.answer === undefined) return need(`${what} waits for your word`, command);
    return runs ? [] : need(`${what} has your word, and a run acts upon it`, 'orgrepo run');
  }
  if (request.kind === 'act') {
    const { words, reason, by } = request.asked;
    const lacks = lackingOf(request);
    const rest = lacks.length < by.length ? `; it still lacks ${lacks.join(' and ')}` : '';
    return need(`${id}: ${words}, and ${reason}${rest}`, `orgrepo approve ${id} (or deny ${id} --reason …)`);
  }
  const { by, spec, reason, text, rule } = request.raised;
  const answer = (said: string): string => `orgrepo approve ${id} --reason "${said}" (or deny ${id} --reason …)`;
  const { stage } = request;
  if (rule !== undefined)
    return need(
      `${id}: ${spec} breaks ${text}${stage.kind === 'asked' ? `; ${stage.manager} is asked` : ''}`,
      answer('seen'),
    );
  const what = `${by} is stuck${spec === '' ? '' : ` with ${spec}`} (${reason}): ${text.split('\n')[0]}`;
  return need(`${id}: ${what}`, answer('what was missing'));
}

/** What a person has to do because of how the last run ended: the next would end the same way. */
function afterEnding({ specs }: Queue, ended: BookEntry | undefined): NeedsYou[] {
  const reason = ended?.get('Reason');
  switch (ended?.get('Ending')) {
    case 'no-ideas':
      return specs.length > 0 ? [] : need('nobody has an idea left: write a spec', 'orgrepo submit "what to try"');
    case 'capped': // The person who set the cap decides whether it was enough.
      return need(reason ?? 'a cap was reached', `git show ${shortRef(reportsRef)}:${budgetFile}`);
    case 'review':
      return need(reason ?? 'a person should look', 'orgrepo report, then change that line of the brief');
    case 'touched': // It may have been the person.
      return need(
        reason ?? 'somebody has changed how git works here',
        'cat .git/config, ls -l .git/hooks; put it right, then: orgrepo run',
      );
    default:
      return [];
  }
}

/** Specs that policies kept from everybody when the last run ended. */
const refusedWork = ({ specs }: Queue, ended: BookEntry | undefined): NeedsYou[] =>
  parseRefused(ended?.body ?? '').flatMap(({ spec, n, words }): NeedsYou[] => {
    const title = specs.find(({ id }) => id === spec)?.title;
    if (title === undefined) return [];
    return need(
      `${spec} "${title}" is kept from everybody (D${n}): ${words}`,
      `orgrepo replay D${n}, then change policies/, commit it and: orgrepo run`,
    );
  });

/** No run begins. */
async function frozenNow(org: Org): Promise<NeedsYou[]> {
  const freeze = await readFreeze(org);
  return freeze === undefined ? [] : need(freezeInWords(freeze), 'orgrepo thaw');
}

/** A run would begin nothing, or goes on and does not. */
async function allPaused(org: Org, queue: Queue, pinned: PinnedBrief): Promise<NeedsYou[]> {
  if (queue.ledger.orders.length === 0) return [];
  const { presence, departmentOf, standingIn } = await readStandings(org, queue, pinned, Date.now() / 1000);
  const isHalted = (now: Standing): boolean => now.kind === 'stop' && now.cause === 'halted';
  const workers = agentsWithDuty(pinned.brief, 'junior')
    .filter((id) => choiceOf(pinned.brief.staff, id).kind !== 'human' && !isHalted(standingIn({ id })))
    .map((id) => ({ id, department: departmentOf(id) }));
  const all = whyAllPaused(presence, workers);
  return all === undefined ? [] : need(allPausedInWords(all), resumeCommand(all));
}

/** What waits for a person, and what waits for a run because of one. */
async function waitForPeople(org: Org, queue: Queue, runs: boolean): Promise<NeedsYou[]> {
  return (await personsSpecs(org, queue)).flatMap(({ spec, notebook, word }): NeedsYou[] => {
    const name = `${spec.id} "${spec.title}"`;
    if (notebook !== undefined && word === undefined)
      return need(`${name} waits for you`, `orgrepo show ${specWord(spec.id)}`);
    if (runs) return [];
    const what =
      word === undefined ? 'is for a person: a run lays its bench' : word.kind === 'offer' ? 'is offered' : 'is closed';
    return need(`${name} ${what}`, 'orgrepo run');
  });
}

/** What it did comes before whether it may go on, and both must fit on one line. */
async function haltedAgents(org: Org, { ledger }: Queue): Promise<NeedsYou[]> {
  const reasons = await readHalts(org, ledger.halted);
  return ledger.halted.map((agent) => {
    const onwards = ledger.state === 'ended' ? 'orgrepo run' : `orgrepo resume ${agent}`;
    const why = reasons.get(agent) ?? strikesInWords;
    const [words, look] =
      why === strikesInWords
        ? [`${mostStrikes} of its attempts changed what they may not`, 'orgrepo log --event tampered']
        : [why, /wrote no new spec|gave no spec/.test(why) ? 'git log --grep=^failed: orgrepo/queue' : 'orgrepo log'];
    return { what: `${agent} is stopped: ${words}`, command: `${look}, then: ${onwards}` };
  });
}
