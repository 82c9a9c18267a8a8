import { isAnybody } from '../domain/rules/request.ts';
import type { CulturePreset } from '../domain/staff/charter.ts';
import { isSpecId, type Spec, specFileName, specIdOf } from '../domain/words/spec.ts';
import { entryAt, readTree } from '../git/objects/tree.ts';
import { workRef } from '../git/refs/ref-names.ts';
import { checkSigners } from '../org/force/endorse-org.ts';
import { withSpawned } from '../org/force/in-force.ts';
import { type PinnedBrief, parseWithoutSecrets, pinBrief } from '../org/force/pin-brief.ts';
import { refuseIgnored } from '../org/read/org-limits.ts';
import { refuseWrongPolicies } from '../policy/policy-decider.ts';
import { readEntry } from '../records/entry.ts';
import { type Org, trunkTip } from '../records/org.ts';
import { contradictions, parseBranchesTable } from '../records/queue/branches-table.ts';
import type { Queue, QueueChange } from '../records/queue/queue.ts';
import { formatSpec, parseSpec } from '../records/queue/spec-text.ts';
import { contentOf } from '../score/arena/arena-directory.ts';
import { entriesOfZones } from '../score/arena/trial-files.ts';
import { zonesOf } from '../score/judge/boundary.ts';
import { hideSecrets } from '../secrets/known-secrets.ts';
import { decodeText } from '../text/decode.ts';
import { showPath } from '../text/paths.ts';
import { cleanLine, Problem, problemAt } from '../text/problem.ts';

/** What people committed for a night, read and checked, with the agents that leads have spawned since. */
export interface CheckedTrunk {
  /** The trunk's commit and its tree. */
  readonly trunk: string;
  readonly tree: string;
  readonly pinned: PinnedBrief;
  readonly specs: readonly TrunkSpec[];
  readonly hasBranchesTable: boolean;
  /** What the policies warn of. */
  readonly policyWarnings: readonly Problem[];
}

/** The one opening of `run`, `plan`, `doctor` and `apply`. Throws the first file that cannot be used. */
export async function openChecked(
  org: Org,
  { culture }: { readonly culture?: CulturePreset | undefined } = {},
): Promise<CheckedTrunk> {
  const trunk = await trunkTip(org);
  const ofTrunk = await pinBrief(org, trunk, { culture });
  refuseIgnored(ofTrunk.charter);
  const tree = (await readEntry(org, trunk))?.commit.tree ?? '';
  const hasBranchesTable = await checkBranchesTable(org, tree);
  const specs = await readTrunkSpecs(org, tree);
  await checkNames(org, tree, ofTrunk);
  const people = (ofTrunk.charter?.charter.people ?? []).filter((person) => !isAnybody(person));
  const [first] = people;
  if (first !== undefined && !people.some(({ mayPause }) => mayPause))
    throw problemAt(
      'org/approval',
      first.place,
      'no person in ORG.md may pause, freeze or thaw the org',
      'Take out "Can pause: no" below one of them.',
    );
  const able = await checkSigners(org, tree, people);
  const policyWarnings = await refuseWrongPolicies(org, tree, people, able);
  return { trunk, tree, pinned: await withSpawned(org, ofTrunk), specs, hasBranchesTable, policyWarnings };
}

/** A spec that people keep on the trunk. */
export interface TrunkSpec {
  readonly file: string;
  readonly blob: string;
  readonly spec: Spec;
}

/** Where the queue remembers which of the trunk's specs it has had: one line each, `file blob id`. */
const register = 'specs/.trunk';

/** The specs on the trunk; one that cannot be read is a Problem before anything is written. */
async function readTrunkSpecs(org: Org, tree: string): Promise<TrunkSpec[]> {
  const dir = await entryAt(org.repo, tree, 'specs');
  const found: TrunkSpec[] = [];
  for (const [name, entry] of dir === undefined ? [] : await readTree(org.repo, dir.oid)) {
    if (!name.endsWith('.md') || name.toLowerCase() === 'readme.md') continue;
    const file = `specs/${name}`;
    if (!entry.mode.startsWith('100'))
      throw new Problem('spec/syntax', `${file} is not a regular file`, 'Make it one, or take it out.', { file });
    const text = decodeText(await contentOf(org.repo, entry.oid), file, 'spec/syntax');
    const spec = parseWithoutSecrets(text, (shown) => parseSpec(shown, file));
    const twin = found.find((other) => other.spec.id === spec.id);
    if (twin !== undefined) {
      const what = `${file}: id ${spec.id} is also that of ${twin.file}`;
      throw new Problem('spec/id', what, 'Give one of them another number.', { file });
    }
    found.push({ file, blob: entry.oid, spec });
  }
  return found;
}

/** A spec of the trunk whose number somebody else's has: people look for it under the one that they wrote. */
export interface Renumbered {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** The title of whose number it is, where that is still on the queue. */
  readonly taker: string | undefined;
}

export const renumberedInWords = ({ file, from, to, taker }: Renumbered): string =>
  `${showPath(hideSecrets(file))} is ${to} on the queue: ${from} is ${taker === undefined ? 'an earlier spec' : `"${taker}"`}`;

/** Puts the trunk's specs on the queue, once each; a number that is taken is replaced by the next free one. */
export async function importSpecs(
  org: Org,
  queue: Queue,
  specs: readonly TrunkSpec[],
): Promise<Pick<QueueChange, 'files' | 'ledger'> & { added: Spec[]; renumbered: Renumbered[] }> {
  const listed = await entryAt(org.repo, queue.tree, register);
  const lines = listed === undefined ? [] : (await contentOf(org.repo, listed.oid)).toString('utf8').split('\n');
  const had = new Map(
    lines.flatMap((line) => {
      const [file = '', blob = '', id = ''] = line.split(' ');
      return file === '' ? [] : [[file, { blob, id }] as const];
    }),
  );
  const files = new Map<string, string | undefined>();
  const added: Spec[] = [];
  const renumbered: Renumbered[] = [];
  let highest = queue.ledger.specs;
  for (const { file, blob, spec } of specs) {
    const before = had.get(file);
    const claimed = async (id: string): Promise<boolean> => (await org.repo.reader.resolve(workRef(id))) !== undefined;
    if (before !== undefined && (before.blob === blob || !isSpecId(before.id) || (await claimed(before.id)))) continue;
    const taken =
      before === undefined &&
      (queue.files.has(spec.id) || added.some((one) => one.id === spec.id) || (await claimed(spec.id)));
    const id = before?.id ?? (taken ? specIdOf(highest + 1) : spec.id);
    if (taken) {
      const taker = [...queue.specs, ...added].find((one) => one.id === spec.id)?.title;
      const title = taker === undefined ? undefined : cleanLine(hideSecrets(taker), 60);
      renumbered.push({ file, from: spec.id, to: id, taker: title });
    }
    highest = Math.max(highest, Number(id));
    const numbered = { ...spec, id, title: hideSecrets(spec.title) }; // Before it is cut.
    const old = queue.files.get(id);
    if (old !== undefined) files.set(old, undefined);
    files.set(`specs/${specFileName(numbered)}`, formatSpec(numbered));
    had.set(file, { blob, id });
    added.push(numbered);
  }
  if (added.length > 0)
    files.set(register, `${[...had].map(([file, { blob, id }]) => `${file} ${blob} ${id}`).join('\n')}\n`);
  return { files, ledger: { specs: highest }, added, renumbered };
}

/** Refuses to start when branches.md promises people something else than what orgrepo does. Says whether there is one. */
async function checkBranchesTable(org: Org, tree: string): Promise<boolean> {
  const entry = await entryAt(org.repo, tree, 'branches.md');
  if (entry === undefined) return false;
  const text = (await contentOf(org.repo, entry.oid)).toString('utf8');
  const [wrong] = contradictions(parseBranchesTable(text), org.repo.head?.slice('refs/heads/'.length));
  if (wrong === undefined) return true;
  const { line, message } = wrong;
  const hint = 'Make the row say what orgrepo does, or take it out.';
  throw new Problem('branches/contradiction', `branches.md:${line}: ${message}`, hint, { file: 'branches.md', line });
}

/** A file that a bench needs must have a name that can be written on every side: as text. */
async function checkNames(org: Org, tree: string, pinned: PinnedBrief): Promise<void> {
  for (const [file, { rawName }] of await entriesOfZones(org.repo, tree, zonesOf(pinned.brief))) {
    if (rawName === undefined) continue;
    const shown = file.slice(0, file.indexOf('\0'));
    const what = `${shown} has a name that is not UTF-8, and sandbox, harness or include hold it`;
    throw new Problem('brief/paths', what, 'Rename it: git mv', { file: shown });
  }
}
