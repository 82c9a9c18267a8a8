import path from 'node:path';
import { type Checkpoint, checkpointFile, formatCheckpoint, parseCheckpoint } from '../domain/words/checkpoint.ts';
import { editTree, entryAt, newObject, readTree, storeObject, type TreeEntry } from '../git/objects/tree.ts';
import { listRefs } from '../git/refs/ref-files.ts';
import {
  appliedRef,
  bestRef,
  checkpointsRef,
  decisionsRef,
  queueRef,
  reportsRef,
  spendRefs,
  tipsRefs,
  traceRef,
  workRef,
} from '../git/refs/ref-names.ts';
import { type MachineKey, openMachineKey } from '../signing/machine-key.ts';
import { readSshKey } from '../signing/ssh-key.ts';
import { checkSignature, signText } from '../signing/ssh-signature.ts';
import { rememberSeen } from './checkpoint-id.ts';
import { type BookEntry, readTip, writeEntry } from './entry.ts';
import { type Org, trunkOf, trunkTip } from './org.ts';
import { readQueue } from './queue/queue.ts';

/** What a machine's signature below a checkpoint is for. */
const checkpointNamespace = 'orgrepo-checkpoint@1';

export const isCheckpoint = ({ event }: Pick<BookEntry, 'event'>): boolean => event === 'checkpoint';

/** A person's signature below a checkpoint, with their name in `allowed_signers`. */
export interface Countersigned {
  readonly by: string;
  readonly signature: string;
}

/**
 * Signs where all refs are now, above the last checkpoint. It is the only thing that orgrepo signs by itself. A person may sign
 * the same text as well.
 */
export async function writeCheckpoint(
  org: Org,
  why: string,
  countersign?: (text: string) => Promise<Countersigned>,
): Promise<string> {
  const own = openMachineKey(path.join(org.repo.gitDir, 'orgrepo'));
  for (;;) {
    const tip = await readTip(org, checkpointsRef);
    const before = tip && (await readCheckpoint(org, tip.commit.tree)).checkpoint;
    const trunk = await trunkTip(org);
    const checkpoint: Checkpoint = {
      ...{ org: before?.org ?? trunk, number: (before?.number ?? 0) + 1, previous: tip?.commit.oid, host: org.host },
      machine: lineOf(own),
      at: Math.floor(Date.now() / 1000),
      tips: await tipsIn(org, trunk),
    };
    const text = formatCheckpoint(checkpoint);
    const signature = signText(text, checkpointNamespace, own.private, own.key.blob);
    const person = await countersign?.(text);
    const signatures = { ...(person && { [`${checkpointFile}.${person.by}.sig`]: person.signature }) };
    const commit = await writeEntry(org, {
      tree: await treeWith(org, { [checkpointFile]: text, [`${checkpointFile}.sig`]: signature, ...signatures }),
      parents: [tip?.commit.oid ?? trunk],
      agent: person === undefined ? 'orgrepo' : undefined,
      title: `checkpoint: ${checkpoint.number}, ${why}`,
      trailers: {
        ...{ Event: 'checkpoint', Number: checkpoint.number, Host: org.host, Signer: own.key.fingerprint },
        By: person?.by,
      },
    });
    await org.repo.store.sync(); // What it names must not be younger than its name after a power failure.
    if (!(await org.repo.refs.move(checkpointsRef, commit, tip?.commit.oid))) continue;
    rememberSeen(org, checkpoint.number, commit);
    return commit;
  }
}

/** The public key of this machine, in this clone, as checkpoints and statements name it. */
export const machineOf = (org: Org): string => lineOf(openMachineKey(path.join(org.repo.gitDir, 'orgrepo')));

const lineOf = ({ key }: MachineKey): string => `${key.type} ${key.blob.toString('base64')}`;

/** A checkpoint as it stands in a tree, and whether the key that it names has signed it. */
export interface SignedCheckpoint {
  readonly checkpoint: Checkpoint | undefined;
  /** Of the key that signed. */
  readonly fingerprint: string;
  /** What is wrong with it; undefined where it holds. */
  readonly wrong: string | undefined;
}

export async function readCheckpoint(org: Org, tree: string): Promise<SignedCheckpoint> {
  const [text, signature] = await Promise.all(
    [checkpointFile, `${checkpointFile}.sig`].map((file) => textAt(org, tree, file)),
  );
  const checkpoint = text === undefined ? undefined : parseCheckpoint(text);
  if (text === undefined || checkpoint === undefined)
    return { checkpoint, fingerprint: '', wrong: 'it is not a checkpoint, or it is damaged' };
  const signed = checkSignature(text, signature ?? '', checkpointNamespace);
  if (typeof signed === 'string') return { checkpoint, fingerprint: '', wrong: signed };
  const machine = readSshKey(Buffer.from(checkpoint.machine.split(' ')[1] ?? '', 'base64'));
  const isOwn = typeof machine !== 'string' && machine.blob.equals(signed.key.blob);
  const { fingerprint } = signed.key;
  return { checkpoint, fingerprint, wrong: isOwn ? undefined : `another key than it names has signed it` };
}

/** The people's signatures below the checkpoint in a tree. */
export async function readCountersigned(org: Org, tree: string): Promise<readonly Countersigned[]> {
  const names = [...(await readTree(org.repo, tree)).keys()];
  const found = names.flatMap((name) => {
    const by = countersignedForm.exec(name)?.[1];
    return by === undefined ? [] : [{ by, name }];
  });
  return Promise.all(found.map(async ({ by, name }) => ({ by, signature: (await textAt(org, tree, name)) ?? '' })));
}

export const countersignedForm = /^checkpoint\.(.+)\.sig$/;

/** What a person's signature below a checkpoint is for. */
export const countersignNamespace = 'orgrepo-countersign@1';

/** The trunk, and every branch and book that only grows. A closed notebook is pinned by the queue. */
async function tipsIn(org: Org, trunk: string): Promise<ReadonlyMap<string, string>> {
  const { refs } = await listRefs(org.repo, ['refs/heads/orgrepo', 'refs/orgrepo']);
  const specs = (await readQueue(org))?.specs ?? [];
  const lasting = new Set([
    ...[queueRef, bestRef, reportsRef, appliedRef, decisionsRef, traceRef(undefined)],
    ...specs.map(({ id }) => workRef(id)),
  ]);
  const isPinned = (ref: string): boolean =>
    lasting.has(ref) || [spendRefs, tipsRefs].some((prefix) => ref.startsWith(prefix));
  return new Map([[trunkOf(org), trunk], ...[...refs].filter(([ref]) => isPinned(ref))]);
}

async function treeWith(org: Org, files: Readonly<Record<string, string>>): Promise<string> {
  const entries = Object.entries(files).map(([name, text]): [string, TreeEntry] => [
    name,
    { mode: '100644', oid: storeObject(org.repo, newObject(org.repo.hash, 'blob', text)) },
  ]);
  const { oid, objects } = await editTree(org.repo, undefined, new Map(entries));
  for (const object of objects) storeObject(org.repo, object);
  return oid;
}

async function textAt(org: Org, tree: string, file: string): Promise<string | undefined> {
  const entry = await entryAt(org.repo, tree, file);
  const found = entry && (await org.repo.reader.read(entry.oid));
  return found?.type === 'blob' ? found.content.toString('utf8') : undefined;
}
