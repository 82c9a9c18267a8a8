import { randomBytes } from 'node:crypto';
import type { AgentTask, AgentWork, PastChanges, Role } from '../../agents/agent-contract.ts';
import { agentFor } from '../../agents/choose-agent.ts';
import { cellOfAgent } from '../../agents/programs/confinement.ts';
import { storeTrace } from '../../agents/trace/trace-book.ts';
import { spreadOf } from '../../domain/rules/contest.ts';
import type { Member } from '../../domain/staff/charter.ts';
import { choiceOf, isProgramChoice } from '../../domain/staff/staff.ts';
import { isWarmingUp } from '../../domain/staff/trust.ts';
import type { Brief } from '../../domain/words/brief.ts';
import { type Experiment, measureKey } from '../../domain/words/experiment.ts';
import { changedFiles, diffText } from '../../git/merge.ts';
import { queueRef } from '../../git/refs/ref-names.ts';
import type { Repo } from '../../git/repo.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import { orgContext } from '../../org/rules/org-context.ts';
import { mentorOf } from '../../org/rules/roster.ts';
import type { NotebookLine } from '../../records/notebook/notebook.ts';
import { isGone } from '../../score/arena/arena-directory.ts';
import { zonesOf } from '../../score/judge/boundary.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import { unlessProblem } from '../../text/problem.ts';
import type { AttemptParts, KnownParts, NightInForce, RunConstants } from '../night/night.ts';
import { chartNow, inTheBackground, showDoing } from '../night/night-basics.ts';
import { haltByRules, noteOpinion, reachCap, stopAgent } from '../standing/halt.ts';
import { inItsTurn, trustNow } from '../standing/night-standing.ts';
import { checkAway, untilPresent } from '../standing/standing-now.ts';
import { type Bench, layBench } from './bench.ts';

/** What a role adds to its task; the rest is the same for every agent. */
export type Wanted = Pick<AgentTask, 'role' | 'agent'> &
  Partial<Omit<AgentTask, 'role' | 'agent' | 'dir' | 'files' | 'brief'>>;

/** A task for an agent at a bench. A field that the role has no use for is empty. */
export async function taskAt(
  night: AttemptParts,
  { worktree, files, zones }: Pick<Bench, 'worktree' | 'files' | 'zones'>,
  pinned: PinnedBrief,
  wanted: Wanted,
): Promise<AgentTask> {
  const { brief } = pinned;
  const noise = night.tally.scales.get(measureKey(pinned))?.noise;
  const changes = await pastChanges(night, brief, wanted);
  return {
    dir: worktree.dir,
    files: [...files.keys()].filter(zones.sandbox.names),
    readable: [...files.keys()].filter((file) => !zones.sandbox.names(file)),
    brief,
    context: contextFor(night, wanted),
    spec: undefined,
    notebook: night.tally.memory.experiments,
    standing: {
      ...{ best: night.tally.best.score, baseline: night.tally.best.baseline.score },
      ...(noise === undefined ? {} : { spread: spreadOf(noise) }),
    },
    ...(changes === undefined ? {} : { changes }),
    ...{ specs: [], open: 0, wanted: 0, attempt: 1, ask: 1, attempts: 1 },
    ...{ refused: [], report: '', plan: '', critiques: [], diff: '' },
    seed: night.run.seed,
    mark: randomBytes(8).toString('hex'),
    deadlineMs: brief.budget.agentMs,
    rehearse: async () => `a ${wanted.role} has nothing to run`,
    cell: await cellOfAgent(night.run.org, brief, choiceOf(brief.staff, wanted.agent)),
    ...wanted,
  };
}

/** What a model or a program that works on a spec is shown of earlier changes; undefined for all others, which read no diffs. */
async function pastChanges(
  { run, tally }: AttemptParts,
  brief: Brief,
  { role, agent, spec }: Pick<AgentTask, 'role' | 'agent'> & Partial<Pick<AgentTask, 'spec'>>,
): Promise<PastChanges | undefined> {
  const choice = choiceOf(brief.staff, agent);
  if (!readers.includes(role) || !(choice.kind === 'api' || isProgramChoice(choice))) return undefined;
  const { repo } = run.org;
  const { best } = tally;
  const tries = tally.memory.experiments.filter((one) => one.spec === spec?.id && isOwnChange(one)).slice(-mostTries);
  const diffs = await Promise.all(
    tries.map(async ({ n, tried, title }) => {
      const diff = await sandboxDiff(repo, brief, `${tried}^`, tried);
      return diff === '' ? [] : [`#${n} ${title}\n${cut(diff, Math.floor(mostOfTries / tries.length))}`];
    }),
  );
  return {
    ofBest: cut(await sandboxDiff(repo, brief, best.baseline.commit, best.commit), mostOfBest),
    ofTries: diffs.flat().join('\n'),
  };
}

/** A chief reads the whole notebook, a checker the change, and a delegator the spec. */
const readers: readonly Role[] = ['junior', 'planner', 'critic', 'manager'];

/** In characters. */
const mostOfBest = 8 * 1024;
const mostOfTries = 4 * 1024;
const mostTries = 4;

/** What its agent made, not what orgrepo made of it. */
const isOwnChange = ({ merged, part }: Experiment): boolean => !merged && part === undefined;

/** People may have changed files of the harness meanwhile, which not every agent may see. A clone without the old trees has no diff. */
const sandboxDiff = async (...asked: Parameters<typeof diffOf>): Promise<string> =>
  (await unlessProblem(diffOf(...asked))) ?? '';

async function diffOf(repo: Repo, brief: Brief, before: string, after: string): Promise<string> {
  if (before === after) return '';
  const { sandbox, holdout } = zonesOf(brief);
  const files = (await changedFiles(repo, before, after))
    .map(({ path }) => path)
    .filter((file) => sandbox.names(file) && !holdout.names(file));
  return files.length === 0
    ? ''
    : hideSecrets(await diffText(repo, before, after, files.slice(0, mostChanged))).trimEnd();
}

/** More names would be too long for a command line. */
const mostChanged = 200;

const cut = (diff: string, most: number): string =>
  diff.length <= most ? diff : `${diff.slice(0, most)}\n[cut off here: ${diff.length - most} characters more]`;

function contextFor(night: KnownParts, { role, agent }: Wanted): string {
  const chart = chartNow(night.inForce);
  if (chart === undefined) return '';
  const worksSpecs = role === 'junior' || role === 'planner'; // Trust is known only of these, and so is a mentor.
  return orgContext(chart, agent, worksSpecs ? mentorNow(night, agent) : undefined);
}

/** The mentor of an agent that is warming up; undefined for any other agent. */
export function mentorNow({ inForce, standing }: KnownParts, agent: string): Member | undefined {
  const charter = inForce.pinned.charter?.charter;
  return charter !== undefined && isWarmingUp(trustNow(standing, agent)) ? mentorOf(charter, agent) : undefined;
}

/** What an agent said that was asked for an opinion, or why it said nothing. */
export type Opinion = Exclude<AgentWork, { kind: 'edited' | 'nothing' }>;

/**
 * Asks an agent that changes nothing for its opinion, at a side bench with the files of a line. Waits for a paused agent,
 * unless it is to be `at once`. Undefined when the run was cancelled meanwhile.
 */
export async function consult(
  night: AttemptParts,
  pinned: PinnedBrief,
  line: Pick<NotebookLine, 'tip' | 'tree'>,
  wanted: Wanted & { readonly role: Exclude<Role, 'chief' | 'junior'> },
  how: 'patient' | 'at once' = 'patient',
): Promise<Opinion | undefined> {
  const { agent, role } = wanted;
  const opinion = await inItsTurn(night.standing, agent, async (): Promise<Opinion> => {
    if (night.standing.spentUp.has(agent)) return { kind: 'failed', reason: `${agent} has used up what it may` };
    if (how === 'patient') await untilPresent(night, agent);
    if ((await haltByRules(night, agent)) || (await checkAway(night, agent)))
      return { kind: 'failed', reason: `${agent} is stopped` };
    const zones = zonesOf(pinned.brief);
    // A plan comes before the work, so the agent makes it at its own bench.
    const name = role === 'planner' ? agent : sideBenchOf(night.inForce, agent);
    const bench = await layBench(night.run.org, name, { ...night.tally.best, ...line }, zones);
    const say = (doing: 'thinking' | 'idle', detail: string): void => showDoing(night.run, agent, doing, detail);
    say('thinking', `${role} of ${wanted.spec?.id ?? ''}`);
    const task = await taskAt(night, { ...bench, zones }, pinned, wanted);
    const done = await agentFor(role, agent, pinned.brief, night.inForce.models)(task, night.run.signal);
    say('idle', '');
    if (done.kind === 'capped') reachCap(night, agent, done, wanted.spec?.id);
    if (done.kind === 'unable') await stopAgent(night, agent, done.reason);
    else if (role !== 'planner') {
      noteOpinion(night, agent, done.kind === 'said');
      await haltByRules(night, agent);
    }
    if (done.kind === 'waits' || done.kind === 'busy') return { kind: 'failed', reason: done.reason };
    if (done.kind === 'edited' || done.kind === 'nothing')
      return { kind: 'failed', reason: 'it said nothing that could be used', spent: done.spent };
    return done;
  });
  return night.run.signal.aborted ? undefined : opinion;
}

/** Its bench may be removed at any time: then its work has failed. */
export async function unlessRemoved<T>(work: Promise<T>): Promise<T | Extract<AgentWork, { kind: 'failed' }>> {
  try {
    return await work;
  } catch (error) {
    if (!isGone(error)) throw error;
    return { kind: 'failed', reason: 'its bench was removed' };
  }
}

/** The bench for what else an agent is asked: the bench of an agent that works specs holds its own work. */
export const sideBenchOf = ({ juniors }: NightInForce, agent: string): string =>
  juniors.includes(agent) ? `${agent}.desk` : agent;

/** What a piece of work led to: a try, or before there was one a line of the notebook. */
export interface TracedTry {
  readonly spec: string;
  readonly agent: string;
  readonly n: number | undefined;
  readonly commit: string;
}

/**
 * Keeps what was said and done, once what it led to is where no crash can lose it. Nobody waits for it: a run that is killed
 * before it is written loses the trace and nothing else.
 */
export function keepTrace(
  run: RunConstants,
  work: Traced,
  { commit, ...by }: TracedTry,
  isThere: Promise<boolean> = Promise.resolve(true),
): void {
  // The caller that waits for it gets the error.
  keep(run, work, by, async () => ((await isThere.catch(() => false)) ? commit : undefined));
}

type Traced = Pick<AgentWork, 'trace' | 'spent'>;

/** The same for an asking of a chief's, who works on no spec. */
export const keepChiefTrace = (run: RunConstants, agent: string, work: Traced): void =>
  keep(run, work, { agent, spec: undefined, n: undefined }, () => run.org.repo.reader.resolve(queueRef));

/** The last trace of each spec that is being written. */
const writings = new WeakMap<RunConstants, Map<string | undefined, Promise<void>>>();

/** One after another for each spec: its traces are read in the order in which the work was done. Without a cause there is nothing to keep. */
function keep(
  run: RunConstants,
  { trace, spent }: Traced,
  by: Pick<Parameters<typeof storeTrace>[1], 'agent' | 'spec' | 'n'>,
  causeOf: () => Promise<string | undefined>,
): void {
  if (trace === undefined) return;
  const ofNight = writings.get(run) ?? new Map<string | undefined, Promise<void>>();
  writings.set(run, ofNight);
  const before = ofNight.get(by.spec) ?? Promise.resolve();
  // The caller that waits for the one before gets its error.
  const mine = before
    .catch(() => {})
    .then(async () => {
      const cause = await causeOf();
      if (cause !== undefined) await storeTrace(run.org, { ...by, model: spent?.model, cause, text: trace });
    });
  ofNight.set(by.spec, mine);
  inTheBackground(run, mine);
}
