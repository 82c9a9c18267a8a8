import { setMaxListeners } from 'node:events';
import type { Ending } from '../../domain/rules/stopping-rules.ts';

export interface Signals {
  /** Aborted by the second Ctrl-C or SIGTERM: everything is killed at once. */
  readonly killNow: AbortSignal;
  /** What the person asked for, if anything. */
  asked(): Ending | undefined;
  onStop(stop: (ending: Ending) => void): void;
  /** Gives the signals back to the system. */
  stop(): void;
}

/** Ctrl-C once: no new work, finish what is being measured. Twice: kill now. A run does not stop because its terminal is closed. */
export function listenForSignals(note: (message: string) => void): Signals {
  const killer = new AbortController();
  setMaxListeners(0, killer.signal); // Every agent listens. Above ten, node would print a warning in the middle of the screen.
  let stopNight: ((ending: Ending) => void) | undefined;
  let asked: Ending | undefined;
  const ask = (ending: Ending) => (): void => {
    if (asked !== undefined || stopNight === undefined) {
      asked ??= ending;
      killer.abort();
      return;
    }
    asked = ending;
    note('stopping after what is being measured; again to kill it now');
    stopNight(ending);
  };
  const onInterrupt = ask('interrupted');
  const onTerminate = ask('terminated');
  const onHangUp = (): void => note(`the terminal is gone; process ${process.pid} goes on. Stop it: orgrepo stop`);
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onTerminate);
  process.on('SIGHUP', onHangUp);
  return {
    killNow: killer.signal,
    asked: () => asked,
    onStop: (stop) => {
      stopNight = stop;
      if (asked !== undefined) stop(asked);
    },
    stop: () => {
      process.off('SIGINT', onInterrupt);
      process.off('SIGTERM', onTerminate);
      process.off('SIGHUP', onHangUp);
    },
  };
}
