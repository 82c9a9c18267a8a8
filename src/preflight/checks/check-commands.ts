import { serversOf } from '../../brief/read/brief-servers.ts';
import { everybodyIn } from '../../domain/staff/staff.ts';
import type { Brief } from '../../domain/words/brief.ts';
import { entryAt, filesOf, isTree, readTree } from '../../git/objects/tree.ts';
import { type PinnedBrief, problemInBrief } from '../../org/force/pin-brief.ts';
import type { Org } from '../../records/org.ts';
import { zonesOf } from '../../score/judge/boundary.ts';
import { type Globs, readGlobs, tidyPath, whyNoPath } from '../../text/paths.ts';
import { nearestName, type Problem } from '../../text/problem.ts';
import { agentCommandsOf, missingPrograms, wrongPlaces } from './check-machine.ts';
import { unaskedPrices, unboundCaps } from './check-prices.ts';

/** What is wrong with what the brief asks for, as far as it can be known before anything is run. */
export async function wrongInBrief(org: Org, tree: string, pinned: PinnedBrief): Promise<Problem[]> {
  const { run, score, tests, staff } = pinned.brief;
  const commands: readonly Started[] = [
    { stage: 'run', command: run },
    { stage: 'score', command: score },
    { stage: 'tests', command: tests },
    ...agentCommandsOf(pinned.brief).map((command): Started => ({ stage: 'agent', command })),
  ];
  const servers = [...serversOf(everybodyIn(staff)).values()].flatMap(({ name, reach }): Started[] =>
    reach.kind === 'command' ? [{ stage: 'agent', command: reach.command, at: ['mcp', name, 'command'] }] : [],
  );
  const started = [...commands, ...servers];
  const found = await Promise.all(started.map((one) => wrongCommand(org, tree, pinned, one)));
  return [
    ...found.filter((problem) => problem !== undefined),
    ...(await missingPrograms(org, pinned)),
    ...(await wrongPatterns(org, tree, pinned)),
    ...(await wrongPlaces(org, pinned)),
    ...(await unaskedPrices(org, pinned)),
    ...(await unboundCaps(org, pinned)),
  ];
}

/** Refuses the first of them: nobody should find in the morning that the harness was never there. */
export async function refuseWrongInBrief(org: Org, tree: string, pinned: PinnedBrief): Promise<void> {
  const [first] = await wrongInBrief(org, tree, pinned);
  if (first !== undefined) throw first;
}

/** A command of the brief. A stage of a measurement starts it, the tests of a win, or an agent in its bench. */
interface Started {
  readonly stage: 'run' | 'score' | 'tests' | 'agent';
  readonly command: string | undefined;
  /** Where the brief has it; left out, by the name of its stage. */
  readonly at?: readonly [string, ...string[]];
}

async function wrongCommand(
  org: Org,
  tree: string,
  pinned: PinnedBrief,
  { stage, command, at = [stage] }: Started,
): Promise<Problem | undefined> {
  const script = command === undefined ? undefined : scriptOf(command);
  const wrong = script && (await whyNot(org, tree, pinned, stage, script));
  const what = `${at.join('.')} ${wrong?.what}`;
  return wrong && problemInBrief(org, pinned, { code: 'harness/command', at, what, hint: wrong.hint });
}

async function whyNot(
  org: Org,
  tree: string,
  { brief }: PinnedBrief,
  stage: Started['stage'],
  { path, direct }: Script,
): Promise<{ readonly what: string; readonly hint: string } | undefined> {
  const zones = zonesOf(brief);
  const entry = await entryAt(org.repo, tree, path);
  if (entry === undefined) {
    const near = await nearestPath(org, tree, path);
    const otherwise = `Write ${path} and commit it, or change ${stage}.`;
    const hint = near === undefined ? otherwise : `Did you mean ${near}?`;
    return { what: `starts ${path}, and there is no such file in the last commit`, hint };
  }
  if (stage !== 'tests' && !zones.fixed.names(path) && !zones.sandbox.names(path)) {
    const when = stage === 'agent' ? "in an agent's bench" : 'when a candidate is measured';
    const what = `starts ${path}, which is not there ${when}`;
    return { what, hint: `Only harness, sandbox and include are: add include: [${path}].` };
  }
  if (stage !== 'score' && zones.holdout.names(path)) {
    const whom = { run: 'the first stage', tests: 'the tests', agent: 'agents' }[stage];
    const what = `starts ${path}, which holdout keeps from ${whom}`;
    return { what, hint: 'Take it out of holdout, or start something else.' };
  }
  if (stage === 'score' && brief.run !== undefined && !zones.fixed.names(path)) {
    const what = `starts ${path} of the sandbox, which the second stage never sees`;
    return { what, hint: `Put it into ${brief.harness}, out of reach of what it scores.` };
  }
  if (!direct) return undefined;
  if (isTree(entry)) return { what: `starts ${path}, which is a directory`, hint: 'Name the file in it that starts.' };
  if (entry.mode === '100644') {
    const what = `starts ${path}, which is not executable`;
    return { what, hint: `git update-index --chmod=+x ${path}, and commit it; or name the program that reads it.` };
  }
  return undefined;
}

/** The file of the repository that a command starts, and whether it is started itself or handed to an interpreter. */
export interface Script {
  readonly path: string;
  readonly direct: boolean;
}

/** `node harness/run.mjs`, `./harness/score.sh`, `uv run train.py`; undefined where that is uncertain. */
export function scriptOf(command: string): Script | undefined {
  const words = plainWords(command);
  const [program = ''] = words;
  if (program.includes('/')) return ownFile(program, true);
  const after = scriptAfter(words);
  return after === undefined ? undefined : ownFile(after, false);
}

/** The first words of a command, up to what a shell would read as more than words. */
function plainWords(command: string): readonly string[] {
  const words = command.trim().split(/\s+/);
  const special = words.findIndex((word) => !/^[\w./:@%+,=-]+$/.test(word));
  const plain = special === -1 ? words : words.slice(0, special);
  const first = plain.findIndex((word) => !/^\w+=/.test(word)); // Variables may be set before the command.
  return first === -1 ? [] : plain.slice(first);
}

const interpreters =
  /^(?:node|nodejs|bun|tsx|python(?:[23](?:\.\d+)?)?|sh|bash|dash|zsh|ksh|ruby|perl|php|lua|julia|Rscript)$/;
const starters = ['uv run', 'deno run', 'npx tsx'];

/** The word after the interpreter. One after an option may be the option's value, so nothing is said of that. */
function scriptAfter(words: readonly string[]): string | undefined {
  const isStarted = starters.includes(words.slice(0, 2).join(' '));
  const rest = isStarted ? words.slice(2) : words;
  const [first = '', second] = rest;
  if (interpreters.test(first)) return second?.startsWith('-') ? undefined : second;
  return isStarted && /\.\w+$/.test(first) ? first : undefined;
}

function ownFile(word: string, direct: boolean): Script | undefined {
  const path = tidyPath(word);
  return whyNoPath(path) === undefined ? { path, direct } : undefined;
}

/**
 * Paths of include and patterns of holdout that name no file: with a letter too few in holdout, the answers lie open
 * before every candidate.
 */
async function wrongPatterns(org: Org, tree: string, pinned: PinnedBrief): Promise<Problem[]> {
  const { brief } = pinned;
  const named = [
    ...brief.include.map((pattern, index) => ({ key: 'include', pattern, index, within: everywhere })),
    ...brief.holdout.map((pattern, index) => ({ key: 'holdout', pattern, index, within: zonesOf(brief).fixed })),
  ];
  const found = await Promise.all(
    named.map(async ({ key, pattern, index, within }) => {
      if (await namesAny(org, tree, pattern, within)) return undefined;
      const near = await nearestPath(org, tree, pattern);
      const meant = near !== undefined && (await namesAny(org, tree, near, within)) ? near : undefined;
      const what = `${key} names ${pattern}, and there is no such file in the last commit`;
      const hint = meant === undefined ? `Write it and commit it, or take it out of ${key}.` : `Did you mean ${meant}?`;
      return problemInBrief(org, pinned, { code: 'brief/paths', at: [key, String(index)], what, hint });
    }),
  );
  return found.filter((problem) => problem !== undefined);
}

/** Patterns of the sandbox that name no file: agents may still make some there, and more often a name is wrong. */
export async function emptySandbox(org: Org, tree: string, pinned: PinnedBrief): Promise<Problem[]> {
  const found = await Promise.all(
    pinned.brief.sandbox.map(async (pattern, index) => {
      if (await namesAny(org, tree, pattern, everywhere)) return undefined;
      const near = await nearestPath(org, tree, pattern);
      const what = `sandbox names ${pattern}, and there is no such file in the last commit`;
      const hint =
        near === undefined ? 'Agents can only add files there. Otherwise correct the path.' : `Did you mean ${near}?`;
      return problemInBrief(org, pinned, { code: 'brief/paths', at: ['sandbox', String(index)], what, hint });
    }),
  );
  return found.filter((problem) => problem !== undefined);
}

const everywhere: Globs = { names: () => true, leadsTo: () => true };

async function namesAny(org: Org, tree: string, pattern: string, within: Globs): Promise<boolean> {
  const { names, leadsTo } = readGlobs([pattern]);
  const files = await filesOf(
    org.repo,
    tree,
    (file) => names(file) && within.names(file),
    (dir) => leadsTo(dir) && within.leadsTo(dir),
  );
  return files.size > 0;
}

/** Two stages that hold nothing out: the judge and its answers lie beside the code that is judged. */
export async function openHarness(org: Org, pinned: PinnedBrief): Promise<Problem[]> {
  const { run, holdout, harness } = pinned.brief;
  if (run === undefined || holdout.length > 0) return [];
  const what = `there is no holdout: in stage 1 a candidate can read all of ${harness}, the judge and the answers too`;
  const hint = `Write holdout: [${judgeOf(pinned.brief)}] into the front matter, and whatever else only score reads.`;
  return [await problemInBrief(org, pinned, { code: 'brief/paths', at: ['run'], what, hint })];
}

/** What only the second stage starts, where that can be seen. */
function judgeOf(brief: Brief): string {
  const script = scriptOf(brief.score)?.path;
  const isOwn = script !== undefined && script !== scriptOf(brief.run ?? '')?.path;
  return isOwn && zonesOf(brief).fixed.names(script) ? script : `${brief.harness}/answers/**`;
}

/**
 * A path, or a pattern, with every part that the tree does not have replaced by the nearest one that it has. Undefined
 * when there is none. What follows a part with a glob in it is left as it is.
 */
export async function nearestPath(org: Org, tree: string, path: string): Promise<string | undefined> {
  const parts = path.split('/');
  const found: string[] = [];
  for (const part of parts) {
    if (/[*?[\]{}]/.test(part)) break;
    const dir = found.length === 0 ? tree : (await entryAt(org.repo, tree, found.join('/')))?.oid;
    const names = dir === undefined ? [] : [...(await readTree(org.repo, dir)).keys()];
    const near = names.includes(part) ? part : nearestName(part, names);
    if (near === undefined) return undefined;
    found.push(near);
  }
  const near = [...found, ...parts.slice(found.length)].join('/');
  return near === path ? undefined : near;
}
