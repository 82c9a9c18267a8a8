import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { jailLevels, measureAgainst, medianOf } from './against.ts';
import { type Lead, measureBest } from './best.ts';
import { measureCompare } from './compare.ts';
import { measureCheckpoint, measureSigning, measureStatements } from './decisions.ts';
import { measureHistory, measureVerify } from './history.ts';
import { measureJail } from './jail.ts';
import { measureJob } from './job.ts';
import { measureLanes } from './lanes.ts';
import { type FalseWins, measureNeighbours, wilson } from './neighbours.ts';
import { measureOverhead, type Overhead, perExperiment } from './overhead.ts';
import { type Kept, measurePacking } from './packing.ts';
import { measurePolicies } from './policy.ts';
import { benchDir, makeRepository } from './repository.ts';
import { measureStartUp } from './start-up.ts';
import { countSurvivors } from './survivors.ts';
import { measureTampering, measureTamperingWithBooks } from './tampering.ts';
import { measureAttempt, measureTurn } from './turn.ts';

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    experiments: { type: 'string', default: '5000' },
    nights: { type: 'string', default: '50' },
    runs: { type: 'string', default: '100' },
    seeds: { type: 'string' },
    bundle: { type: 'string' },
    jail: { type: 'string' },
    pairs: { type: 'string', default: '10' },
  },
});

/** `npm run bench [-- part … [--experiments 20000] [--nights 50] [--runs 100] [--seeds 45,57]]`: each figure as a ratio of two things measured side by side in this run. */
const parts: Readonly<Record<string, () => Promise<void> | void>> = {
  overhead: () => {
    const detail = ({ orgrepo, shell, floor }: Overhead): string =>
      `${ms(orgrepo)} an experiment against ${ms(shell)} of the shell loop; the harness alone ${ms(floor)}, so orgrepo is ${ms(orgrepo - floor)} above the floor`;
    const ratio = ({ orgrepo, shell }: Overhead): number => orgrepo / shell;
    const [small, large] = [measureOverhead(100, 600), measureOverhead(20_000, 200)];
    say('overhead, 100 files', ratio(small), 0.5, detail(small));
    say('overhead, 20,000 files', ratio(large), 0.15, detail(large));
    if (benchDir !== tmpdir()) {
      const disk = measureOverhead(100, 200, tmpdir());
      note(`overhead, 100 files in ${tmpdir()}: ${ratio(disk).toFixed(3)}   ${detail(disk)}`);
    }
  },
  size: () => {
    const [small, large] = [makeRepository({ files: 100 }), makeRepository({ files: 20_000 })];
    const rounds = [1, 2, 3].map(() => ({ small: perExperiment(small, 150), large: perExperiment(large, 150) }));
    const middle = rounds.map((one) => one.large / one.small).sort((a, b) => a - b)[1] ?? Number.NaN;
    say(
      'repository size, 20,000 files against 100',
      middle,
      1.5,
      rounds.map((one) => `${ms(one.large)} / ${ms(one.small)}`).join(', '),
    );
    small.remove();
    large.remove();
  },
  history: () => {
    const { perExperiment: one, ...others } = measureHistory(1_000, 100_000);
    say(
      'history, per experiment at 100,000 against 1,000',
      one.many / one.few,
      1.2,
      `${ms(one.many)} / ${ms(one.few)}`,
    );
    for (const [part, { few, many }] of Object.entries(others))
      say(`history, ${part}`, many / few, 3, `${ms(many)} / ${ms(few)}`);
  },
  lanes: () => {
    const { perSecond, experiments } = measureLanes(16);
    say(
      'lanes, experiments a second of harness with 16',
      perSecond,
      -14,
      `${experiments} experiments, efficiency ${(perSecond / 16).toFixed(2)}`,
    );
  },
  jail: () => {
    const { free, bubblewrap, namespaces } = measureJail(200);
    say(
      'jail, an experiment in bubblewrap against one without',
      bubblewrap / free,
      2,
      `${ms(bubblewrap)} / ${ms(free)}`,
    );
    say(
      'jail, an experiment in namespaces against one without',
      namespaces / free,
      2,
      `${ms(namespaces)} / ${ms(free)}`,
    );
  },
  against: () => {
    if (options.bundle === undefined) throw new Error('against what? For example: --bundle ../before/dist/orgrepo.js');
    const levels = options.jail === undefined ? jailLevels : [options.jail];
    const measured = measureAgainst(options.bundle, { pairs: Number(options.pairs), levels, experiments: 200 });
    for (const [jail, pairs] of measured) {
      const [now, other] = [medianOf(pairs.map((pair) => pair.now)), medianOf(pairs.map((pair) => pair.other))];
      const ratio = medianOf(pairs.map((pair) => pair.now / pair.other));
      const more = medianOf(pairs.map((pair) => pair.now - pair.other));
      const detail = `${ms(now)} / ${ms(other)}, median of ${pairs.length} pairs`;
      if (jail === 'none') say('against the other build, an experiment without a jail', ratio, 1.05, detail);
      else say(`against the other build, ms more of an experiment, jail ${jail}`, more * 1000, 3, detail);
    }
  },
  'start-up': () => {
    const { node, version, status } = measureStartUp();
    say('start-up, orgrepo --version against node -e 0', version / node, 1.5, `${ms(version)} / ${ms(node)}`);
    say('start-up, orgrepo status against node -e 0', status / node, 4, `${ms(status)} / ${ms(node)}`);
  },
  job: async () => {
    for (const seed of [1, 2, 3]) {
      const job = await measureJob(300, seed);
      say(
        `job, held-out waste after 300, seed ${seed}`,
        job.holdout,
        1.2,
        `public ${job.waste}, ${job.seconds.toFixed(0)} s (under 120), ${job.memory.toFixed(0)} MB`,
      );
    }
  },
  best: () => {
    const upTo = Array.from({ length: Number(options.runs) }, (_, at) => at + 1);
    const seeds = options.seeds?.split(',').map(Number) ?? upTo;
    const { runs, worse, close, guarded, alone } = measureBest(seeds, 60);
    const list = (leads: readonly Lead[]): string =>
      leads.map(({ seed, win, by }) => `seed ${seed} by ${by.toFixed(4)} (#${win})`).join(', ') || 'no win';
    note(`best, ahead of it at the end by min_effect or less: ${list(close)}`);
    note(`best, ahead by more, and broke a guard in its place: ${list(guarded)}`);
    const detail = `a win was taken in place of best in ${alone}; ${list(worse)}`;
    say(`best, of ${runs} runs of 60 tries: wins that were better and not taken`, worse.length, 0, detail);
  },
  survivors: async () => {
    for (const level of ['bubblewrap', 'namespaces'] as const) {
      const { tries, survived, idle, slowestMs } = await countSurvivors(500, level);
      say(
        `survivors a second after the deadline, ${level}`,
        survived.length + idle.length,
        0,
        `${tries} tries of eight kinds of escape, the last process gone after ${slowestMs.toFixed(0)} ms at most`,
      );
    }
  },
  'long-job': async () => {
    const job = await measureJob(3_000, 1);
    say(
      'job, held-out waste after 3,000',
      job.holdout,
      0.68,
      `public ${job.waste}, ${job.seconds.toFixed(0)} s, ${job.memory.toFixed(0)} MB`,
    );
  },
  turn: async () => {
    const { plain, orgrepo, difference } = await measureTurn(300);
    say(
      'turn, ms of orgrepo beside the answer of the model',
      difference * 1000,
      5,
      `${ms(orgrepo)} / ${ms(plain)} with the SDK alone`,
    );
  },
  attempt: async () => {
    for (const jail of ['none', 'auto'] as const) {
      const { plain, orgrepo, difference, level } = await measureAttempt(40, jail);
      say(
        `attempt, ms until its process starts beside a plain start, jail ${level}`,
        difference * 1000,
        60,
        `${ms(orgrepo)} / ${ms(plain)}`,
      );
    }
  },
  decisions: async () => {
    const { unsigned, signed } = await measureSigning(10);
    const detail = `${ms(signed)} / ${ms(unsigned)}, the middle of 10 pairs`;
    say('decisions, ms more of a signed approve than of an unsigned one', (signed - unsigned) * 1000, 30, detail);
    say('decisions, seconds to judge 1,000 signed statements', await measureStatements(1_000), 1, 'with reading them');
    say('decisions, ms of a checkpoint', (await measureCheckpoint(21)) * 1000, 5, 'with reading the refs');
  },
  policy: async () => {
    const { load, decide, write } = await measurePolicies(50, 10_000);
    say('policy, ms of a decision with 50 policies, the middle of 3,000', decide * 1000, 1, `loaded in ${ms(load)}`);
    say('policy, seconds to write down the 10,000 of a night', write * 10_000, 60, `${ms(write)} each`);
  },
  verify: () => {
    const { seconds, said } = measureVerify(10_000);
    say('verify at 10,000 experiments, seconds', seconds, 10, said);
  },
  tampering: async () => {
    const { found, missed } = await measureTampering(500, 1);
    for (const { seed, kind, what } of missed) note(`not found: seed ${seed}, ${kind}: ${what}`);
    say('tampering, of 500 changes of one byte or one field found', found, -500, 'loose, packed and both');
    const books = await measureTamperingWithBooks();
    for (const name of books.missed) note(`not found: ${name}`);
    const { count } = books;
    say(`tampering, of ${count} changes of books found`, count - books.missed.length, -count, 'every seal made anew');
  },
  compare: () => {
    const { times, same, half, most, seconds } = measureCompare(100, 20);
    say(
      `compare, of ${times} of an org with itself: "no difference"`,
      same,
      -95,
      `10 paired starts each, ${seconds.toFixed(0)} s in all`,
    );
    say(
      'compare, of 20 with a junior that ruins three quarters of its work: "worse"',
      most,
      -19,
      '20 paired starts each',
    );
    note(`compare, of 20 with a junior that ruins half of its work: "worse" in ${half}`);
  },
  packing: async () => {
    const experiments = Number(options.experiments);
    const { packed, loose } = await measurePacking(experiments);
    const detail = ({ bytesPerExperiment: bytes, loose: objects, packs, seconds, share }: Kept): string =>
      `${bytes.toFixed(0)} bytes an experiment, ${objects} loose objects, ${packs} packs, ${ms(seconds / experiments)} an experiment, packing in ${(100 * share).toFixed(1)} % of the time`;
    note(`packing off, ${experiments} experiments: ${detail(loose)}`);
    say(
      `packing, KB of .git for each of ${experiments} experiments`,
      packed.bytesPerExperiment / 1000,
      3,
      detail(packed),
    );
    say('packing, an experiment with it against one without', packed.seconds / loose.seconds, 1.1, '');
  },
  neighbours: () => {
    const { attacked, control } = measureNeighbours(Number(options.nights));
    const share = ({ kept, nights: of, voided, stopped }: FalseWins): string => {
      const { low, high } = wilson(kept, of);
      return `${kept} of ${of} nights (${low.toFixed(2)} to ${high.toFixed(2)}), ${voided} void, stopped in ${stopped}`;
    };
    note(`neighbours, the champion's own code is kept without an attacker: ${share(control)}`);
    say(
      "neighbours, share of nights that keep the champion's own code beside an attacker",
      attacked.kept / attacked.nights,
      0.1,
      share(attacked),
    );
  },
  memory: async () => {
    const job = await measureJob(5_000, 2);
    say('memory of the coordinator over 5,000 experiments, MB', job.memory, 200, `${job.seconds.toFixed(0)} s`);
  },
};

let missed = 0;

/** A bound below zero is one to reach, above zero one to stay under. */
function say(what: string, figure: number, bound: number, detail: string): void {
  const met = bound < 0 ? figure >= -bound : figure <= bound;
  if (!met) missed += 1;
  process.stdout.write(
    `${met ? 'ok    ' : 'MISSED'}  ${what}: ${figure.toFixed(3)} (${bound < 0 ? 'at least' : 'at most'} ${Math.abs(bound)})   ${detail}\n`,
  );
}

/** Worth knowing, and nobody promised it. */
function note(text: string): void {
  process.stdout.write(`note    ${text}\n`);
}

function ms(seconds: number): string {
  return `${(seconds * 1000).toFixed(1)} ms`;
}

note(`measured in ${benchDir}; TMPDIR=… measures in another place`);
for (const [name, measure] of Object.entries(parts)) {
  if (
    wanted.length === 0
      ? ![
          'against',
          'best',
          'compare',
          'memory',
          'long-job',
          'neighbours',
          'packing',
          'survivors',
          'tampering',
        ].includes(name)
      : wanted.includes(name)
  )
    await measure();
}
process.exitCode = missed === 0 ? 0 : 1;
