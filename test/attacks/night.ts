import { bundle } from '../support/org.ts';
import { type Attack, offer } from './attack.ts';
import { known, makeScene, type Scene, specIdOf } from './scene.ts';
import { type Breach, breachesInRows, breachesInWorld, lookBefore, type Row } from './witness.ts';

/** The two that play by the rules in every night: one finds a better answer, the other changes nothing that matters. */
const [better, equal] = ['0901', '0902'];

export interface AttackedNight {
  /** `name: what was seen` for everything that came through. */
  readonly breaches: readonly string[];
  /** How the honest candidates fared. */
  readonly controls: readonly string[];
  readonly output: string;
}

/** One night with a spec for each attack, and what is left of the world after it. */
export async function attackNight(attacks: readonly Attack[], jail: string): Promise<AttackedNight> {
  const noisy = attacks.some((attack) => attack.noisy);
  const scene = await makeScene({
    attacks,
    noisy,
    // One after the other where chance is under test: what is learnt of the noise depends on the order.
    brief: { juniors: noisy ? '1' : '8', slots: noisy ? '1' : '2', holdout: '[harness/answers.txt]' },
    controls: noisy ? () => ({}) : honestOnes,
  });
  try {
    const before = lookBefore(scene);
    const steps = attacks.reduce((sum, { steps }) => sum + steps.length, noisy ? 0 : 2);
    const orgrepo = (mostMs: number, ...args: string[]) => scene.run(process.execPath, [bundle, ...args], mostMs);
    const ran = await orgrepo(150_000, 'run', '--jail', jail, '--ui', 'lines', '--max', String(steps));
    const told = (await orgrepo(20_000, 'log', '--json', '-n', '1000')).output;
    const rows = rowsOf(told);
    const texts = [ran.output, ...(await readAloud(orgrepo, attacks, rows.length))];
    const pages = pagesIn(scene);
    const unheard = attacks.filter((_, index) => !rows.some(({ spec }) => spec === specIdOf(index)));
    const ended = ran.inTime && [0, 3].includes(ran.code ?? -1);
    return {
      breaches: [
        ...attacks.flatMap((attack, index) => {
          const own = rows.filter(({ spec }) => spec === specIdOf(index));
          return breachesInRows(attack, own)
            .filter(({ sign }) => !(noisy && sign === 'kept'))
            .map((one) => `${attack.name}: ${words(one)}`);
        }),
        ...(
          await breachesInWorld(scene, before, { texts, pages, inTime: ended, ownsTrunk: false, graceMs: 1_000 })
        ).map(words),
        ...(noisy ? luckIn(rows, (await orgrepo(20_000, 'report', '--json')).output) : []),
        ...unheard.map(({ name }) => `${name}: its turn never came`),
      ],
      controls: rows
        .filter(({ spec }) => spec === better || spec === equal)
        .map(({ spec, event, score }) => `${spec === better ? 'better' : 'equal'}: ${event} ${score}`)
        .sort(),
      output: ran.output,
    };
  } finally {
    await scene.remove();
  }
}

function honestOnes(answers: readonly string[]): Readonly<Record<string, string>> {
  return {
    [better]: offer(`sed -e 's/.*/plain/' -e '${known + 1}s/.*/${answers[known]}/'`),
    [equal]: offer(`sed -e 's/.*/plain/' # the same by other words`),
  };
}

/** What is promised of chance: of the candidates without a gain at most one in twenty is kept, and no gain is reported. */
function luckIn(rows: readonly Row[], report: string): string[] {
  const measured = rows.filter(({ score }) => score !== undefined);
  const kept = measured.filter((row) => row.kept);
  const low = JSON.parse(report.slice(report.indexOf('{'))).interval?.low ?? 0;
  return [
    ...(measured.length < 20 ? [`only ${measured.length} candidates were measured`] : []),
    ...(kept.length > measured.length / 20 ? [`kept: ${kept.length} of ${measured.length} by luck`] : []),
    ...(low > 0 ? [`false gain: the report is sure of at least ${low}`] : []),
  ];
}

const words = ({ sign, what }: Breach): string => `${sign}: ${what}`;

interface SpecRow extends Row {
  readonly spec: string;
  readonly event: string;
}

function rowsOf(json: string): SpecRow[] {
  return json
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => {
      const { spec, event, score, seconds, reason } = JSON.parse(line);
      return { spec, event, kept: event === 'keep', score, ms: (seconds ?? 1) * 1000, reason: reason ?? '' };
    });
}

/** Everything that a person may read of the night on a terminal. */
async function readAloud(
  orgrepo: (mostMs: number, ...args: string[]) => ReturnType<Scene['run']>,
  attacks: readonly Attack[],
  count: number,
): Promise<string[]> {
  const shows = attacks.some((attack) => attack.class === 'hostile text')
    ? Array.from({ length: count }, (_, index) => ['show', String(index + 1)])
    : [];
  const read: string[] = [];
  for (const args of [['log', '-n', '1000'], ['log', '--format', 'tsv'], ['report'], ['status'], ...shows])
    read.push((await orgrepo(20_000, ...args)).output);
  return read;
}

/** The reports as they are committed; none where an attack has broken the repository, which is seen elsewhere. */
function pagesIn(scene: Scene): string[] {
  try {
    const files = scene.git('ls-tree', '-r', '--name-only', 'orgrepo/reports', 'reports').trim().split('\n');
    return files.map((file) => scene.git('show', `orgrepo/reports:${file}`));
  } catch {
    return [];
  }
}
