import { briefValues } from '../brief/read/brief-text.ts';
import { entryAt, filesOf } from '../git/objects/tree.ts';
import { refuseUnsignedOrg } from '../org/force/endorse-org.ts';
import { type InForce, readInForce } from '../org/force/in-force.ts';
import type { PinnedBrief } from '../org/force/pin-brief.ts';
import { policiesDir } from '../org/force/policy-files.ts';
import { defaultCharter } from '../org/read/org-file.ts';
import { charterValues } from '../org/write/charter-values.ts';
import { readBest } from '../records/notebook/best-line.ts';
import type { Org } from '../records/org.ts';
import { decisionsNow } from '../records/requests/requests.ts';
import { readSignersAt } from '../records/signers.ts';
import { keyInWords, type Signer } from '../signing/allowed-signers.ts';
import { isProblem, orProblem, Problem } from '../text/problem.ts';
import { loginsIn } from './checks/check-logins.ts';
import { lookAtModels } from './checks/check-models.ts';
import { checkNight } from './checks/check-night.ts';
import { findReach } from './checks/check-search.ts';
import type { CheckedTrunk } from './open-checked.ts';
import { agentInWords, agentsOf, changesBetween, type Plan } from './org-plan.ts';

/**
 * What a run would do now, and what of it is new; starts nothing. What a night would stumble over is thrown. `measure` says whether
 * the harness may be run where nobody has a score yet.
 */
export async function makePlan(org: Org, opened: CheckedTrunk, measure: 'if-unknown' | 'never'): Promise<Plan> {
  const check = await checkNight(org, opened, measure, new AbortController().signal);
  refuseFirst(check.problems);
  const { pinned, start } = check;
  const models = await lookAtModels(org, check.tree, pinned);
  const unsigned = await orProblem(refuseUnsignedOrg(org, opened.tree));
  const warnings = [
    ...(isProblem(unsigned) ? [unsigned] : []),
    ...check.warnings,
    ...models.flatMap((news) => ('problem' in news ? [news.problem] : [])),
  ];
  const before = await readInForce(org);
  const policies = (await entryAt(org.repo, check.tree, policiesDir))?.oid;
  const charter = pinned.charter?.charter;
  const all = (): boolean => true;
  const files = await filesOf(org.repo, pinned.harness, all, all);
  return {
    name: charter?.file === undefined || charter.name === 'org' ? org.name : charter.name,
    lastRun: before?.run,
    file: pinned.file ?? 'program.md',
    brief: pinned.brief,
    briefId: pinned.blob,
    harness: { id: pinned.harness, files: Math.max(1, files.size) }, // A harness that is a file has no files in it.
    charter,
    agents: agentsOf(pinned.brief, charter),
    start,
    search: await findReach(org, (await readBest(org))?.tree ?? check.tree, pinned.brief),
    changes: [...changesSince(before, pinned, policies), ...(await changedSigners(org, opened.tree))],
    logins: await loginsIn(org, pinned.brief),
    warnings,
  };
}

/** A night that would stumble is not planned: doctor tells all of it. */
function refuseFirst(problems: readonly Problem[]): void {
  const [first, ...more] = problems;
  if (first === undefined) return;
  const rest = more.length === 0 ? '' : `\n${more.length} more: orgrepo doctor`;
  throw new Problem(first.code, first.message, `${first.hint}${rest}`, first.place);
}

/** Before the first run everything is new, and neither the brief's keys nor the org's values are worth a line each. */
function changesSince(before: InForce | undefined, now: PinnedBrief, policies: string | undefined): Plan['changes'] {
  const was = before?.pinned;
  if (was === undefined) return changesBetween(new Map(), partsOf(now, policies));
  const parts = new Map(partsOf(was, before?.policies));
  if (before?.run === undefined) for (const part of ['harness', 'brief']) parts.delete(part); // Nothing was measured yet.
  return changesBetween(
    new Map([...parts, ...keysOf(was), ...valuesOf(was)]),
    new Map([...partsOf(now, policies), ...keysOf(now), ...valuesOf(now)]),
  );
}

/** People must see whose keys they let in before they sign. */
async function changedSigners(org: Org, tree: string): Promise<Plan['changes']> {
  const before = (await decisionsNow(org)).signing?.signers ?? [];
  return changesBetween(signersInWords(before), signersInWords((await readSignersAt(org, tree)) ?? []));
}

const signersInWords = (signers: readonly Signer[]): ReadonlyMap<string, string> =>
  new Map(signers.map((one) => [`signers.${one.names.join(',')}.${one.key.fingerprint}`, keyInWords(one)]));

const partsOf = ({ brief, blob, harness, charter }: PinnedBrief, policies: string | undefined): Map<string, string> =>
  new Map([
    ...agentsOf(brief, charter?.charter).map((agent) => [`agents.${agent.id}`, agentInWords(agent)] as const),
    ['harness', harness] as const,
    ['brief', blob] as const,
    ...(policies === undefined ? [] : [['policies', policies] as const]),
  ]);

/** The agents say already who works, and the harness has its id. */
const keysOf = ({ brief }: PinnedBrief): ReadonlyMap<string, string> =>
  new Map([...briefValues(brief)].filter(([key]) => !['juniors', 'agent', 'agent.command', 'harness'].includes(key)));

/** Where there is no file the values of the default org are in force. */
const valuesOf = ({ charter }: PinnedBrief): ReadonlyMap<string, string> =>
  charterValues(charter?.charter ?? defaultCharter());
