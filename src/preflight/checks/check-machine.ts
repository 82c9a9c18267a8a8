import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { isProgram, placeOfProgram } from '../../agents/programs/program-place.ts';
import { type AgentChoice, everybodyIn, type Program } from '../../domain/staff/staff.ts';
import type { Brief } from '../../domain/words/brief.ts';
import { shownPath } from '../../jail/cell.ts';
import { type PinnedBrief, problemInBrief } from '../../org/force/pin-brief.ts';
import { commandLine } from '../../process/run-process.ts';
import type { Org } from '../../records/org.ts';
import type { Problem } from '../../text/problem.ts';

/** How each of them is installed. */
export const installs: Readonly<Record<Program, string>> = {
  claude: 'npm install -g @anthropic-ai/claude-code',
  codex: 'npm install -g @openai/codex',
  gemini: 'npm install -g @google/gemini-cli',
  opencode: 'npm install -g opencode-ai',
  aider: 'python -m pip install aider-install && aider-install',
  pi: 'npm install -g @earendil-works/pi-coding-agent',
};

/** The command-line agents that a brief asks for, and where each of them is; undefined where it is not installed. */
export const programsOf = ({ staff }: Brief): ReadonlyMap<Program, string | undefined> =>
  new Map(
    everybodyIn(staff).flatMap((choice) =>
      choice.kind === 'program' ? [[choice.program, placeOfProgram(choice.program)] as const] : [],
    ),
  );

/** Those that are not there: nobody should find in the morning that no agent ever started. */
export async function missingPrograms(org: Org, pinned: PinnedBrief): Promise<Problem[]> {
  const missing = [...programsOf(pinned.brief)].filter(([, place]) => place === undefined);
  return Promise.all([
    ...missing.map(([program]) => missingProgram(org, pinned, program)),
    ...missingCommands(pinned.brief).map((command) => missingCommand(org, pinned, command)),
  ]);
}

/** The commands of agents that a brief names. */
export const agentCommandsOf = ({ staff }: Brief): readonly string[] => [
  ...new Set(everybodyIn(staff).flatMap((choice) => (startsCommand(choice) ? [choice.command] : []))),
];

const startsCommand = (choice: AgentChoice): choice is Extract<AgentChoice, { kind: 'command' | 'acp' }> =>
  choice.kind === 'command' || choice.kind === 'acp';

/** Those that start a program which is not there. What a shell makes of a line, or a bench holds, is not known here. */
const missingCommands = (brief: Brief): readonly string[] => agentCommandsOf(brief).filter(isMissing);

export function isMissing(command: string): boolean {
  const { file } = commandLine(command);
  if (path.isAbsolute(file)) return !isProgram(file);
  return !file.includes('/') && placeOfProgram(file) === undefined;
}

function missingCommand(org: Org, pinned: PinnedBrief, command: string): Promise<Problem> {
  const { file } = commandLine(command);
  const what = path.isAbsolute(file)
    ? `agent starts ${file}, ${existsSync(file) ? 'which cannot be executed' : 'and there is no such file'}`
    : `agent starts ${file}, and there is no ${file} on the PATH`;
  const hint = `Install ${file} or make it executable, or change agent.`;
  return problemWith(org, pinned, (choice) => startsCommand(choice) && choice.command === command, what, hint);
}

function missingProgram(org: Org, pinned: PinnedBrief, program: Program): Promise<Problem> {
  const what = `agent is ${program}, and there is no ${program} on the PATH`;
  const hint = `Install it: ${installs[program]}. Or name another agent.`;
  return problemWith(org, pinned, (choice) => choice.kind === 'program' && choice.program === program, what, hint);
}

/** By the line that asks for it: a role's own, or everybody's. What stands nowhere would be reported at the first line. */
async function problemWith(
  org: Org,
  pinned: PinnedBrief,
  isMeant: (choice: AgentChoice) => boolean,
  what: string,
  hint: string,
): Promise<Problem> {
  const { chief, juniors } = pinned.brief.staff;
  const junior = juniors.findIndex(isMeant);
  const places: readonly (readonly [string, ...string[]])[] = [
    ...(junior === -1 ? [] : [['junior', String(junior)] as const, ['junior'] as const, ['agent'] as const]),
    ...(isMeant(chief) ? [['chief', 'agent'] as const] : []),
  ];
  const problemAt = (at: readonly [string, ...string[]]): Promise<Problem> =>
    problemInBrief(org, pinned, { code: 'brief/value', at, what, hint });
  const problems = await Promise.all(places.map(problemAt));
  return problems.find((problem) => (problem.place?.line ?? 1) > 1) ?? problemAt(['agent']);
}

/** Places that a brief would show to candidates and must not: a whole home, and where the answers and the judge are. */
export async function wrongPlaces(org: Org, pinned: PinnedBrief): Promise<Problem[]> {
  const { root, gitDir } = org.repo;
  const secret = [
    { what: 'a whole home', dir: homedir() },
    { what: "the repository's history", dir: gitDir },
    { what: 'the harness, with what it holds out', dir: path.join(root, pinned.brief.harness) },
  ].map(({ what, dir }) => ({ what, dir: real(dir) }));
  const problems = pinned.brief.show.flatMap((place) => {
    const dir = real(shownPath(place));
    const [found] = secret.filter((one) => isIn(one.dir, dir) || (one.dir !== real(homedir()) && isIn(dir, one.dir)));
    if (found === undefined) return [];
    const hint = 'Name only what a stage must read, one directory or file for each.';
    const what = `show names ${place}: ${found.what} is there`;
    return [problemInBrief(org, pinned, { code: 'brief/paths', at: ['show'], what, hint })];
  });
  return Promise.all(problems);
}

/** Places that a brief shows and that this machine does not have: another machine may, so it is not an error. */
export function absentPlaces(org: Org, pinned: PinnedBrief): Promise<Problem[]> {
  const absent = pinned.brief.show.filter((place) => !existsSync(shownPath(place)));
  const hint = 'Make it, or take it out of show.';
  const problems = absent.map((place) => {
    const what = `show names ${place}, and there is no such place on this machine`;
    return problemInBrief(org, pinned, { code: 'brief/paths', at: ['show'], what, hint });
  });
  return Promise.all(problems);
}

const isIn = (inner: string, outer: string): boolean => inner === outer || inner.startsWith(`${outer}/`);

const real = (dir: string): string => (existsSync(dir) ? realpathSync(dir) : dir);
