/** A place that many share, or one has alone. */
export interface SharedTurn {
  /** Waits until there is room; the answer gives it back. Whoever wants to be alone is not overtaken by those who come later. */
  enter(alone: boolean): Promise<() => void>;
}

export function openSharedTurn(): SharedTurn {
  let inside = 0;
  let isTaken = false;
  const waiting: { readonly alone: boolean; readonly come: () => void }[] = [];
  const admit = (): void => {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if (isTaken || (next.alone && inside > 0)) return;
      waiting.shift();
      inside += 1;
      isTaken = next.alone;
      next.come();
    }
  };
  return {
    enter: async (alone) => {
      await new Promise<void>((come) => {
        waiting.push({ alone, come });
        admit();
      });
      return () => {
        inside -= 1;
        isTaken = false;
        admit();
      };
    },
  };
}
