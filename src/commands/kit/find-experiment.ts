import { person } from '../../domain/staff/staff.ts';
import type { Brief } from '../../domain/words/brief.ts';
import type { Experiment } from '../../domain/words/experiment.ts';
import type { PersonsPart, Spec, SpecStory } from '../../domain/words/spec.ts';
import { readBrief } from '../../org/force/pin-brief.ts';
import { readEntry } from '../../records/entry.ts';
import { readBest } from '../../records/notebook/best-line.ts';
import { experimentNumbered } from '../../records/notebook/history.ts';
import { type Notebook, readNotebook } from '../../records/notebook/notebook.ts';
import type { Org } from '../../records/org.ts';
import { readOfferAnswer } from '../../records/queue/inbox.ts';
import { type Queue, readQueue } from '../../records/queue/queue.ts';
import { overstepIn } from '../../steps/attempt/bench.ts';
import { specClaimed } from '../../steps/attempt/night-tally.ts';
import { readPersonsBench } from '../../steps/people/person-bench.ts';
import { attemptsIn } from '../../steps/recover/resume-claim.ts';
import { Problem, unlessProblem } from '../../text/problem.ts';

/** The experiment that a person means by `7` or `#7`. */
export async function findExperiment(
  org: Org,
  word: string,
  verb: 'show' | 'replay',
): Promise<{ experiment: Experiment; notebook: Notebook }> {
  const n = experimentNumber(word, `For example: orgrepo ${verb} 7`);
  const queue = await readQueue(org);
  const found = queue && (await experimentNumbered(org, queue, n));
  if (found !== undefined) return found;
  throw noExperiment(n);
}

export const noExperiment = (n: number): Problem =>
  new Problem('experiment/missing', `there is no experiment #${n}`, 'See which there are: orgrepo log');

/** The spec that a person means by `0012` or `spec-0012`; undefined when the word is an experiment's. Numbers have no leading zero. */
export async function findSpec(org: Org, word: string): Promise<SpecStory | undefined> {
  const [, named, bare] = /^(?:spec-([0-9]{4,9})|(0[0-9]{3,8}))$/.exec(word) ?? [];
  const id = named ?? bare;
  if (id === undefined) return undefined;
  const story = await readSpecStory(org, id);
  if (story !== undefined) return story;
  throw new Problem('offer/missing', `there is no spec ${id}`, 'See which are open: git ls-tree orgrepo/queue specs/');
}

/** The number that a person means by `7` or `#7`. The name of something else is reported as that: `0001` is a spec and not #1. */
export function experimentNumber(word: string, example: string): number {
  const [, digits] = /^#?([0-9]{1,9})$/.exec(word) ?? [];
  if (digits !== undefined && !/^0[0-9]{3}/.test(word)) return Number(digits);
  const other = others.find(({ named }) => named.test(word));
  throw new Problem(
    'usage/argument',
    other === undefined
      ? `${JSON.stringify(word)} is not the number of an experiment`
      : `${word} is ${other.what}, and no number of an experiment`,
    other === undefined ? example : `${example}. ${other.see(word)}`,
  );
}

const others: readonly { readonly named: RegExp; readonly what: string; readonly see: (word: string) => string }[] = [
  {
    named: /^(?:spec-[0-9]{4,9}|0[0-9]{3,8})$/,
    what: 'a spec',
    see: (word) => `What was tried at the spec: orgrepo show ${word}`,
  },
  { named: /^A[1-9][0-9]*$/, what: 'a request', see: () => 'What waits for a yes: orgrepo approve' },
  { named: /^E[1-9][0-9]*$/, what: 'an escalation', see: () => 'What waits for you: orgrepo status' },
  { named: /^D[1-9][0-9]*$/, what: 'a decision', see: (word) => `Make it again: orgrepo replay ${word}` },
];

/** All that is to be known of a spec; undefined when there is none with this id. */
export async function readSpecStory(org: Org, id: string): Promise<SpecStory | undefined> {
  const queue = await readQueue(org);
  const notebook = await readNotebook(org, id);
  const spec = queue?.specs.find((one) => one.id === id) ?? (notebook && specClaimed(notebook));
  if (spec === undefined) return undefined;
  const waits = notebook === undefined ? spec.role === person : notebook.agent === person && !notebook.done;
  const best = await readBest(org);
  const line = notebook?.line;
  // Those of an older orgrepo may be unreadable: the rest can be shown all the same.
  const brief = notebook && (await unlessProblem(readBrief(org, notebook.brief, notebook.line.tree)));
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
    person: waits ? await personsPart(org, spec, queue, notebook, brief) : undefined,
  };
}

async function personsPart(
  org: Org,
  spec: Spec,
  queue: Queue | undefined,
  notebook: Notebook | undefined,
  brief: Brief | undefined,
): Promise<PersonsPart> {
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
