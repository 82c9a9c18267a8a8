// Kills `orgrepo run` at random moments, over and over, and lets an independent checker read what is left.
//   npm run test:kill -- --kills 10000 [--resume] [--seed 7] [--minutes 10] [--variant twice] [--keep]
// --resume goes on with the campaign that was interrupted last, with the org after the last one that is done.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import PQueue from 'p-queue';
import { openCampaign } from '../support/campaign.ts';
import { bundle, removeAll } from '../support/org.ts';
import { chanceFrom } from './chance.ts';
import { playRound, type Round } from './round.ts';
import { bundleVariant, type Variant, variants } from './variants.ts';

/** A new org after this many kills: the very first start is a moment like any other. */
const killsPerOrg = 75;
const killsPerCheck = 25;
const atOnce = 4;
/** A mistake that is not noticed by then would not be noticed. */
const killsPerVariant = 150;

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '300' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    minutes: { type: 'string', default: '600' },
    variant: { type: 'string' },
    keep: { type: 'boolean', default: false },
    resume: { type: 'boolean', default: false },
  },
});
const campaign = openCampaign<{ readonly org: number; readonly round: Round }>(
  'kill',
  Number(values.seed),
  values.resume,
);
const { seed } = campaign;
const wanted = Number(values.kills);
const started = performance.now();
const seconds = (): string => ((performance.now() - started) / 1000).toFixed(0);
const isLate = (): boolean => performance.now() - started > Number(values.minutes) * 60_000;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

process.exitCode = values.variant === undefined ? await playAll() : await playOne(values.variant);

async function playAll(): Promise<number> {
  say(`seed ${seed}`);
  const rounds = await playRounds();
  const total = (of: (round: Round) => number): number => rounds.reduce((sum, round) => sum + of(round), 0);
  const findings = total((round) => round.findings.length);
  for (const round of rounds) if (round.findings.length > 0) tellFindings(round);
  say(`killed after ${formatMoments(rounds.flatMap((round) => round.moments))}`);
  const caught = findings > 0 ? [] : await catchVariants();
  if (!isLate()) campaign.end();
  say(
    `${total(({ kills }) => kills)} kills in ${seconds()} s, seed ${seed}: ` +
      `${total(({ experiments }) => experiments)} experiments, ${total(({ keeps }) => keeps)} keeps, ` +
      `${total(({ recoveries }) => recoveries)} recoveries, ${findings} findings; ` +
      (findings > 0 ? 'no variant tried' : `${caught.length} of ${variants.length} broken variants caught`),
  );
  return findings > 0 || caught.length < variants.length ? 1 : 0;
}

function formatMoments(moments: readonly string[]): string {
  const count = (moment: string): number => moments.filter((one) => one === moment).length;
  return [...new Set(moments)]
    .sort((a, b) => count(b) - count(a))
    .map((moment) => `${moment} ${count(moment)}`)
    .join(', ');
}

/** Org after org, some at a time: the more there is to wait for, the more moments there are. */
async function playRounds(): Promise<Round[]> {
  const lanes = new PQueue({ concurrency: atOnce });
  const rounds: Round[] = campaign.before.map(({ round }) => round);
  const done = new Set(campaign.before.map(({ org }) => org));
  let kills = rounds.reduce((sum, round) => sum + round.kills, 0);
  if (kills > 0) say(`going on after ${kills} kills`);
  for (let first = 0; first < wanted; first += killsPerOrg) {
    const number = first / killsPerOrg + 1;
    if (done.has(number)) continue;
    void lanes.add(async () => {
      if (isLate() || rounds.some((round) => round.findings.length > 0)) return;
      const round = await playRound({
        bundle,
        kills: Math.min(killsPerOrg, wanted - first),
        every: killsPerCheck,
        chance: chanceFrom(seed + number),
        keep: values.keep,
        verifies: true,
        goesOn: ({ experiments, keeps, recoveries, findings }, since) => {
          kills += since;
          const counts = `${experiments} experiments, ${keeps} keeps, ${recoveries} recoveries`;
          say(`${kills} kills, ${seconds()} s: org ${number} has ${counts}, ${findings.length} findings`);
          return !isLate();
        },
      });
      rounds.push(round);
      if (!isLate() && round.findings.length === 0) campaign.add({ org: number, round });
    });
  }
  await lanes.onIdle();
  return rounds;
}

async function catchVariants(): Promise<Variant[]> {
  const lanes = new PQueue({ concurrency: atOnce });
  const caught: Variant[] = [];
  for (const variant of variants) {
    void lanes.add(async () => {
      const { kills, findings } = await playVariant(variant, false);
      const [first] = findings;
      if (first !== undefined) caught.push(variant);
      say(`variant ${variant.name}, ${kills} kills: ${first === undefined ? 'NOT CAUGHT' : first.slice(0, 160)}`);
    });
  }
  await lanes.onIdle();
  return caught;
}

async function playOne(name: string): Promise<number> {
  const variant = variants.find((one) => one.name === name);
  if (variant === undefined) {
    say(`--variant is ${name}, expected one of ${variants.map((one) => one.name).join(', ')}`);
    return 64;
  }
  say(`${name}: ${variant.mistake}`);
  const round = await playVariant(variant, true);
  tellFindings(round);
  say(`variant ${name}: ${round.kills} kills in ${seconds()} s, seed ${seed}: ${round.findings.length} findings`);
  return round.findings.length > 0 ? 0 : 1;
}

/** Plays a variant until it is caught. */
async function playVariant(variant: Variant, keep: boolean): Promise<Round> {
  const outdir = mkdtempSync(path.join(tmpdir(), `orgrepo-${variant.name}-`));
  try {
    const broken = await bundleVariant(variant, outdir);
    const chance = chanceFrom(seed);
    const round = await playRound({
      bundle: broken,
      kills: killsPerVariant,
      every: 5,
      chance,
      keep,
      verifies: false,
      goesOn: () => true,
    });
    if (!keep) for (const dir of [round.dir, `${round.dir}-home`]) removeAll(dir);
    return round;
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

function tellFindings(round: Round): void {
  for (const finding of round.findings.slice(0, 40)) say(`  ${finding}`);
  if (round.findings.length > 40) say(`  and ${round.findings.length - 40} more`);
  say(`  kept for you to look at: ${round.dir} (seed ${seed}, ${round.kills} kills)`);
}
