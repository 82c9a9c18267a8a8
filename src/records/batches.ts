/** Something that waits to be written with others. */
interface Waiting {
  fail(error: unknown): void;
}

/** What waits is written together, in the order in which it came: those of the same moment in one go. */
export function openBatches<Item extends Waiting>(write: (batch: readonly Item[]) => Promise<void>) {
  let waiting: Item[] = [];
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const troubles: unknown[] = [];
  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await write(batch).catch((error) => {
        for (const item of batch) item.fail(error);
      });
    }
    writing = undefined;
  };
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    writing ??= Promise.resolve().then(writeAll);
  };
  const sayTrouble = (): void => {
    const [first] = troubles.splice(0); // Once: a caller that goes on in spite of it may.
    if (first !== undefined) throw first;
  };
  return {
    add: (item: Item): void => {
      waiting.push(item);
      flush();
    },
    /** The same, but not at once: others may come within this time. */
    addSoon: (item: Item, ms: number, mostWaiting: number): void => {
      waiting.push(item);
      if (waiting.length >= mostWaiting) flush();
      else timer ??= setTimeout(flush, ms);
    },
    /** A caller that does not wait for an item did not get this error: the next one gets it. */
    trouble: (error: unknown): void => void troubles.push(error),
    sayTrouble,
    /** When this returns, everything before it is written. */
    written: async (): Promise<void> => {
      if (waiting.length > 0) flush();
      while (writing !== undefined) await writing;
      sayTrouble();
    },
  };
}
