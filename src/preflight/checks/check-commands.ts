import { serversOf } from '../../brief/read/brief-servers.ts';
import { everybodyIn } from '../../domain/staff/staff.ts';
import { entryAt, isTree } from '../../git/objects/tree.ts';
import { type PinnedBrief, problemInBrief } from '../../org/force/pin-brief.ts';
import type { Org } from '../../records/org.ts';
import { zonesOf } from '../../score/arena/zone-files.ts';
import type { Problem } from '../../text/problem.ts';
import { nearestPath } from '../nearest-path.ts';
import { wrongPatterns } from './check-patterns.ts';
import { wrongPlaces } from './check-places.ts';
import { unaskedPrices, unboundCaps } from './check-prices.ts';
import { missingPrograms } from './check-programs.ts';
import { type Script, scriptOf } from './command-script.ts';

/** What is wrong with what the brief asks for, as far as it can be known before anything is run. */
export async function wrongInBrief(org: Org, tree: string, pinned: PinnedBrief): Promise<Problem[]> {
  const { run, score, staff } = pinned.brief;
  const agents = everybodyIn(staff).flatMap((choice) => (choice.kind === 'command' ? [choice.command] : []));
  const commands = [
    { who: 'run', command: run } as const,
    { who: 'score', command: score } as const,
    ...[...new Set(agents)].map((command) => ({ who: 'agent', command }) as const),
  ];
  const servers = [...serversOf(everybodyIn(staff)).values()].flatMap(({ name, reach }) =>
    reach.kind === 'command' ? [{ at: ['mcp', name, 'command'] as const, command: reach.command }] : [],
  );
  const found = await Promise.all([
    ...commands.map(({ who, command }) => wrongCommand(org, tree, pinned, who, command)),
    ...servers.map(({ at, command }) => wrongCommand(org, tree, pinned, 'agent', command, at)),
  ]);
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

/** Who starts it: a stage of a measurement, or an agent in its bench. */
type Starter = 'run' | 'score' | 'agent';

async function wrongCommand(
  org: Org,
  tree: string,
  pinned: PinnedBrief,
  stage: Starter,
  command: string | undefined,
  at: readonly [string, ...string[]] = [stage],
): Promise<Problem | undefined> {
  const script = command === undefined ? undefined : scriptOf(command);
  const wrong = script && (await whyNot(org, tree, pinned, stage, script));
  return wrong && problemInBrief(org, pinned, 'harness/command', at, `${at.join('.')} ${wrong.what}`, wrong.hint);
}

async function whyNot(
  org: Org,
  tree: string,
  { brief }: PinnedBrief,
  stage: Starter,
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
  if (!zones.fixed.names(path) && !zones.sandbox.names(path)) {
    const when = stage === 'agent' ? "in an agent's bench" : 'when a candidate is measured';
    const what = `starts ${path}, which is not there ${when}`;
    return { what, hint: `Only harness, sandbox and include are: add include: [${path}].` };
  }
  if (stage !== 'score' && zones.holdout.names(path)) {
    const what = `starts ${path}, which holdout keeps from ${stage === 'agent' ? 'agents' : 'the first stage'}`;
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
