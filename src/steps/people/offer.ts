import { existsSync } from 'node:fs';
import path from 'node:path';
import { person } from '../../domain/staff/staff.ts';
import { isMeasured } from '../../domain/words/experiment.ts';
import { isSpecId, type Spec, specWord } from '../../domain/words/spec.ts';
import { storeObject } from '../../git/objects/tree.ts';
import { readBrief } from '../../org/force/pin-brief.ts';
import { readEntry } from '../../records/entry.ts';
import { type Notebook, readNotebook } from '../../records/notebook/notebook.ts';
import type { Org } from '../../records/org.ts';
import { type PersonsSpec, personsSpecs, sayWord, writeOffer } from '../../records/queue/inbox.ts';
import { readQueue } from '../../records/queue/queue.ts';
import { Problem } from '../../text/problem.ts';
import { buildTree, overstepIn, unfitChange } from '../attempt/bench.ts';
import { personsWorktree, readPersonsBench } from './person-bench.ts';

/**
 * Reads a person's bench as it is now and offers it to the harness: from here on it is one commit, and no later edit can change it.
 * `replaces` is true when an offer that nobody had measured yet is replaced by it.
 */
export async function makeOffer(org: Org, id: string, title: string | undefined, notes: string) {
  const { spec, notebook, word } = await findPersonsSpec(org, id);
  if (notebook === undefined)
    throw new Problem('offer/unclaimed', `no run has laid a bench for ${id} yet`, 'Lay it: orgrepo run');
  if (word?.kind === 'close') throw closed(id);
  const brief = await readBrief(org, notebook.brief, notebook.line.tree);
  const bench = await readPersonsBench(org, id, notebook.line, brief);
  if (bench === undefined) throw noBench(org, id);
  const overstep = overstepIn({ ...bench, brief }, bench.state, bench.differences);
  if (overstep !== undefined)
    throw new Problem(
      'file/outside',
      `the bench of ${id} holds what may not change: ${overstep}`,
      `Put that back, or rename it where its name is what is wrong; the brief lets you change ${brief.sandbox.join(', ')}. See it: git -C ${benchWords(org, id)} status`,
    );
  const { differences } = bench;
  if (differences.length === 0)
    throw new Problem('offer/unchanged', `nothing is changed in the bench of ${id}`, `Edit in ${benchWords(org, id)}`);
  const unfit = await unfitChange(org.repo, differences);
  if (unfit !== undefined)
    throw new Problem('offer/unfit', `what is in the bench of ${id} is not measured: ${unfit.reason}`, 'Change it.');
  const built = await buildTree(org.repo, notebook, bench.state, differences);
  await refuseRepeated(org, notebook, word, built.oid);
  for (const object of built.objects) storeObject(org.repo, object);
  const offered = { tree: built.oid, title: title ?? spec.title, notes };
  const commit = await writeOffer(org, notebook, offered);
  if (!(await sayWord(org, spec, { kind: 'offer', commit }))) throw closed(id);
  const files = differences.map((change) => change.path);
  return { spec: id, title: offered.title, commit, files, replaces: word !== undefined };
}

/** An offer that no run has measured yet: its commit, and what the person called it. */
export interface OpenOffer {
  readonly commit: string;
  readonly title: string;
}

/**
 * Says that no more tries at a spec will come; a run takes it off the queue. An offer that waits is then never measured, so
 * `mayDrop` is asked first. Undefined when it said no.
 */
export async function closePersonsSpec(
  org: Org,
  id: string,
  mayDrop: (offer: OpenOffer) => Promise<boolean>,
): Promise<{ readonly spec: Spec; readonly dropped: OpenOffer | undefined } | undefined> {
  const { spec, word } = await findPersonsSpec(org, id);
  if (word?.kind === 'close') throw closed(id);
  const dropped = word && (await openOffer(org, word.commit));
  if (dropped !== undefined && !(await mayDrop(dropped))) return undefined;
  if (!(await sayWord(org, spec, { kind: 'close' }))) throw closed(id);
  return { spec, dropped };
}

async function openOffer(org: Org, commit: string): Promise<OpenOffer> {
  const message = (await readEntry(org, commit))?.commit.message ?? '';
  return { commit, title: /^offer: (.*)$/m.exec(message)?.[1] ?? '' };
}

async function findPersonsSpec(org: Org, id: string): Promise<PersonsSpec> {
  const list = 'See which wait for you: orgrepo status';
  if (!isSpecId(id))
    throw new Problem(
      'usage/argument',
      `${JSON.stringify(id)} is not the id of a spec, expected 4 to 9 digits`,
      `For example: orgrepo submit --done 0012. ${list}`,
    );
  const queue = await readQueue(org);
  const found = queue && (await personsSpecs(org, queue)).find(({ spec }) => spec.id === id);
  if (found !== undefined) return found;
  const notebook = await readNotebook(org, id);
  if (notebook?.agent === person && notebook.done) throw closed(id);
  if (notebook === undefined && queue?.files.has(id) !== true)
    throw new Problem('offer/missing', `there is no spec ${id}`, list);
  const whose = notebook === undefined ? 'is for any junior' : `was claimed by ${notebook.agent}`;
  throw new Problem('offer/not-yours', `${id} ${whose}, it does not wait for a person`, list);
}

/** The same tree again would be answered with what is known of it, and cost an attempt. */
async function refuseRepeated(
  org: Org,
  { spec, experiments }: Notebook,
  word: PersonsSpec['word'],
  tree: string,
): Promise<void> {
  const waits = word?.kind === 'offer' && (await readEntry(org, word.commit))?.commit.tree === tree;
  const before = experiments.findLast((one) => one.tree === tree && isMeasured(one) && one.event !== 'inconclusive');
  const what = waits ? 'is offered and waits to be measured' : `was measured as #${before?.n}: ${before?.event}`;
  if (waits || before !== undefined)
    throw new Problem(
      'offer/unchanged',
      `what is in the bench of ${spec} ${what}`,
      waits ? 'Measure it: orgrepo run' : `See it: orgrepo show ${before?.n}`,
    );
}

const closed = (id: string): Problem =>
  new Problem(
    'offer/finished',
    `${id} is closed`,
    `Ask for it again: orgrepo submit "what to try" --for human. What was tried: orgrepo show ${specWord(id)}`,
  );

const noBench = (org: Org, id: string): Problem =>
  new Problem(
    'offer/no-bench',
    `${benchWords(org, id)} is ${existsSync(personsWorktree(org, id).dir) ? 'still being laid out' : 'gone'}`,
    `Lay it: orgrepo run. What a run had saved of your edits: git show refs/orgrepo/wip/${id}`,
  );

/** `.worktrees/human-0012` as a person types it. */
const benchWords = (org: Org, id: string): string => path.relative(org.repo.root, personsWorktree(org, id).dir);
