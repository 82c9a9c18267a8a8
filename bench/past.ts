import { spawnSync } from 'node:child_process';
import { agentEmail } from '../src/domain/staff/staff.ts';
import { addTallies, tallyOf } from '../src/domain/words/experiment.ts';
import { formatLedger, type Ledger, parseLedger } from '../src/domain/words/ledger.ts';
import { specIdOf } from '../src/domain/words/spec.ts';
import { newCommit } from '../src/git/objects/commit.ts';
import { newObject } from '../src/git/objects/tree.ts';
import { formatMessage, sealLine } from '../src/records/entry.ts';
import { openPack, type PackWriter } from './pack.ts';
import type { BenchRepository } from './repository.ts';

const attempts = 5;
const agent = 'junior-1';

/** A past as orgrepo would have written it, seals and all: notebooks of five discards each, and the queue's commits that go with them. */
export function addPast(repository: BenchRepository, experiments: number): void {
  const pack = openPack();
  const write = writer(pack);
  const start = readStart(repository);
  const line = { tree: start.tree, Harness: start.harness, Brief: start.brief };
  const refs: string[] = [];
  let { ledger, queue } = start;
  for (let spec = 1; spec <= experiments / attempts; spec++) {
    const id = specIdOf(start.ledger.specs + spec);
    const title = `${id} explore round ${spec}`;
    const onQueue = (what: string, trailers: Trailers): void => {
      queue = write({
        tree: start.queueTree,
        parents: [queue],
        title: what,
        trailers: { ...trailers, Ledger: formatLedger(ledger) },
      });
    };
    ledger = { ...ledger, specs: ledger.specs + 1 };
    onQueue(`spec: ${title}`, { Event: 'spec', Agent: 'chief' });
    let tip = write({
      tree: line.tree,
      parents: [start.best],
      title: `claim: ${title}`,
      trailers: {
        Event: 'claim',
        Spec: id,
        By: 'chief',
        Agent: agent,
        Host: 'bench',
        Metric: 'score',
        Score: 1,
        Harness: line.Harness,
        Brief: line.Brief,
        Lease: 20,
        Nonce: spec,
      },
    });
    onQueue(`claim: ${id} by ${agent}`, { Event: 'claim', Spec: id, Agent: agent });
    let tried = '';
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const n = ledger.experiments + attempt;
      const common = { Spec: id, Experiment: n, Agent: agent, Host: 'bench' };
      const tree = start.treeWith(pack, `number ${n}\n`);
      tried = write({
        tree,
        parents: [tip],
        title: `try: number ${n}`,
        trailers: { Event: 'try', ...common, Harness: line.Harness, Brief: line.Brief },
      });
      tip = write({
        tree: line.tree,
        parents: [tip, tried],
        title: `discard: number ${n}`,
        trailers: {
          ...{
            Event: 'discard',
            ...common,
            Metric: 'score',
            Score: 1,
            Samples: 1,
            Seeds: n,
            Noise: '0/3',
            Best: 1,
            Seconds: '0.010',
          },
          ...{ Harness: line.Harness, Brief: line.Brief, Reason: 'score 1 against 1: no change' },
        },
      });
    }
    tip = write({
      tree: line.tree,
      parents: [tip],
      title: `done: ${title}`,
      trailers: { Event: 'done', Spec: id, Agent: agent, Host: 'bench', Reason: '5 attempts', Nonce: spec },
    });
    const closed = addTallies(ledger.closed, { ...tallyOf([]), discard: attempts });
    ledger = { ...ledger, closed, experiments: ledger.experiments + attempts };
    onQueue(`done: ${title}`, { Event: 'done', Spec: id, Agent: agent, Cause: tip });
    refs.push(`create refs/heads/orgrepo/work/${id} ${tip}`, `create refs/orgrepo/wip/${id} ${tried}`);
  }
  refs.push(`update refs/heads/orgrepo/queue ${queue}`);
  pack.giveTo(repository.dir);
  const ran = spawnSync('git', ['update-ref', '--stdin'], { cwd: repository.dir, input: `${refs.join('\n')}\n` });
  if (ran.status !== 0) throw new Error(`git update-ref: ${ran.stderr}`);
  repository.git('pack-refs', '--all');
}

type Trailers = Readonly<Record<string, string | number>>;

interface NewPage {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly title: string;
  readonly trailers: Trailers;
}

function writer(pack: PackWriter): (page: NewPage) => string {
  let at = Math.floor(Date.now() / 1000) - 1_000_000;
  return ({ tree, parents, title, trailers }) => {
    at += 1;
    const named = Object.entries({ ...trailers, Schema: 1 }).map(
      ([key, value]) => [`Org-${key}`, String(value)] as const,
    );
    const message = formatMessage({ title, body: '', trailers: named });
    const author = { name: agent, email: agentEmail(agent), at };
    const fields = { tree, parents, author, committer: { name: 'Bench', email: 'bench@example.invalid', at } };
    const seal = sealLine(newCommit('sha1', { ...fields, message }).content);
    return pack.add(newCommit('sha1', { ...fields, message: message + seal }));
  };
}

interface Start {
  readonly best: string;
  readonly tree: string;
  readonly queue: string;
  readonly queueTree: string;
  readonly harness: string;
  readonly brief: string;
  readonly ledger: Ledger;
  /** The best's tree with another text in its one file that agents may change. */
  treeWith(pack: PackWriter, text: string): string;
}

function readStart({ git, dir }: BenchRepository): Start {
  const id = (name: string): string => git('rev-parse', name).trim();
  const ledger = git('log', '-1', '--format=%(trailers:key=Org-Ledger,valueonly,separator=)', 'orgrepo/queue').trim();
  const raw = (tree: string): Buffer => spawnSync('git', ['cat-file', 'tree', tree], { cwd: dir }).stdout;
  const [root, sandbox] = [raw('orgrepo/best^{tree}'), raw('orgrepo/best:sandbox')];
  const [file, directory] = [id('orgrepo/best:sandbox/numbers.txt'), id('orgrepo/best:sandbox')];
  return {
    best: id('orgrepo/best'),
    tree: id('orgrepo/best^{tree}'),
    queue: id('orgrepo/queue'),
    queueTree: id('orgrepo/queue^{tree}'),
    harness: id('orgrepo/best:harness'),
    brief: id('orgrepo/best:program.md'),
    ledger: parseLedger(ledger),
    treeWith: (pack, text) => {
      const blob = pack.add(newObject('sha1', 'blob', text));
      const inner = pack.add(newObject('sha1', 'tree', replaced(sandbox, file, blob)));
      return pack.add(newObject('sha1', 'tree', replaced(root, directory, inner)));
    },
  };
}

function replaced(tree: Buffer, before: string, after: string): Buffer {
  const at = tree.indexOf(Buffer.from(before, 'hex'));
  return Buffer.concat([tree.subarray(0, at), Buffer.from(after, 'hex'), tree.subarray(at + 20)]);
}
