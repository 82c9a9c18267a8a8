import type { NeedsYou } from '../../domain/rules/request.ts';
import { mostStrikes, strikesInWords, wroteNothing } from '../../domain/rules/stopping-rules.ts';
import { allPausedInWords, resumeCommand, whyAllPaused } from '../../domain/staff/presence.ts';
import { agentsWithDuty, choiceOf } from '../../domain/staff/staff.ts';
import { specWord } from '../../domain/words/spec.ts';
import { reportsRef, shortRef } from '../../git/refs/ref-names.ts';
import { type PinnedBrief, pinBrief } from '../../org/force/pin-brief.ts';
import { runEvents } from '../../records/notebook/history.ts';
import type { Notebook } from '../../records/notebook/notebook.ts';
import { budgetFile } from '../../records/notebook/run-end.ts';
import { type Org, trunkTip } from '../../records/org.ts';
import { readHalts, readPresence } from '../../records/queue/agent-book.ts';
import { personsSpecs } from '../../records/queue/inbox.ts';
import type { Queue } from '../../records/queue/queue.ts';
import { parseRefused } from '../../records/queue/spec-text.ts';
import { isWaiting, readAlerts } from '../../records/requests/approvals.ts';
import { readEscalations } from '../../records/requests/escalations.ts';
import { readNeeds } from '../../records/requests/needs.ts';
import { readRequests } from '../../records/requests/requests.ts';
import { currentRunner } from '../../records/run-lock.ts';
import { isProblem } from '../../text/problem.ts';

/** What only a person can do: what the last run met, and what the tips of the branches tell. */
export async function needsYou(org: Org, queue: Queue | undefined, live: readonly Notebook[]): Promise<NeedsYou[]> {
  const met = queue === undefined ? [] : await readNeeds(org, queue, live);
  const told = await needsAtTips(org, queue, live);
  return [...met, ...told.filter(({ what }) => !met.some((need) => need.what.endsWith(what)))]; // Nothing is said twice.
}

async function needsAtTips(org: Org, queue: Queue | undefined, live: readonly Notebook[]): Promise<NeedsYou[]> {
  const needs = queue === undefined ? [] : await waitingKeeps(org, queue, live);
  const others = [waitingActs, stuckWork, usedUp, afterEnding, refusedWork, haltedAgents, waitForPeople];
  for (const find of others) if (queue !== undefined) needs.push(...(await find(org, queue)));
  needs.push(...(queue?.unreadable ?? []).map(({ message, hint }) => ({ what: message, command: hint })));
  if (org.repo.head === undefined) return needs;
  try {
    const pinned = await pinBrief(org, await trunkTip(org));
    return [...needs, ...(queue === undefined ? [] : await allPaused(org, queue, pinned))];
  } catch (error) {
    if (!isProblem(error)) throw error;
    return [...needs, { what: error.message, command: error.hint }];
  }
}

const need = (what: string, command: string): NeedsYou[] => [{ what, command }];

/** Keeps that only a person may let through. */
async function waitingKeeps(org: Org, queue: Queue, live: readonly Notebook[]): Promise<NeedsYou[]> {
  const needs: NeedsYou[] = [];
  for (const notebook of live) {
    const kept = notebook.experiments.find((one) => one.commit === notebook.waits);
    if (kept === undefined) continue;
    const what = `#${kept.n} ${kept.title}`;
    if (await isWaiting(org, queue, notebook))
      needs.push({
        what: `${what} waits for your word`,
        command: `npx orgrepo show ${kept.n}, then: npx orgrepo approve ${kept.n} (or deny ${kept.n})`,
      });
    else if (currentRunner(org) === undefined)
      needs.push({ what: `${what} has your word, and a run acts upon it`, command: 'npx orgrepo run' });
  }
  return needs;
}

/** What the way in which the last night ended asks of a person: it will end so again. */
async function afterEnding(org: Org, { ledger, specs }: Queue): Promise<NeedsYou[]> {
  if (ledger.state !== 'ended') return [];
  const { ended } = await runEvents(org, ledger.run, 'end');
  const reason = ended?.get('Reason');
  switch (ended?.get('Ending')) {
    case 'no-ideas':
      if (specs.length > 0) return [];
      return need('nobody has an idea left: write a spec', 'npx orgrepo submit "what to try"');
    case 'capped': // Whoever set the cap decides whether it was enough.
      return need(reason ?? 'a cap was reached', `git show ${shortRef(reportsRef)}:${budgetFile}`);
    case 'review':
      return need(reason ?? 'a person should look', 'npx orgrepo report, then change that line of the brief');
    case 'touched': // It may have been the person.
      return need(
        reason ?? 'somebody has changed how git works here',
        'cat .git/config, ls -l .git/hooks; put it right, then: npx orgrepo run',
      );
    default:
      return [];
  }
}

/** Specs that policies kept from everybody when the last night ended. */
async function refusedWork(org: Org, { ledger, specs }: Queue): Promise<NeedsYou[]> {
  if (ledger.state !== 'ended') return [];
  const { ended } = await runEvents(org, ledger.run, 'end');
  return parseRefused(ended?.body ?? '').flatMap(({ spec, n, words }): NeedsYou[] => {
    const title = specs.find(({ id }) => id === spec)?.title;
    if (title === undefined) return [];
    return need(
      `${spec} "${title}" is kept from everybody (D${n}): ${words}`,
      `npx orgrepo replay D${n}, then change policies/, commit it and: npx orgrepo run`,
    );
  });
}

/** A run would begin nothing, or goes on and does not. */
async function allPaused(org: Org, { ledger }: Queue, { brief, charter }: PinnedBrief): Promise<NeedsYou[]> {
  if (ledger.orders.length === 0) return [];
  const members = charter?.charter.members ?? [];
  const workers = agentsWithDuty(brief, 'junior')
    .filter((id) => choiceOf(brief.staff, id).kind !== 'human')
    .map((id) => ({ id, department: members.find((member) => member.id === id)?.department }));
  const all = whyAllPaused(await readPresence(org, ledger.orders), workers);
  return all === undefined ? [] : need(allPausedInWords(all), resumeCommand(all));
}

/** What waits for a person, and what waits for a run because of one. */
async function waitForPeople(org: Org, queue: Queue): Promise<NeedsYou[]> {
  const runs = currentRunner(org) !== undefined;
  return (await personsSpecs(org, queue)).flatMap(({ spec, notebook, word }): NeedsYou[] => {
    const name = `${spec.id} "${spec.title}"`;
    if (notebook !== undefined && word === undefined)
      return need(`${name} waits for you`, `npx orgrepo show ${specWord(spec.id)}`);
    if (runs) return [];
    const what =
      word === undefined ? 'is for a person: a run lays its bench' : word.kind === 'offer' ? 'is offered' : 'is closed';
    return need(`${name} ${what}`, 'npx orgrepo run');
  });
}

/** What it did comes before whether it may go on, and both must fit on one line. */
async function haltedAgents(org: Org, { ledger }: Queue): Promise<NeedsYou[]> {
  const reasons = await readHalts(org, ledger.halted);
  return ledger.halted.map((agent) => {
    const onwards = ledger.state === 'ended' ? 'npx orgrepo run' : `npx orgrepo resume ${agent}`;
    const why = reasons.get(agent) ?? strikesInWords;
    const [words, look] =
      why === strikesInWords
        ? [`${mostStrikes} of its attempts changed what they may not`, 'npx orgrepo log --event tampered']
        : [why, why.includes(wroteNothing) ? 'git log --grep=^failed: orgrepo/queue' : 'npx orgrepo log'];
    return { what: `${agent} is stopped: ${words}`, command: `${look}, then: ${onwards}` };
  });
}

/** Limits of a period that are nearly used up, or more. */
const usedUp = async (org: Org, queue: Queue): Promise<NeedsYou[]> =>
  (await readAlerts(org, queue, new Date().toISOString().slice(0, 10))).map((what) => ({
    what,
    command: 'npx orgrepo report, then raise the limit in ORG.md or leave it',
  }));

/** Work that is stuck, and that nobody of the chart could answer for; and promises that were broken, until somebody answers for them. */
async function stuckWork(org: Org, { ledger }: Queue): Promise<NeedsYou[]> {
  if (ledger.acts === 0) return [];
  return (await readEscalations(org, Date.now() / 1000)).flatMap(({ raised, stage }): NeedsYou[] => {
    const { id, by, spec, reason, text, rule } = raised;
    if (rule !== undefined && stage.kind !== 'answered' && stage.kind !== 'moot') {
      const asked = stage.kind === 'asked' ? `; ${stage.manager} is asked` : '';
      const command = `npx orgrepo approve ${id} --reason "seen" (or deny ${id} --reason …)`;
      return need(`${id}: ${spec} breaks ${text}${asked}`, command);
    }
    if (stage.kind !== 'person') return [];
    const what = `${id}: ${by} is stuck${spec === '' ? '' : ` with ${spec}`} (${reason}): ${text.split('\n')[0] ?? ''}`;
    return need(what, `npx orgrepo approve ${id} --reason "what was missing" (or deny ${id} --reason …)`);
  });
}

/** Acts that wait for a person, the oldest first. */
async function waitingActs(org: Org, { ledger }: Queue): Promise<NeedsYou[]> {
  if (ledger.acts === 0) return [];
  const now = Date.now() / 1000;
  return (await readRequests(org, now)).flatMap(({ asked, stage }): NeedsYou[] => {
    if (stage.kind !== 'waits') return [];
    const { id, words, reason, by } = asked;
    const rest = stage.lacks.length < by.length ? `; it still lacks ${stage.lacks.join(' and ')}` : '';
    return need(`${id}: ${words}, and ${reason}${rest}`, `npx orgrepo approve ${id} (or deny ${id} --reason …)`);
  });
}
