import { benchName, person } from '../../domain/staff/staff.ts';
import type { Spec } from '../../domain/words/spec.ts';
import { entryAt } from '../../git/objects/tree.ts';
import { readEntry, writeEntry } from '../entry.ts';
import { type Notebook, readNotebook } from '../notebook/notebook.ts';
import type { Org } from '../org.ts';
import { changeQueue, type Queue } from './queue.ts';

/**
 * What a person said last about a spec that waits for them: `offer <commit>` or `close`, in a file of the queue. One ref
 * moves, so it is said or it is not, and of two who say it at once the later one is the later commit.
 */
type OfferAnswer = { readonly kind: 'offer'; readonly commit: string } | { readonly kind: 'close' };

/** A spec that waits for a person, or will. */
export type PersonsSpec = Awaited<ReturnType<typeof personsSpecs>>[number];

/** `inbox/human-0012` */
export const wordFile = (spec: string): string => `inbox/${benchName(person, spec)}`;

/**
 * The open specs that are a person's, each with its notebook as soon as a run has claimed it for them, and the word that they
 * said and no run has answered yet.
 */
export async function personsSpecs(org: Org, queue: Queue) {
  const notebooks = await Promise.all(queue.specs.map((spec) => readNotebook(org, spec.id)));
  const mine = queue.specs
    .map((spec, index) => ({ spec, notebook: notebooks[index] }))
    .filter(({ spec, notebook }) => (notebook === undefined ? spec.role : notebook.agent) === person)
    .filter(({ notebook }) => notebook?.done !== true);
  return Promise.all(
    mine.map(async ({ spec, notebook }) => {
      const word = await readOfferAnswer(org, queue, spec.id);
      const answered = word?.kind === 'offer' && notebook?.experiments.some((one) => one.offer === word.commit);
      return { spec, notebook, word: answered ? undefined : word };
    }),
  );
}

/** The person's last word on a spec, answered or not. Anybody can write to the queue, so other commits are skipped. */
export async function readOfferAnswer(org: Org, queue: Queue, spec: string): Promise<OfferAnswer | undefined> {
  const file = await entryAt(org.repo, queue.tree, wordFile(spec));
  const found = file?.mode.startsWith('100') ? await org.repo.reader.read(file.oid) : undefined;
  const [, close, commit] =
    /^(?:(close)|offer ([0-9a-f]{40,64}))\n$/.exec(found?.content.toString('latin1') ?? '') ?? [];
  if (close !== undefined) return { kind: 'close' };
  const offer = commit === undefined ? undefined : await readEntry(org, commit);
  if (offer?.event !== 'offer' || offer.get('Spec') !== spec) return undefined;
  return { kind: 'offer', commit: offer.commit.oid };
}

/** A tree that a person offers, as a commit that names the line it was built on. It is on no branch yet. */
export function writeOffer(
  org: Org,
  { spec, brief, harness, line }: Notebook,
  offered: { readonly tree: string; readonly title: string; readonly notes: string },
): Promise<string> {
  return writeEntry(org, {
    tree: offered.tree,
    parents: [line.tip],
    agent: undefined, // The person speaks for themselves.
    title: `offer: ${offered.title}`,
    body: offered.notes,
    trailers: { Event: 'offer', Spec: spec, Agent: person, Host: org.host, Harness: harness, Brief: brief },
  });
}

/** Says it on the queue, which keeps what is offered from then on, whatever comes of it; false when the spec is closed by now. */
export async function sayWord(org: Org, spec: Spec, word: OfferAnswer): Promise<boolean> {
  const offer = word.kind === 'offer' ? word.commit : undefined;
  let said = false;
  await changeQueue(org, async (queue) => {
    // Looked up where it is written: somebody may have closed it since the bench was read.
    said = queue.files.has(spec.id) && (await readOfferAnswer(org, queue, spec.id))?.kind !== 'close';
    if (!said) return undefined;
    return {
      event: word.kind,
      title: `${word.kind}: ${spec.id} ${spec.title}`,
      files: new Map([[wordFile(spec.id), offer === undefined ? 'close\n' : `offer ${offer}\n`]]),
      trailers: { Spec: spec.id, Cause: offer },
      ...(offer === undefined ? {} : { keeps: offer }),
    };
  });
  return said;
}
