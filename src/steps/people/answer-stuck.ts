import { may, memberOf, workersOf } from '../../domain/staff/chart.ts';
import type { Charter } from '../../domain/staff/charter.ts';
import { answerAgainst, type Escalation, type EscalationAnswer } from '../../domain/staff/escalation.ts';
import { choiceOf } from '../../domain/staff/staff.ts';
import type { Spec } from '../../domain/words/spec.ts';
import { stepsFor } from '../../org/rules/org-context.ts';
import { nowInSeconds } from '../../process/pace.ts';
import { readNotebook } from '../../records/notebook/notebook.ts';
import {
  answerEscalation,
  answerInWords,
  readAsked,
  readAssignments,
  writeCycle,
} from '../../records/requests/requests.ts';
import { consult } from '../attempt/agent-task.ts';
import { rememberSpec } from '../attempt/night-tally.ts';
import type { AttemptParts, KnownParts, RunConstants, VerdictParts } from '../night/night.ts';
import { warn } from '../night/night-basics.ts';
import { endSpec } from '../standing/night-standing.ts';
import { isOut, presentNow } from '../standing/standing-now.ts';

/** One turn of every manager who is asked: an answer, or a cycle that went by without one. */
export async function answerStuck(night: AttemptParts): Promise<void> {
  const charter = night.inForce.pinned.charter?.charter;
  if (charter === undefined) return;
  for (const escalation of await readAsked(night.run.org, nowInSeconds())) {
    if (escalation.stage.kind !== 'asked' || night.run.signal.aborted) continue;
    const { manager } = escalation.stage;
    if ((await presentNow(night, manager)).kind === 'pause') continue; // A person has it wait; the others need not.
    const said = await askManager(night, charter, escalation, manager);
    if (said === undefined) return; // Cancelled: the manager has not failed to answer.
    const against =
      typeof said === 'string' ? said : answerAgainst(escalation, { id: manager, isPerson: false }, said, charter);
    if (against !== undefined || typeof said === 'string') {
      const why = against ?? '';
      warn(night.run, `${escalation.raised.id}: ${manager} did not answer: ${why}`);
      await writeCycle(night.run.org, escalation, manager, why);
    } else await take(night, escalation, manager, said);
  }
}

async function take(
  night: VerdictParts,
  escalation: Escalation,
  manager: string,
  answer: EscalationAnswer,
): Promise<void> {
  const { id, spec } = escalation.raised;
  const follow = await answerEscalation(night.run.org, escalation, { id: manager, isPerson: false }, answer);
  if (follow !== undefined) rememberSpec(night.tally, follow);
  if (answer.kind === 'close' && spec !== '') endSpec(night.standing, spec, `${manager} closed it: ${answer.text}`);
  warn(
    night.run,
    `${id}: ${manager} answered ${answerInWords(answer)}${follow === undefined ? '' : ` (${follow.id})`}`,
  );
  if (follow !== undefined)
    night.run.say({ kind: 'spec', at: nowInSeconds(), id: follow.id, title: follow.title, by: follow.by });
}

/** What a manager says; why it says nothing; undefined when the run was cancelled. */
async function askManager(
  night: AttemptParts,
  charter: Charter,
  escalation: Escalation,
  manager: string,
): Promise<EscalationAnswer | string | undefined> {
  if (memberOf(charter, manager) === undefined) return `${manager} is not in the chart any more`;
  const others = othersFor(night, charter, escalation, manager);
  const { kind } = choiceOf(night.inForce.pinned.brief.staff, manager);
  if (kind === 'search') return byRule(night.run, escalation, others);
  if (kind !== 'api') return 'only models and search agents answer by themselves';
  const { raised, passedOn } = escalation;
  const words = [raised.text, ...passedOn.map(({ by, text }) => `${by} passed it on: ${text}`)].join('\n\n');
  const opinion = await consult(
    night,
    night.inForce.pinned,
    { tip: night.tally.best.commit, tree: night.tally.best.tree },
    {
      ...{ role: 'manager', agent: manager, spec: await specOf(night.run, raised.spec) },
      attempt: Number(raised.id.slice(1)) * 10 + (escalation.stage.kind === 'asked' ? escalation.stage.cycle : 0),
      stuck: {
        ...{ id: raised.id, by: raised.by, reason: raised.reason, words, others },
        steps: stepsFor(raised.reason, charter.playbooks),
      },
    },
  );
  if (opinion === undefined) return undefined;
  if (opinion.kind !== 'said') return opinion.reason;
  return opinion.answer ?? 'it gave no answer';
}

/** The agents that work tonight and that a manager may give work to, those of the same domain first. */
function othersFor(night: KnownParts, charter: Charter, { raised }: Escalation, manager: string): readonly string[] {
  const [leader, stuck] = [memberOf(charter, manager), memberOf(charter, raised.by)];
  if (leader === undefined) return [];
  const isFit = (id: string): boolean =>
    id !== raised.by && night.inForce.juniors.includes(id) && !isOut(night.standing, id);
  const fit = workersOf(charter).filter(
    ({ id }) => isFit(id) && may(leader, { act: 'delegate', to: id }, charter).kind === 'allowed',
  );
  const isAkin = (domains: readonly string[]): boolean => domains.some((one) => stuck?.domains.includes(one));
  return [...fit.filter(({ domains }) => isAkin(domains)), ...fit.filter(({ domains }) => !isAkin(domains))].map(
    ({ id }) => id,
  );
}

/** A manager that is a search has nothing to say but whose turn it is: somebody else's once, then its own manager's. */
async function byRule(run: RunConstants, { raised }: Escalation, others: readonly string[]): Promise<EscalationAnswer> {
  const before = (await readAssignments(run.org)).get(raised.spec);
  const [to] = others;
  if (raised.rule !== undefined) return { kind: 'escalate', text: 'a search makes nobody faster' };
  if (raised.spec === '' || before?.kind === 'reassign' || to === undefined)
    return {
      kind: 'escalate',
      text: before === undefined ? 'nobody else is fit' : 'it was given to somebody else before',
    };
  return { kind: 'reassign', to, text: '' };
}

async function specOf(run: RunConstants, id: string): Promise<Spec | undefined> {
  const notebook = id === '' ? undefined : await readNotebook(run.org, id);
  return notebook && { ...notebook, id, attempts: undefined };
}
