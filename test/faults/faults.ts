// Plays models and providers that go wrong in every way that was thought of, and checks what is left.
//   npm run test:faults -- --scripts 2000 [--nights 40] [--seed 7]
import { parseArgs } from 'node:util';
import PQueue from 'p-queue';
import { chanceFrom } from '../kill/chance.ts';
import { type NightPlayed, playNight } from './night.ts';
import { playSeason, type Season } from './season.ts';

/** A new org after this many, so that its book stays quick to read. */
const perOrg = 200;
/** At once, on one book and against one server. */
const atOnce = 20;

const { values } = parseArgs({
  options: {
    scripts: { type: 'string', default: '2000' },
    nights: { type: 'string', default: '40' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const seed = Number(values.seed);
const started = performance.now();
const seconds = (): string => ((performance.now() - started) / 1000).toFixed(0);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

say(`seed ${seed}`);
const seasons = await playSeasons(Number(values.scripts));
const findings = seasons.reduce((sum, season) => sum + season.findings.length, 0);
say(
  `${seasons.reduce((sum, { played }) => sum + played, 0)} scripts in ${seconds()} s, seed ${seed}: ` +
    `${seasons.reduce((sum, { reservations }) => sum + reservations, 0)} calls reserved; ${endsIn(seasons)}; ` +
    `the latest ended ${Math.round(Math.max(0, ...seasons.map(({ latestMs }) => latestMs)))} ms after its deadline; ` +
    `${findings} findings`,
);
const nights = await playNights(Number(values.nights));
const wrong = nights.reduce((sum, night) => sum + night.findings.length, 0);
say(
  `${nights.length} nights in ${seconds()} s: ${nights.reduce((sum, { experiments }) => sum + experiments, 0)} experiments, ` +
    `exits ${[0, 2, 3].map((exit) => `${exit}: ${nights.filter((one) => one.exit === exit).length}`).join(', ')}; ${wrong} findings`,
);
process.exitCode = findings + wrong > 0 ? 1 : 0;

/** Two at a time, each a process of its own. */
async function playNights(wanted: number): Promise<NightPlayed[]> {
  const lanes = new PQueue({ concurrency: 2 });
  const all: NightPlayed[] = [];
  for (let number = 1; number <= wanted; number++)
    void lanes.add(async () => {
      const night = await playNight(chanceFrom(seed + 100_000 + number));
      all.push(night);
      for (const finding of night.findings.slice(0, 20)) say(`  night ${number}: ${finding.slice(0, 400)}`);
      if (night.findings.length > 0) say(`  kept for you to look at: ${night.dir}`);
    });
  await lanes.onIdle();
  return all;
}

async function playSeasons(wanted: number): Promise<Season[]> {
  const all: Season[] = [];
  for (let first = 0; first < wanted; first += perOrg) {
    const numbers = Array.from({ length: Math.min(perOrg, wanted - first) }, (_, at) => first + at + 1);
    const season = await playSeason(numbers, atOnce, chanceFrom(seed + first), (played, found) => {
      if (played % 100 === 0) say(`${first + played} scripts, ${seconds()} s: ${found} findings`);
      return true;
    });
    for (const finding of season.findings.slice(0, 20)) say(`  ${finding.slice(0, 400)}`);
    if (season.findings.length > 0) say(`  kept for you to look at: ${season.dir}`);
    all.push(season);
  }
  return all;
}

function endsIn(all: readonly Season[]): string {
  const sum = new Map<string, number>();
  for (const { ends } of all) for (const [kind, count] of ends) sum.set(kind, (sum.get(kind) ?? 0) + count);
  return [...sum].map(([kind, count]) => `${count} ${kind}`).join(', ');
}
