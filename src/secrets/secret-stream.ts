import type { Scanner } from './secret-scanner.ts';

/** Bytes on their way to somewhere, piece by piece, without secrets. */
export interface HidingStream {
  /** Takes a piece and gives what may go on. */
  push(piece: Uint8Array): Uint8Array;
  /** Gives the rest. */
  end(): Uint8Array;
}

/** Nobody spells a secret with more blanks between; and who prints nothing else must not fill the memory. */
const mostHeld = 64 * 1024;

/** A secret may begin in one piece and end in another: as much is held back as the longest spelling needs. */
export function hidingStream(scanner: Scanner): HidingStream {
  let held = new Uint8Array(0);
  const give = (upTo: number): Uint8Array => {
    const told = scanner.hideBytes(held.subarray(0, upTo));
    held = held.slice(upTo);
    return told;
  };
  return {
    push: (piece) => {
      const more = new Uint8Array(held.length + piece.length);
      more.set(held);
      more.set(piece, held.length);
      held = more;
      return give(Math.max(scanner.sureUpTo(held), held.length - mostHeld));
    },
    end: () => give(held.length),
  };
}
