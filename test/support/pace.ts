import { type Pace, setPace } from '../../src/process/pace.ts';

/** Nothing here waits long for the sake of waiting. */
export const fastPace: Partial<Pace> = {
  ...{ idleMs: 40, pausedMs: 20, ordersMs: 10, staffMs: 40 },
  ...{ lockedMs: 1_500, staleLockMs: 50, calmMs: 5, busyMs: 2_000, loadTimings: 1 },
};
setPace(fastPace);

/**
 * Whoever has nothing to do looks about once a second only. For a night whose leads have no specs to write: they are asked at each
 * look, and stopped after five in vain, which must not happen before the work is done.
 */
export async function unhurried<T>(night: () => Promise<T>): Promise<T> {
  setPace({ ...fastPace, idleMs: 1_000 });
  try {
    return await night();
  } finally {
    setPace(fastPace);
  }
}
