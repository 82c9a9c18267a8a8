import type { KeepAnswer } from '../../domain/rules/request.ts';
import { higherRisk, isAtLeast, riskOf } from '../../domain/words/spec.ts';
import { diffText } from '../../git/merge.ts';
import { checkersFor, type Reviewer } from '../../org/rules/roster.ts';
import { nowInSeconds } from '../../process/pace.ts';
import { readEntry } from '../../records/entry.ts';
import type { Recorded } from '../../records/notebook/experiment-entry.ts';
import {
  type NewTalk,
  type NotebookLine,
  readNotebook,
  sayInNotebook,
  type TalkEntry,
  withReview,
} from '../../records/notebook/notebook.ts';
import { readQueue } from '../../records/queue/queue.ts';
import { readKeepAnswer } from '../../records/requests/requests.ts';
import type { AttemptParts, ResultParts, RunConstants, VerdictParts } from '../night/night.ts';
import { awaitDecision } from '../standing/night-standing.ts';
import { consult, keepTrace, mentorNow, type Opinion } from './agent-task.ts';
import type { Bench } from './bench.ts';
import { settled } from './run-experiment.ts';

/** Whether a keep may go to best: it may, it was rejected and the line is back where it was, or a person must say. */
export interface Reviewed {
  readonly decision: 'taken' | 'rejected' | 'waits';
  readonly line: NotebookLine;
}

/** A longer change is for a person: a model must see all of what it approves. */
const longestDiff = 200_000;

/**
 * Has a keep of a risky spec looked at before it may reach best: by a checker that sees the change and the brief and nothing
 * that the maker said, and where much is at stake, or no checker could say, by a person. `talk` is what the notebook says
 * already. Undefined when the claim was lost or the run cancelled.
 */
export async function review(
  night: AttemptParts,
  bench: Bench,
  kept: Recorded,
  talk: readonly TalkEntry[] = [],
): Promise<Reviewed | undefined> {
  const { spec, pinned } = bench.claim;
  const risk = higherRisk(bench.claim.risk, riskOf(spec, pinned.brief));
  const said = talk.filter(({ cause }) => cause === kept.experiment.commit);
  const taken: Reviewed = { decision: 'taken', line: kept.line };
  const { merged, alone } = kept.experiment;
  // A merge has only what was reviewed; a win in place of best is reviewed as such.
  if ((merged && alone !== true) || (said.length === 0 && !isAtLeast(risk, 'high'))) return taken;
  if (!(await settled(kept))) return undefined;
  // A person's word is the last one, whatever a checker would say by now and however small the risk has become.
  const word = said.length === 0 ? undefined : await wordOf(night.run, kept);
  if (word !== undefined) return obey(night, bench, kept, word, said);
  if (!isAtLeast(risk, 'high')) return taken;
  const checked: Reviewed | undefined = said.some(({ approves, by }) => approves && by === undefined)
    ? taken
    : await askCheckers(night, bench, kept);
  if (checked === undefined || checked.decision === 'rejected') return checked;
  if (checked.decision === 'taken' && risk !== 'critical') return checked;
  const why = risk === 'critical' ? 'its risk is critical' : 'no checker has approved it';
  return askPerson(night, bench, { ...kept, line: checked.line }, why);
}

/** The first checker that can say something decides. */
async function askCheckers(night: AttemptParts, bench: Bench, kept: Recorded): Promise<Reviewed | undefined> {
  const { spec, pinned } = bench.claim;
  const { experiment } = kept;
  // The agent that has the spec by now need not have made it.
  const maker = { agent: experiment.agent, model: experiment.spent?.model };
  const mentor = mentorNow(night, maker.agent);
  const diff = await diffText(night.run.org.repo, await treeReplaced(night.run, kept), experiment.tree);
  let { line } = kept;
  if (diff.length > longestDiff) return { decision: 'waits', line };
  for (const checker of checkersFor(pinned.brief.staff, maker, experiment.n, mentor?.id)) {
    const at = { tip: experiment.tried, tree: experiment.tree };
    const wanted = { role: 'checker', agent: checker.name, diff, notebook: [], attempt: experiment.n } as const;
    const opinion = await consult(night, pinned, at, { ...wanted, spec: { ...spec, title: '', body: '' } });
    if (opinion === undefined) return undefined;
    keepTrace(night.run, opinion, { spec: spec.id, agent: checker.name, n: experiment.n, commit: experiment.tried });
    const said = { ...reviewOf(checker, opinion, experiment.n), brief: pinned.blob };
    const written = await writeReview(night, bench, { ...kept, line }, said);
    if (written === undefined || written.decision !== 'waits') return written;
    line = written.line;
  }
  return { decision: 'waits', line };
}

function reviewOf({ name }: Reviewer, opinion: Opinion, n: number): NewTalk {
  const { spent } = opinion;
  const base = { event: 'review', agent: name, n, spent } as const;
  if (opinion.kind !== 'said') return { ...base, title: `#${n}, no answer`, text: '', reason: opinion.reason };
  const { approves, text } = opinion;
  if (approves === undefined) return { ...base, title: `#${n}, no answer`, text: '', reason: 'no decision' };
  return { ...base, title: `#${n} ${approves ? 'approved' : 'rejected'}`, text, approves };
}

/** Does what a person said, and writes it into the notebook once. It is believed where they said it: a line of a notebook alone could be anybody's. */
async function obey(
  night: ResultParts,
  bench: Bench,
  kept: Recorded,
  { approves, by, reason }: KeepAnswer,
  said: readonly TalkEntry[],
): Promise<Reviewed | undefined> {
  if (approves && said.some((one) => one.approves && one.by !== undefined))
    return { decision: 'taken', line: kept.line };
  const { n } = kept.experiment;
  night.tally.kept += 1; // While it waited it was not counted.
  const title = `#${n} ${approves ? 'approved' : 'denied'} by ${by}`;
  const text = reason === '' ? 'without a reason' : reason;
  return writeReview(night, bench, kept, { event: 'review', agent: 'orgrepo', n, title, text, approves, by });
}

/** Says in the notebook that a person's word is waited for. */
async function askPerson(
  night: VerdictParts,
  bench: Bench,
  kept: Recorded,
  why: string,
): Promise<Reviewed | undefined> {
  const { spec } = bench.claim;
  const { n, commit } = kept.experiment;
  const [event, agent] = ['wait', 'orgrepo'] as const;
  const said = { event, agent, n, title: `#${n} waits for a person`, text: '', reason: why, cause: commit };
  const line = await sayInNotebook(night.run.org, spec.id, kept.line, said);
  if (line === undefined) return undefined;
  night.run.say({ kind: 'said', at: nowInSeconds(), event, agent, spec: spec.id, n, text: why });
  awaitDecision(night.standing, spec.id);
  night.tally.kept = Math.max(0, night.tally.kept - 1);
  return { decision: 'waits', line };
}

async function wordOf(run: RunConstants, { experiment }: Recorded): Promise<KeepAnswer | undefined> {
  const queue = await readQueue(run.org);
  return queue && readKeepAnswer(run.org, queue, experiment);
}

async function writeReview(
  night: ResultParts,
  bench: Bench,
  kept: Recorded,
  said: NewTalk,
): Promise<Reviewed | undefined> {
  const { spec } = bench.claim;
  const { commit, n } = kept.experiment;
  const tree = said.approves === false ? await treeBefore(night.run, kept) : kept.line.tree;
  const line = await sayInNotebook(night.run.org, spec.id, kept.line, { ...said, cause: commit }, tree);
  if (line === undefined) return undefined;
  const { event, agent, approves, text, reason } = said;
  night.run.say({ kind: 'said', at: nowInSeconds(), event, agent, spec: spec.id, n, approves, text: reason ?? text });
  if (approves !== false) return { decision: approves ? 'taken' : 'waits', line };
  night.tally.kept = Math.max(0, night.tally.kept - 1);
  const { experiments } = night.tally.memory;
  const at = experiments.findIndex((one) => one.n === n);
  if (at >= 0) experiments[at] = withReview(kept.experiment, { agent, text, by: said.by });
  const notebook = await readNotebook(night.run.org, spec.id); // What counts below it, with the numbers of the keep before.
  return notebook && { decision: 'rejected', line: notebook.line };
}

/** The tree that a kept candidate would replace on best. */
async function treeReplaced(run: RunConstants, kept: Recorded): Promise<string> {
  const onto = (await readEntry(run.org, kept.experiment.tried))?.get('Onto');
  return (onto === undefined ? undefined : await readEntry(run.org, onto))?.commit.tree ?? treeBefore(run, kept);
}

/** The tree of the line below a kept candidate. */
async function treeBefore(run: RunConstants, { experiment }: Recorded): Promise<string> {
  const verdict = await readEntry(run.org, experiment.commit);
  return (await readEntry(run.org, verdict?.commit.parents[0] ?? ''))?.commit.tree ?? '';
}
