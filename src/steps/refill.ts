import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { agentFor } from '../agents/choose.ts';
import { workRef } from '../domain/names.ts';
import { isProblem } from '../domain/problem.ts';
import { type Draft, type Spec, specFileName, specIdOf } from '../domain/spec.ts';
import { changeQueue, type Queue, readQueue } from '../records/queue.ts';
import { readRegularFile } from '../regular-file.ts';
import { hideSecrets } from '../secrets.ts';
import { formatSpec, parseDraft } from '../text/spec.ts';
import { despiteRemoval } from './directory.ts';
import { zonesOf } from './files.ts';
import { isHalted, reachCap, stopAgent } from './halt.ts';
import { heldFor } from './held.ts';
import { type Night, nowInSeconds, rememberSpec } from './night.ts';
import { layBench } from './prepare.ts';

const mostDrafts = 64;

/** Puts specs on the queue, each once: one that says what an earlier one said is left out. */
export async function putOnQueue(night: Night, drafts: readonly Draft[], agent: string): Promise<readonly Spec[]> {
  const known = new Set(night.memory.specs.map((spec) => spec.title));
  const fresh = drafts.filter((draft) => !known.has(draft.title) && known.add(draft.title));
  if (fresh.length === 0) return [];
  let added: Spec[] = [];
  await changeQueue(night.org, (queue) => {
    added = fresh.map((draft, index) => ({ ...draft, id: specIdOf(queue.ledger.specs + 1 + index) }));
    const [first] = added;
    return {
      event: 'spec',
      agent,
      title:
        added.length === 1
          ? `spec: ${first?.id} ${first?.title}`
          : `spec: ${added.length} more, ${first?.id} to ${added.at(-1)?.id}`,
      body: added.length === 1 ? '' : added.map((spec) => `${spec.id} ${spec.title}`).join('\n'),
      files: new Map(added.map((spec) => [`specs/${specFileName(spec)}`, formatSpec(spec)])),
      ledger: { specs: queue.ledger.specs + added.length },
      trailers: { Agent: agent },
    };
  });
  for (const spec of added) {
    rememberSpec(night, spec);
    night.say({ kind: 'spec', at: nowInSeconds(), id: spec.id, title: spec.title, by: spec.by });
  }
  return added;
}

/** The open specs that nobody has claimed, people's before the chief's. */
async function unclaimed(night: Night, queue: Queue | undefined): Promise<Spec[]> {
  const open = (queue?.specs ?? []).filter((spec) => !night.live.has(spec.id));
  const tips = await Promise.all(open.map((spec) => night.org.repo.reader.resolve(workRef(spec.id))));
  const free = open.filter((_, index) => tips[index] === undefined);
  return [...free.filter((spec) => spec.by !== 'chief'), ...free.filter((spec) => spec.by === 'chief')];
}

/** The open specs that nobody has claimed; the chief is woken when they run low. */
export async function refillQueue(night: Night): Promise<readonly Spec[]> {
  const free = await unclaimed(night, await readQueue(night.org));
  if (free.length >= night.pinned.brief.juniors) return free;
  if (night.spentUp.has('chief') || (await isHalted(night, 'chief'))) return free;
  await despiteRemoval(() => wakeChief(night, free.length));
  return unclaimed(night, await readQueue(night.org));
}

/** Has the chief write specs. Its word is a file like any agent's: read as hostile, numbered by us. */
async function wakeChief(night: Night, open: number): Promise<void> {
  const { brief } = night.pinned;
  const { worktree, files } = await layBench(
    night.org,
    'chief',
    { ...night.best, tip: night.best.commit },
    zonesOf(brief),
  );
  const desk = path.join(worktree.dir, 'specs');
  rmSync(desk, { recursive: true, force: true });
  mkdirSync(desk);
  night.say({
    kind: 'doing',
    at: nowInSeconds(),
    agent: 'chief',
    doing: 'thinking',
    detail: `${open} specs on the queue`,
  });
  const done = await agentFor(
    'chief',
    'chief',
    brief,
    night.office,
  )(
    {
      role: 'chief',
      agent: 'chief',
      dir: worktree.dir,
      files: [...files.keys()].filter(zonesOf(brief).sandbox.names),
      brief,
      spec: undefined,
      notebook: night.memory.experiments,
      specs: night.memory.specs,
      open,
      wanted: brief.juniors + 7,
      attempt: night.memory.specs.length + 1,
      ask: 1,
      seed: night.seed,
      deadlineMs: brief.budget.agentMs,
      attempts: 1,
      rehearse: async () => 'a chief has nothing to run',
      held: await heldFor(night.org, brief, brief.staff.chief),
    },
    night.now,
  );
  if (done.kind === 'capped') reachCap(night, 'chief', done);
  if (done.kind === 'unable') await stopAgent(night, 'chief', done.reason);
  if (done.kind === 'failed')
    night.say({ kind: 'warning', at: nowInSeconds(), message: `the chief failed: ${done.reason}` });
  const drafts = readDrafts(night, desk);
  night.say({ kind: 'doing', at: nowInSeconds(), agent: 'chief', doing: 'idle', detail: '' });
  await putOnQueue(night, drafts, 'chief');
}

function readDrafts(night: Night, desk: string): Draft[] {
  const drafts: Draft[] = [];
  for (const name of readdirSync(desk).sort().slice(0, mostDrafts)) {
    try {
      const text = readRegularFile(path.join(desk, name), 512 * 1024);
      if (name.endsWith('.md') && text !== undefined)
        drafts.push({ ...parseDraft(hideSecrets(text), `specs/${name}`), by: 'chief' });
    } catch (error) {
      if (!isProblem(error)) throw error;
      night.say({
        kind: 'warning',
        at: nowInSeconds(),
        message: `the chief wrote a spec that cannot be read: ${error.message}`,
      });
    }
  }
  return drafts;
}
