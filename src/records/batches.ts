/** Something that waits to be written with others. */
interface Waiting {
  fail(error: unknown): void;
}

/** What waits is written together, in the order in which it came: those of the same moment in one go. */
export interface Batches<Item> {
  add(item: Item): void;
  /** The same, but not at once: others may come within this time. */
  addSoon(item: Item, ms: number, mostWaiting: number): void;
  /** Somebody who does not wait for an item could not be told of this: the next who asks is. */
  trouble(error: unknown): void;
  sayTrouble(): void;
  /** When this returns, everything before it is written. */
  written(): Promise<void>;
}

export function openBatches<Item extends Waiting>(write: (batch: readonly Item[]) => Promise<void>): Batches<Item> {
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
    const [first] = troubles.splice(0); // Once: who goes on in spite of it may.
    if (first !== undefined) throw first;
  };
  return {
    add: (item) => {
      waiting.push(item);
      flush();
    },
    addSoon: (item, ms, mostWaiting) => {
      waiting.push(item);
      if (waiting.length >= mostWaiting) flush();
      else timer ??= setTimeout(flush, ms);
    },
    trouble: (error) => void troubles.push(error),
    sayTrouble,
    written: async () => {
      if (waiting.length > 0) flush();
      while (writing !== undefined) await writing;
      sayTrouble();
    },
  };
}
