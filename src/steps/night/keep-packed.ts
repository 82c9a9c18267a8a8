import { packLoose } from '../../git/packs/pack-loose.ts';
import { pace } from '../../process/pace.ts';
import { writeCheckpoint } from '../../records/checkpoints.ts';
import type { NightTally } from '../attempt/night-tally.ts';
import type { RunConstants } from './night.ts';
import { warn } from './night-basics.ts';

/** What packing needs to know of a night. */
interface Packable {
  readonly run: Pick<RunConstants, 'org' | 'slots' | 'say'>;
  readonly tally: Pick<NightTally, 'scales'>;
}

/**
 * Packs loose objects from time to time while a night runs: five for every experiment, and a block of the disk each. It
 * never runs beside the measurement of a noisy metric, and nobody waits for it: it is broken off, and begins again later.
 */
export function keepPacked(night: Packable): { stop(): Promise<void> } {
  const { packAfter, packLookMs, packAgeMs } = pace();
  if (packAfter === 0) return { stop: async () => {} };
  let atLeast = packAfter;
  let underway: Promise<void> | undefined;
  let breaking = new AbortController();

  const isInTheWay = (): boolean => night.run.slots.pending > 0 && isNoisy(night);

  const pack = async (): Promise<void> => {
    const packed = await packLoose(night.run.org.repo, { atLeast, olderThanMs: packAgeMs }, breaking.signal);
    if (packed.kind === 'packed') atLeast = packAfter;
    if (packed.kind !== 'failed') return;
    if (atLeast === packAfter) warn(night.run, sayFailed(packed.reason));
    atLeast *= 2; // What failed once is not tried again every few seconds.
  };

  const look = (): void => {
    if (underway !== undefined || isInTheWay()) return;
    breaking = new AbortController();
    const giveWay = (): void => {
      if (isInTheWay()) breaking.abort();
    };
    night.run.slots.on('active', giveWay);
    underway = pack().finally(() => {
      night.run.slots.off('active', giveWay);
      underway = undefined;
    });
  };
  const timer = setInterval(look, packLookMs);
  look();
  return {
    stop: async () => {
      clearInterval(timer);
      breaking.abort();
      await underway;
    },
  };
}

/** Whether a measurement could be disturbed by what runs beside it. */
export const isNoisy = ({ tally: { scales } }: Pick<Packable, 'tally'>): boolean =>
  [...scales.values()].some(({ noise }) => noise !== undefined);

const sayFailed = (reason: string): string =>
  `git's objects were not packed: ${reason}. Nothing is lost and the run goes on. Pack them when it has ended: git gc`;

/** Writes a checkpoint every hour while a night runs. One that cannot be written now is written an hour later. */
export function keepSigning({ org, id }: Pick<RunConstants, 'org' | 'id'>): NodeJS.Timeout {
  let isBusy = false;
  return setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    const done = (): void => {
      isBusy = false;
    };
    writeCheckpoint(org, `${id} goes on`).then(done, done);
  }, pace().checkpointMs);
}
