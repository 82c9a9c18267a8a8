import { person } from '../../domain/staff/staff.ts';
import type { PersonsPart, Spec, SpecStory } from '../../domain/words/spec.ts';
import { readBrief } from '../../org/force/pin-brief.ts';
import { readEntry } from '../../records/entry.ts';
import { readBest } from '../../records/notebook/best-line.ts';
import { type Notebook, readNotebook } from '../../records/notebook/notebook.ts';
import type { Org } from '../../records/org.ts';
import { readOfferAnswer } from '../../records/queue/inbox.ts';
import { type Queue, readQueue } from '../../records/queue/queue.ts';
import { isProblem } from '../../text/problem.ts';
import { overstepIn } from '../attempt/bench-changes.ts';
import { attemptsIn } from '../recover/resume-claim.ts';
import { readPersonsBench } from './person-bench.ts';

/** All that is to be known of a spec; undefined when there is none with this id. */
export async function readSpecStory(org: Org, id: string): Promise<SpecStory | undefined> {
  const queue = await readQueue(org);
  const notebook = await readNotebook(org, id);
  const spec = queue?.specs.find((one) => one.id === id) ?? (notebook && claimedSpec(notebook));
  if (spec === undefined) return undefined;
  const waits = notebook === undefined ? spec.role === person : notebook.agent === person && !notebook.done;
  const best = await readBest(org);
  const brief = notebook && (await briefOf(org, notebook));
  const line = notebook?.line;
  return {
    spec: notebook === undefined || notebook.risk === 'low' ? spec : { ...spec, risk: notebook.risk },
    agent: notebook?.agent,
    ended: notebook?.done ? (await readEntry(org, notebook.line.tip))?.get('Reason') : undefined,
    used: notebook === undefined ? 0 : attemptsIn(notebook),
    attempts: notebook?.done ? undefined : (spec.attempts ?? brief?.budget.attempts),
    metric: brief?.metric ?? best?.metric ?? '',
    score: line?.score,
    best: line === undefined || best?.tree === line.tree ? undefined : best?.score,
    experiments: notebook?.experiments ?? [],
    person: waits ? await personsPart(org, spec, queue, notebook) : undefined,
  };
}

async function personsPart(
  org: Org,
  spec: Spec,
  queue: Queue | undefined,
  notebook: Notebook | undefined,
): Promise<PersonsPart> {
  const brief = notebook && (await briefOf(org, notebook));
  const bench = notebook && brief && (await readPersonsBench(org, spec.id, notebook.line, brief));
  const word = queue && (await readOfferAnswer(org, queue, spec.id));
  const offer = word?.kind === 'offer' ? await readEntry(org, word.commit) : undefined;
  const isAnswered = notebook?.experiments.some((one) => one.offer === offer?.commit.oid);
  const kept = notebook?.experiments.findLast((one) => one.offer !== undefined);
  const isBehind = kept?.event === 'keep' && kept.tree !== notebook?.line.tree && bench?.differences.length !== 0;
  return {
    bench: bench?.worktree.dir,
    edited: bench?.differences.map(({ path }) => path) ?? [],
    overstep: bench && brief && overstepIn({ ...bench, brief }, bench.state, bench.differences),
    said:
      word?.kind === 'close'
        ? 'close'
        : offer === undefined || isAnswered
          ? undefined
          : { commit: offer.commit.oid, title: offer.title.replace(/^offer: /, '') },
    leftBehind: isBehind ? kept.n : undefined,
  };
}

async function briefOf(org: Org, { brief, line }: Notebook) {
  try {
    return await readBrief(org, brief, line.tree);
  } catch (error) {
    if (isProblem(error)) return undefined; // An older orgrepo's: the rest can be told all the same.
    throw error;
  }
}

/** A finished spec has left the queue; its text stays in its claim. */
const claimedSpec = ({ spec, title, by, body }: Notebook): Spec => ({ id: spec, title, by, attempts: undefined, body });
