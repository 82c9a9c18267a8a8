import { existsSync } from 'node:fs';
import path from 'node:path';
import { hasPlainRefs, lookUpRef, makeLooseRef } from './loose-ref.ts';

/**
 * Where the refs that this process moves were last seen. Orgrepo never loses a ref by itself, so one that is suddenly
 * gone was packed, and packed-refs is lost. Without this memory a run would begin its queue anew and give numbers twice.
 */
export interface LastSeen {
  /** This process has moved the ref. */
  keep(ref: string, id: string): void;
  /** Somebody else may have moved on a ref that is kept. */
  see(ref: string, id: string): void;
  forget(ref: string): void;
  /** Undefined for a ref that this process has not moved. */
  idOf(ref: string): string | undefined;
  names(): readonly string[];
  /** Makes the ref anew where it was last seen. False when it is there, or was never moved by us. */
  putBack(ref: string): boolean;
}

export function openLastSeen(gitDir: string): LastSeen {
  const ids = new Map<string, string>();
  const isOurs = (ref: string): boolean => /^refs\/(heads\/)?orgrepo\//.test(ref);
  const plainFiles = hasPlainRefs(gitDir);
  return {
    keep: (ref, id) => {
      if (plainFiles && isOurs(ref)) ids.set(ref, id);
    },
    see: (ref, id) => {
      if (ids.has(ref)) ids.set(ref, id);
    },
    forget: (ref) => void ids.delete(ref),
    idOf: (ref) => ids.get(ref),
    names: () => [...ids.keys()],
    putBack: (ref) => {
      const id = ids.get(ref);
      if (id === undefined || lookUpRef(gitDir, ref) !== 'absent' || !existsSync(path.join(gitDir, 'HEAD')))
        return false;
      return makeLooseRef(gitDir, ref, id);
    },
  };
}
