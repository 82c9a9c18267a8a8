import { existsSync, lstatSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { benchName } from '../../domain/staff/staff.ts';
import type { Spec } from '../../domain/words/spec.ts';
import { editTree, newObject, storeObject, type TreeEntry } from '../../git/objects/tree.ts';
import { sweepPacks } from '../../git/packs/pack-files.ts';
import { wipRef } from '../../git/refs/ref-names.ts';
import { benchesDir, worktreeAt } from '../../git/worktree.ts';
import { readBrief } from '../../org/force/pin-brief.ts';
import { pace } from '../../process/pace.ts';
import { endProcessesIn, startOf } from '../../process/run-process.ts';
import { readEntry, writeEntry } from '../../records/entry.ts';
import { liveNotebooks } from '../../records/notebook/history.ts';
import type { Notebook } from '../../records/notebook/notebook.ts';
import type { Org } from '../../records/org.ts';
import { readQueue } from '../../records/queue/queue.ts';
import { readKeeps } from '../../records/requests/requests.ts';
import { emptyDirectory, readDirectory, removeRubbish } from '../../score/arena/arena-directory.ts';
import { isAbandoned, roomsDir } from '../../score/arena/measuring-room.ts';
import { entriesOfZones } from '../../score/arena/trial-files.ts';
import { zonesOf } from '../../score/judge/boundary.ts';
import { findSecret } from '../../secrets/known-secrets.ts';
import { whyBadPath } from '../../text/paths.ts';
import { closeSpec } from '../claim/claim.ts';
import { savedCandidate } from '../claim/claim-commits.ts';
import { repairRefs, restoreLost } from './repair-refs.ts';
import { findStray, type Stray, setAside } from './strays.ts';

/** A claim that an earlier run left open, with the candidate it had saved but not judged. */
export interface Left {
  readonly spec: Spec;
  readonly notebook: Notebook;
  readonly saved: { readonly commit: string; readonly n: number } | undefined;
}

export interface Recovered {
  readonly left: readonly Left[];
  /** Specs whose win still waits for a person's decision. */
  readonly waiting: readonly string[];
  /** The highest number that any experiment has, recorded or only saved. */
  readonly experiments: number;
  /** What was lost or a power failure had damaged, and what became of it. */
  readonly repaired: readonly string[];
  /** What another clone had saved and nobody adopts here, in words. */
  readonly refused: string | undefined;
}

/** The one way back, whatever the cause: what is in git is true, what is elsewhere is swept away. */
export async function recover(org: Org): Promise<Recovered> {
  await endLeftovers(org);
  sweepAside(org);
  await clearOwnLocks(org);
  const restored = await restoreLost(org);
  const repaired = [...restored, ...(await repairRefs(org))];
  const queue = await readQueue(org);
  if (queue === undefined) return { left: [], waiting: [], experiments: 0, repaired, refused: undefined };
  const left: Left[] = [];
  let experiments = queue.ledger.experiments;
  const notebooks = await liveNotebooks(org, queue);
  const refused = await setAside(org, await findStrays(org, notebooks));
  const open = (await readKeeps(org, queue, notebooks)).filter(({ answer }) => answer === undefined);
  const waiting = open.map(({ experiment }) => experiment.spec);
  for (const notebook of notebooks) {
    const spec = queue.specs.find((one) => one.id === notebook.spec) as Spec;
    const candidate = await savedCandidate(org, spec.id);
    const recorded = notebook.experiments.some((one) => one.tried === candidate?.commit);
    const saved = Math.max(experiments, candidate?.n ?? 0);
    experiments = notebook.experiments.reduce((most, one) => Math.max(most, one.n), saved);
    if (notebook.done) await closeSpec(org, spec, notebook.agent);
    else if (waiting.includes(spec.id)) continue;
    else left.push({ spec, notebook, saved: recorded ? undefined : candidate });
  }
  for (const one of left) await saveUnfinished(org, one);
  return { left, waiting, experiments, repaired, refused };
}

async function findStrays(org: Org, notebooks: readonly Notebook[]): Promise<readonly Stray[]> {
  const given = new Map(notebooks.flatMap(({ spec, experiments }) => experiments.map(({ n }) => [n, spec] as const)));
  const found = await Promise.all(notebooks.map((notebook) => findStray(org, notebook, given)));
  return found.filter((stray) => stray !== undefined);
}

/**
 * Ends what a killed orgrepo left running, and removes the directories it measured in. An agent that goes on in its
 * bench would write into the next one's work; a person who looks around there is not an agent.
 */
async function endLeftovers(org: Org): Promise<void> {
  const benches = path.join(org.repo.root, benchesDir);
  const rooms = path.join(org.repo.root, roomsDir);
  endProcessesIn(benches, (cwd, environment) => {
    const room = path.relative(rooms, cwd).split(path.sep)[0] ?? '';
    return /^[0-9]+-/.test(room) ? isAbandoned(room) : /(^|\0)ORGREPO_ATTEMPT=/.test(environment);
  });
  for (const name of existsSync(rooms) ? readdirSync(rooms).filter(isAbandoned) : [])
    await removeRubbish(path.join(rooms, name));
}

/** What a killed process had put beside the run lock on its way to somewhere else. */
function sweepAside(org: Org): void {
  const dir = path.join(org.repo.gitDir, 'orgrepo');
  for (const name of existsSync(dir) ? readdirSync(dir) : []) {
    const pid = /^(?:run\.lock|plain|secret|left|packing|packs)\.([0-9]+)/.exec(name)?.[1];
    const abandoned =
      pid === undefined ? name.startsWith('worktree-') || name === 'measured.new' : startOf(Number(pid)) === '';
    if (abandoned) rmSync(path.join(dir, name), { recursive: true, force: true });
  }
  sweepPacks(org.repo);
}

/** A git process of ours that was killed leaves its lock behind; nobody else writes these refs for longer than a blink. */
async function clearOwnLocks(org: Org): Promise<void> {
  const roots = ['refs/heads/orgrepo', 'refs/orgrepo'].map((name) => path.join(org.repo.gitDir, name));
  const files = roots
    .filter((root) => existsSync(root))
    .flatMap((root) => {
      const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
      return names.map((name) => path.join(root, name));
    });
  const locks = files.filter((file) => file.endsWith('.lock'));
  const stamp = (file: string): string => {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat === undefined ? '' : `${stat.ino} ${stat.mtimeMs}`;
  };
  const before = new Map(locks.map((file) => [file, stamp(file)]));
  if (before.size === 0) return;
  await wait(pace().staleLockMs);
  for (const [file, was] of before) if (was !== '' && stamp(file) === was) rmSync(file, { force: true });
}

const checkEdits = async (org: Org, commit: string | undefined): Promise<boolean> =>
  commit !== undefined && (await readEntry(org, commit))?.event === 'wip';

/** Edits that an agent had not offered yet are kept on the spec's wip ref before its bench is laid out anew. */
async function saveUnfinished(org: Org, { spec, notebook, saved }: Left): Promise<void> {
  const { repo } = org;
  const { dir } = worktreeAt(repo, benchName(notebook.agent, spec.id));
  if (lstatSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  const zones = zonesOf(await readBrief(org, notebook.brief, notebook.line.tree));
  const state = readDirectory(repo, dir, emptyDirectory, () => true, '.git');
  const base = await entriesOfZones(repo, notebook.line.tree, zones);
  const edits = new Map(
    [...state.files].filter(
      ([file, found]) =>
        zones.sandbox.names(file) &&
        (base.has(file) || whyBadPath(file) === undefined) && // What git would not send on must not be in history.
        found.mode.startsWith('100') &&
        findSecret(file) === undefined &&
        (found.content === undefined || findSecret(found.content) === undefined) &&
        base.get(file)?.oid !== found.oid,
    ),
  );
  const gone = [...base.keys()].filter((file) => zones.sandbox.names(file) && !state.files.has(file));
  if (edits.size + gone.length === 0) return;
  const changes = new Map<string, TreeEntry | undefined>(gone.map((file) => [file, undefined]));
  for (const [file, { mode, oid }] of edits) changes.set(file, { mode, oid });
  const built = await editTree(repo, notebook.line.tree, changes);
  const before = await repo.reader.resolve(wipRef(spec.id));
  const known = before === undefined ? undefined : (await repo.reader.read(`${before}^{tree}`))?.oid;
  if (known === built.oid) return; // Just the candidate that was saved anyway.
  for (const found of edits.values())
    if (found.content !== undefined) storeObject(repo, newObject(repo.hash, 'blob', found.content));
  for (const object of built.objects) storeObject(repo, object);
  const commit = await writeEntry(org, {
    tree: built.oid,
    // What was saved before stays reachable: the person who deleted a bench may want it back.
    parents: [saved?.commit ?? notebook.line.tip, ...((await checkEdits(org, before)) ? [before as string] : [])],
    agent: notebook.agent,
    title: `wip: ${spec.id}, edits that were not offered`,
    trailers: { Event: 'wip', Spec: spec.id, Agent: notebook.agent, Host: org.host },
  });
  await repo.refs.move(wipRef(spec.id), commit, before);
}
