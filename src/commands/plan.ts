import { agentsOf, type Change, changesBetween, type Plan } from '../domain/plan.ts';
import { Problem } from '../domain/problem.ts';
import { filesOf } from '../git/tree.ts';
import type { PinnedBrief } from '../records/brief.ts';
import { readLastRun } from '../records/last-run.ts';
import type { Org } from '../records/org.ts';
import { checkNight } from '../steps/check-night.ts';
import { briefValues } from '../text/brief-values.ts';
import { formatJson } from '../views/json.ts';
import { formatPlan, planJson } from '../views/plan.ts';
import type { Command } from './command.ts';
import { jailOption, readJail } from './jail-option.ts';
import { withOrg } from './with-org.ts';

export const command: Command = {
  name: 'plan',
  summary: 'What a run would do: who works, what is measured, what has changed since the last run. Starts nothing.',
  arguments: [],
  options: {
    'exit-code': { type: 'boolean', help: 'exit 10 when something has changed since the last run' },
    'no-measure': { type: 'boolean', help: 'do not run the harness, whatever that leaves unknown' },
    ...jailOption,
  },
  examples: ['npx orgrepo plan', 'npx orgrepo plan --json --exit-code'],
  run: (call) =>
    withOrg(
      call,
      async (org) => {
        const plan = await makePlan(org, call.flag('no-measure'));
        call.out(call.json ? `${formatJson(planJson(plan))}\n` : formatPlan(plan, call.look));
        return call.flag('exit-code') && plan.changes.length > 0 ? 10 : 0;
      },
      readJail(call),
    ),
};

async function makePlan(org: Org, unmeasured: boolean): Promise<Plan> {
  const check = await checkNight(org, unmeasured ? 'never' : 'if-unknown', new AbortController().signal);
  refuseFirst(check.problems);
  const { pinned, start, warnings } = check;
  const last = await readLastRun(org);
  return {
    name: org.name,
    lastRun: last?.run,
    file: pinned.file ?? 'program.md',
    brief: pinned.brief,
    briefId: pinned.blob,
    harness: { id: pinned.harness, files: await countFiles(org, pinned.harness) },
    agents: agentsOf(pinned.brief),
    start,
    changes: changesSince(last?.pinned, pinned),
    warnings,
  };
}

/** A night that would stumble is not planned: doctor tells all of it. */
function refuseFirst(problems: readonly Problem[]): void {
  const [first, ...more] = problems;
  if (first === undefined) return;
  const rest = more.length === 0 ? '' : `\n${more.length} more: npx orgrepo doctor`;
  throw new Problem(first.code, first.message, `${first.hint}${rest}`, first.place);
}

/** Before the first run everything is new, and the brief's keys are not worth a line each. */
function changesSince(before: PinnedBrief | undefined, now: PinnedBrief): readonly Change[] {
  if (before === undefined) return changesBetween(new Map(), partsOf(now));
  return changesBetween(new Map([...partsOf(before), ...keysOf(before)]), new Map([...partsOf(now), ...keysOf(now)]));
}

const partsOf = ({ brief, blob, harness }: PinnedBrief): ReadonlyMap<string, string> =>
  new Map([
    ...agentsOf(brief).map(({ id, agent }) => [`agents.${id}`, agent] as const),
    ['harness', harness] as const,
    ['brief', blob] as const,
  ]);

/** The agents say already who works, and the harness has its id. */
const keysOf = ({ brief }: PinnedBrief): ReadonlyMap<string, string> =>
  new Map([...briefValues(brief)].filter(([key]) => !['juniors', 'agent', 'agent.command', 'harness'].includes(key)));

async function countFiles(org: Org, harness: string): Promise<number> {
  const all = (): boolean => true;
  return Math.max(1, (await filesOf(org.repo, harness, all, all)).size); // A harness that is a file has no files in it.
}
