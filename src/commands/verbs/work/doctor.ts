import { statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { readKeysFile } from '../../../agents/keys-file.ts';
import { wasAttacked } from '../../../attack/try-tricks.ts';
import { staffInWords } from '../../../domain/staff/staff.ts';
import type { Budget } from '../../../domain/words/brief.ts';
import { checkNight, type NightCheck } from '../../../preflight/checks/check-night.ts';
import { openChecked } from '../../../preflight/open-checked.ts';
import { readBest } from '../../../records/notebook/best-line.ts';
import type { Org } from '../../../records/org.ts';
import { readQueue } from '../../../records/queue/queue.ts';
import { currentRunner } from '../../../records/run-lock.ts';
import { countOf } from '../../../report/words/numbers.ts';
import { exitCodeOf, isProblem, type Problem } from '../../../text/problem.ts';
import { formatDuration } from '../../../text/quantity.ts';
import type { Command, VerbCall } from '../../kit/command.ts';
import { jailOption } from '../../kit/options.ts';
import { warnOfUncommitted, withOrg } from '../../kit/with-org.ts';

/** With its place, where it stands in a file of the person's. */
interface Finding extends Partial<NonNullable<Problem['place']>> {
  readonly level: 'ok' | 'note' | 'warn' | 'fail';
  readonly what: string;
  readonly fix?: string | undefined;
  readonly exit?: number;
  readonly code?: string;
}

export const command: Command = {
  name: 'doctor',
  summary: 'Checks the machine, your files and the harness before a night, and says what to do about each.',
  options: jailOption,
  examples: ['orgrepo doctor'],
  run: (call) =>
    withOrg(call, async (org) => {
      const findings: Finding[] = [];
      for (const check of [checkMachine, checkJail, checkKeys, checkSigning, checkQueue, checkFiles])
        findings.push(...(await check(org).catch(asFailure)));
      const failed = findings.filter((finding) => finding.level === 'fail');
      const warned = findings.filter((finding) => finding.level === 'warn');
      const lines = findings.map((finding) => formatFinding(finding, call));
      call.answer({ schema: 'orgrepo/doctor@1', findings }, lines.join(''));
      call.say(`${failed.length} failed, ${countOf(warned.length, 'warning')}\n`);
      return failed[0] === undefined ? 0 : (failed[0].exit ?? 1);
    }),
};

/** What a check cannot get over is what it found. */
function asFailure(error: unknown): Finding[] {
  if (isProblem(error)) return [found('fail', error)];
  throw error;
}

function formatFinding({ level, what, fix }: Finding, call: VerbCall): string {
  const { green, dim, yellow, red } = call.look.paint;
  const paint = { ok: green, note: dim, warn: yellow, fail: red }[level];
  return `  ${paint(level.padEnd(4))}  ${what}\n${fix === undefined ? '' : `          fix: ${call.look.typed(fix)}\n`}`;
}

async function checkMachine(org: Org): Promise<Finding[]> {
  const { gitVersion } = await import('../../../git/persons-git.ts');
  const git = await gitVersion(org.repo.root);
  const [major = 0, minor = 0] = git.split('.').map(Number);
  const disk = statfsSync(org.repo.root);
  const free = (disk.bavail * disk.bsize) / 1e9;
  const machine = `git ${git}, node ${process.versions.node}, ${availableParallelism()} cpus, ${free.toFixed(1)} GB free`;
  const findings: Finding[] = [{ level: 'ok', what: machine }];
  const add = (level: 'warn' | 'fail', what: string, fix: string): void => void findings.push({ level, what, fix });
  if (major < 2 || (major === 2 && minor < 38))
    add('fail', `git ${git} has no merge-tree --write-tree`, 'install git 2.38 or newer');
  const little = 'a night of 3,000 experiments takes about 200 MB; free some';
  if (free < 1) add('warn', `only ${free.toFixed(2)} GB of disk are free`, little);
  if (org.repo.shallow)
    add('warn', 'this is a shallow clone: older experiments cannot be replayed', 'git fetch --unshallow');
  return findings;
}

/** The jail for candidates on this machine, and how it could be better. */
async function checkJail(org: Org): Promise<Finding[]> {
  const { howToJail, whyNot } = await import('../../../jail/jail.ts');
  const { isRoot } = await import('../../../jail/cell.ts');
  const { levelOf, whyNone } = await import('../../../score/measure/trial.ts');
  const level = await levelOf(org);
  if (level === 'bubblewrap') return [{ level: 'ok', what: 'jail: candidates run in bubblewrap' }];
  const why = await whyNot('bubblewrap');
  if (level === 'namespaces') {
    const better = why === undefined ? '' : `; bubblewrap would make it faster (${why})`;
    return [{ level: 'ok', what: `jail: candidates run in namespaces made by hand${better}` }];
  }
  const asked = org.jail === 'none' ? 'as you asked' : await whyNone();
  const what = `jail: none, candidates run free${isRoot() ? ', and as root' : ''} (${asked})`;
  return [{ level: 'warn', what, fix: org.jail === 'none' ? undefined : howToJail() }];
}

async function checkKeys(org: Org): Promise<Finding[]> {
  await readKeysFile(org);
  return [];
}

/** What it would take to decide in a person's name. */
async function checkSigning(org: Org): Promise<Finding[]> {
  const { findForgery } = await import('../../../preflight/checks/check-signing.ts');
  return findForgery(org);
}

async function checkQueue(org: Org): Promise<Finding[]> {
  const runner = currentRunner(org);
  const queue = await readQueue(org);
  const unreadable = (queue?.unreadable ?? []).map((problem) => found('warn', problem));
  if (runner === undefined) return unreadable;
  return [{ level: 'ok', what: `orgrepo runs here: process ${runner.pid}` }, ...unreadable];
}

async function checkFiles(org: Org): Promise<Finding[]> {
  const check = await checkNight(org, await openChecked(org), 'always', new AbortController().signal);
  const findings = [
    validFiles(check),
    ...(await modelFindings(org, check)),
    ...(await programFindings(org, check)),
    ...(await searchFindings(org, check)),
    ...scored(check),
    ...unattacked(org, check),
  ];
  await warnOfUncommitted(org, (what) => findings.push({ level: 'warn', what, fix: 'git add -A && git commit' }));
  return findings;
}

function validFiles({ pinned: { brief, file }, specs, hasBranchesTable }: NightCheck): Finding {
  const words = staffInWords(brief.staff);
  const agent = words === 'search' ? 'search agent, no model' : words;
  const files = [file ?? 'program.md', ...(hasBranchesTable ? ['branches.md'] : [])].join(', ');
  return { level: 'ok', what: `${files} and ${countOf(specs.length, 'spec')} can be used; agent: ${agent}` };
}

/** What the night's models need and cost: their keys by name, never by value. */
async function modelFindings(org: Org, { tree, pinned }: NightCheck): Promise<Finding[]> {
  const { lookAtModels, accessNews } = await import('../../../preflight/checks/check-models.ts');
  const news = [...(await lookAtModels(org, tree, pinned)), ...(await accessNews(org, tree, pinned))];
  return news.map((one) => ('problem' in one ? found(one.level, one.problem) : one));
}

/** How the programs start that the brief names; one that is not installed is told with the other problems. */
async function programFindings(org: Org, { pinned: { brief } }: NightCheck): Promise<Finding[]> {
  const { tryPrograms } = await import('../../../preflight/checks/check-programs.ts');
  const news = await tryPrograms(org, brief);
  return news.map((one) => ('problem' in one ? found(one.level, one.problem) : one));
}

/** What the agents without a model can change: more than that takes one. */
async function searchFindings(org: Org, { tree, pinned: { brief } }: NightCheck): Promise<Finding[]> {
  const { findReach } = await import('../../../preflight/checks/check-search.ts');
  const reach = await findReach(org, (await readBest(org))?.tree ?? tree, brief);
  if (reach === undefined || reach.files.length === 0) return []; // Then there is a warning.
  const what = `search agents change ${reach.words}; they do not read prose, a model does`;
  return [{ level: 'ok', what }];
}

function scored({ pinned: { brief }, start, testsSeconds, problems, warnings }: NightCheck): Finding[] {
  const { experimentMs, experimentTimes } = brief.budget;
  const of = `${experimentMs / 1000} s${experimentTimes === undefined ? '' : `; candidates may take ${experimentTimes} times as long`}`;
  const times = start?.seconds === undefined ? 'as it was recorded' : `${start.seconds.toFixed(1)} s of ${of}`;
  const stages = brief.run === undefined ? '; single-stage: the code that is scored prints its own score' : '';
  return [
    ...(start === undefined
      ? []
      : [{ level: 'ok', what: `harness prints ${brief.metric}: ${start.score}  (${times})${stages}` } as const]),
    ...(testsSeconds === undefined
      ? []
      : [{ level: 'ok', what: `tests pass: ${brief.tests}  (${testsSeconds.toFixed(1)} s)` } as const]),
    ...(start?.seconds === undefined ? [] : looseTime(start.seconds, brief.budget)),
    ...problems.map((problem) => found('fail', problem)),
    ...warnings.map((problem) => found(stopsTheNight(problem) ? 'fail' : 'warn', problem)),
  ];
}

/** A limit that is twenty measurements long: a search meets a loop that never ends sooner or later. */
function looseTime(seconds: number, { experimentMs, experimentTimes }: Budget): Finding[] {
  const times = Math.floor(experimentMs / 1000 / seconds);
  if (experimentTimes !== undefined || experimentMs <= 10_000 || times < 20) return [];
  const what = `a candidate that hangs costs ${formatDuration(experimentMs)}, as much as ${times} others`;
  return [{ level: 'note', what, fix: 'budget: { experiment: 10x }, ten times what the start takes' }];
}

/** What a plan only warns of because it writes nothing itself. */
const stopsTheNight = ({ code }: Problem): boolean => code === 'disk/write' || code === 'repo/path';

/** A harness that gives a score may still be one that can be cheated. */
function unattacked(org: Org, { pinned, start }: NightCheck): Finding[] {
  if (start === undefined || wasAttacked(org, pinned.harness)) return [];
  const what =
    'nobody has tried to cheat this harness since it last changed, or seen whether it looks at the sandbox at all';
  return [{ level: 'note', what, fix: 'orgrepo attack' }];
}

const found = (level: 'warn' | 'fail', problem: Problem): Finding => ({
  level,
  what: problem.message,
  fix: problem.hint,
  code: problem.code,
  ...(problem.place ?? {}),
  ...(level === 'fail' ? { exit: exitCodeOf(problem) } : {}),
});
