// Kills `orgrepo run` at random moments, over and over, and lets an independent checker read what is left.
//   npm run test:kill -- --kills 300 [--seed 7] [--minutes 10] [--variant twice] [--keep]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { bundle } from '../support/org.ts';
import { chanceFrom } from './chance.ts';
import { playRound, type Round } from './round.ts';
import { bundleVariant, type Variant, variants } from './variants.ts';

/** A new org after this many kills: the first start of all is a moment like any other. */
const killsPerOrg = 75;
const killsPerCheck = 25;
/** A mistake that is not noticed by then would not be noticed. */
const killsPerVariant = 150;

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '300' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    minutes: { type: 'string', default: '600' },
    variant: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
});
const started = performance.now();
const seconds = (): string => ((performance.now() - started) / 1000).toFixed(0);
const isLate = (): boolean => performance.now() - started > Number(values.minutes) * 60_000;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

process.exitCode = values.variant === undefined ? await playAll() : await playOne(values.variant);

async function playAll(): Promise<number> {
  const rounds: Round[] = [];
  const total = (of: (round: Round) => number): number => rounds.reduce((sum, round) => sum + of(round), 0);
  while (total(({ kills }) => kills) < Number(values.kills) && !isLate()) {
    const before = total(({ kills }) => kills);
    const round = await playRound({
      bundle,
      kills: Math.min(killsPerOrg, Number(values.kills) - before),
      every: killsPerCheck,
      chance: chanceFrom(Number(values.seed) + rounds.length),
      keep: values.keep,
      goesOn: (kills, { experiments, keeps, recoveries, findings }) => {
        say(
          `${String(before + kills).padStart(6)} kills  ${seconds().padStart(5)} s  org ${rounds.length + 1}: ` +
            `${experiments} experiments, ${keeps} keeps, ${recoveries} recoveries, ${findings.length} findings`,
        );
        return !isLate();
      },
    });
    rounds.push(round);
    if (round.findings.length > 0) break;
  }
  const findings = rounds.flatMap((round) => round.findings);
  const missed = findings.length > 0 ? [] : await missedVariants();
  for (const round of rounds) if (round.findings.length > 0) tellFindings(round);
  say(
    `${total(({ kills }) => kills)} kills in ${seconds()} s, seed ${values.seed}: ` +
      `${total(({ experiments }) => experiments)} experiments, ${total(({ keeps }) => keeps)} keeps, ` +
      `${total(({ recoveries }) => recoveries)} recoveries, ${findings.length} findings, ` +
      (findings.length > 0
        ? 'variants not tried'
        : `${variants.length - missed.length} of ${variants.length} broken variants caught`),
  );
  return findings.length + missed.length > 0 ? 1 : 0;
}

async function missedVariants(): Promise<Variant[]> {
  const missed: Variant[] = [];
  for (const variant of variants) {
    const round = await playVariant(variant, values.keep);
    if (round.findings.length === 0) missed.push(variant);
    const outcome = round.findings[0] === undefined ? 'NOT CAUGHT' : `caught: ${round.findings[0].slice(0, 160)}`;
    say(`variant ${variant.name} (${variant.mistake}), ${round.kills} kills: ${outcome}`);
  }
  return missed;
}

async function playOne(name: string): Promise<number> {
  const variant = variants.find((one) => one.name === name);
  if (variant === undefined) {
    say(`--variant is ${name}, expected one of ${variants.map((one) => one.name).join(', ')}`);
    return 64;
  }
  const round = await playVariant(variant, true);
  tellFindings(round);
  say(
    `variant ${name}: ${round.kills} kills in ${seconds()} s, seed ${values.seed}: ${round.findings.length} findings`,
  );
  return round.findings.length > 0 ? 0 : 1;
}

/** Plays a variant until it is caught. */
async function playVariant(variant: Variant, keep: boolean): Promise<Round> {
  const outdir = mkdtempSync(path.join(tmpdir(), `orgrepo-${variant.name}-`));
  try {
    const broken = await bundleVariant(variant, outdir);
    const chance = chanceFrom(Number(values.seed));
    const round = await playRound({
      bundle: broken,
      kills: killsPerVariant,
      every: 5,
      chance,
      keep,
      goesOn: () => true,
    });
    if (!keep) for (const dir of [round.dir, `${round.dir}-home`]) rmSync(dir, { recursive: true, force: true });
    return round;
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

function tellFindings(round: Round): void {
  for (const finding of round.findings.slice(0, 40)) say(`  ${finding}`);
  if (round.findings.length > 40) say(`  and ${round.findings.length - 40} more`);
  say(`  kept for you to look at: ${round.dir} (seed ${values.seed}, after ${round.kills} kills of it)`);
}
