import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { tallyOf } from '../src/domain/experiment.ts';
import { formatLedger, parseLedger } from '../src/domain/ledger.ts';
import { specIdOf } from '../src/domain/spec.ts';
import { formatMessage } from '../src/text/trailers.ts';
import { perExperiment } from './overhead.ts';
import { type BenchRepository, makeRepository } from './repository.ts';

const attempts = 5;

export interface HistoryCost {
  readonly experiments: number;
  readonly perExperiment: number;
  readonly status: number;
  readonly log: number;
  readonly start: number;
}

/** What things cost in a repository that has had this many experiments already. */
export function measureHistory(experiments: number): HistoryCost {
  const repository = makeRepository({ files: 100 });
  try {
    repository.orgrepo('run', '--max', '5');
    addHistory(repository, experiments);
    const middle = (measure: () => number): number =>
      [1, 2, 3, 4, 5].map(measure).sort((a, b) => a - b)[2] ?? Number.NaN;
    return {
      experiments,
      status: middle(() => repository.orgrepo('status').seconds),
      log: middle(() => repository.orgrepo('log', '-n', '20').seconds),
      start: middle(() => repository.orgrepo('run', '--max', '1').seconds),
      perExperiment: middle(() => perExperiment(repository, 100)),
    };
  } finally {
    repository.remove();
  }
}

/** Writes a past as orgrepo would have: notebooks of five discards each, and the queue's commits that go with them. */
function addHistory(repository: BenchRepository, experiments: number): void {
  const queueTip = repository.git('rev-parse', 'orgrepo/queue').trim();
  const best = repository.git('rev-parse', 'orgrepo/best').trim();
  const harness = repository.git('rev-parse', 'orgrepo/best:harness').trim();
  const brief = repository.git('rev-parse', 'orgrepo/best:program.md').trim();
  const before = parseLedger(
    repository.git('log', '-1', '--format=%(trailers:key=Org-Ledger,valueonly,separator=)', queueTip).trim(),
  );
  const file = path.join(tmpdir(), `orgrepo-history-${process.pid}`);
  const out = openSync(file, 'w');
  let mark = 0;
  let queue = queueTip;
  let n = before.experiments;
  let discarded = before.closed.discard;
  const at = 1_700_000_000;
  const commit = (ref: string, author: string, message: string, from: string, rest: string): string => {
    mark += 1;
    const bytes = Buffer.byteLength(message);
    writeSync(
      out,
      `commit ${ref}\nmark :${mark}\nauthor ${author} <${author}@agents.invalid> ${at + mark} +0000\ncommitter Bench <bench@example.invalid> ${at + mark} +0000\ndata ${bytes}\n${message}from ${from}\n${rest}\n`,
    );
    return `:${mark}`;
  };
  const message = (title: string, trailers: Readonly<Record<string, string | number>>): string =>
    formatMessage({
      title,
      body: '',
      trailers: Object.entries({ ...trailers, Schema: 1 }).map(
        ([key, value]) => [`Org-${key}`, String(value)] as const,
      ),
    });
  for (let spec = 1; spec <= experiments / attempts; spec++) {
    const id = specIdOf(before.specs + spec);
    const ref = `refs/heads/orgrepo/work/${id}`;
    const common = { Spec: id, Agent: 'junior-1', Host: 'bench', Harness: harness, Brief: brief };
    let tip = commit(
      ref,
      'junior-1',
      message(`claim: ${id} explore round ${spec}`, { Event: 'claim', By: 'chief', Score: 1, Nonce: spec, ...common }),
      best,
      '',
    );
    for (let attempt = 1; attempt <= attempts; attempt++) {
      n += 1;
      const text = `number ${n}\n`;
      const tried = commit(
        `refs/orgrepo/wip/${id}`,
        'junior-1',
        message(`try: number ${n}`, { Event: 'try', Experiment: n, ...common }),
        tip,
        `M 100644 inline sandbox/numbers.txt\ndata ${text.length}\n${text}`,
      );
      tip = commit(
        ref,
        'junior-1',
        message(`discard: number ${n}`, {
          Event: 'discard',
          Experiment: n,
          Metric: 'score',
          Score: 1,
          Samples: 1,
          Best: 1,
          Seconds: '0.010',
          Reason: 'score 1 against 1: no change',
          ...common,
        }),
        tip,
        `merge ${tried}\nM 100644 ${blobOf(repository, best)} sandbox/numbers.txt\n`,
      );
      discarded += 1;
    }
    tip = commit(ref, 'junior-1', message(`done: ${id} explore round ${spec}`, { Event: 'done', ...common }), tip, '');
    const ledger = formatLedger({
      ...before,
      specs: before.specs + spec,
      experiments: n,
      closed: { ...before.closed, ...tallyOf([]), keep: before.closed.keep, discard: discarded },
      state: 'ended',
    });
    queue = commit(
      'refs/heads/orgrepo/queue',
      'chief',
      message(`spec: ${id}`, { Event: 'spec', Ledger: ledger }),
      queue,
      '',
    );
    queue = commit(
      'refs/heads/orgrepo/queue',
      'junior-1',
      message(`claim: ${id} by junior-1`, { Event: 'claim', Spec: id, Ledger: ledger }),
      queue,
      '',
    );
    queue = commit(
      'refs/heads/orgrepo/queue',
      'junior-1',
      message(`done: ${id}`, { Event: 'done', Spec: id, Ledger: ledger }),
      queue,
      '',
    );
  }
  const ended = formatLedger({
    ...before,
    specs: before.specs + experiments / attempts,
    experiments: n,
    closed: { ...before.closed, discard: discarded },
    state: 'ended',
  });
  commit(
    'refs/heads/orgrepo/queue',
    'Bench',
    message(`end: ${before.run}`, { Event: 'end', Run: before.run, Reason: 'made up', Ledger: ended }),
    queue,
    '',
  );
  closeSync(out);
  const input = openSync(file, 'r');
  const ran = spawnSync('git', ['fast-import', '--quiet', '--force'], {
    cwd: repository.dir,
    stdio: [input, 'inherit', 'inherit'],
  });
  closeSync(input);
  rmSync(file);
  if (ran.status !== 0) throw new Error('git fast-import failed');
  repository.git('pack-refs', '--all');
}

let knownBlob: string | undefined;

function blobOf(repository: BenchRepository, best: string): string {
  knownBlob ??= repository.git('rev-parse', `${best}:sandbox/numbers.txt`).trim();
  return knownBlob;
}
