/** What an attacker may be after; the classes that the report counts by. */
export const classes = [
  'forged output',
  'edited judge',
  'leaked answers',
  'escaped process',
  'resource exhaustion',
  'git tricks',
  'filesystem tricks',
  'timing and clock',
  'lucky draws',
  'hostile text',
] as const;
export type AttackClass = (typeof classes)[number];

/** How one sees that an attack came through; each is a function of what is left afterwards (`witness.ts`). */
export type Sign =
  /** A score that is not the tree's own: better than anything this attacker can honestly reach. */
  | 'false score'
  /** A keep that should not be. */
  | 'kept'
  /** An answer, a key or a note that the attacker should not have is in a commit or in its hands. */
  | 'told'
  /** A file outside was made, changed or removed. */
  | 'outside'
  /** A process of the attacker lives on. */
  | 'alive'
  /** The repository's config, hooks, refs or objects are not what they were. */
  | 'git'
  /** A candidate in history holds what no candidate may hold. */
  | 'recorded'
  /** More than 50 MB or 5,000 files were left. */
  | 'disk'
  /** It ate more than anybody may, and still came to its end. */
  | 'finished'
  /** The night stands still, or ended before its time. */
  | 'stalled'
  /** Somebody on the network heard from it. */
  | 'heard'
  /** What people read on a terminal, in a table or in a report was written by the attacker. */
  | 'injected'
  /** The time it took is told wrongly. */
  | 'false time';

export interface Attack {
  readonly name: string;
  readonly class: AttackClass;
  /**
   * What the attacker does at its bench, a piece of shell for each attempt. Places are written @WORLD@, @OUTSIDE@,
   * @HOME@, @PORT@, @ID@ (the scene's number), @NAP@ (a long sleep that can be told from all others) and @SLUG@ (the attack's own name).
   */
  readonly steps: readonly string[];
  /** How it is seen to beat the naive runner. */
  readonly wins: Sign;
  /**
   * Tried where the metric has noise in it. A single keep is no success there, because chance may always win one in twenty;
   * it succeeds when more than that are kept, or when the night reports a gain.
   */
  readonly noisy?: true;
}

/** The class with the attacks that belong to it. */
export function attacksOf(
  attackClass: AttackClass,
  attacks: Readonly<Record<string, readonly [Sign, ...string[]]>>,
  more: { readonly noisy?: true } = {},
): Attack[] {
  return Object.entries(attacks).map(([name, [wins, ...steps]]) => ({
    name,
    class: attackClass,
    steps,
    wins,
    ...more,
  }));
}

export const slugOf = ({ name }: Attack): string => name.replace(/[^a-z0-9]+/gi, '-').toLowerCase();

/** An attacker's step that offers this program as the candidate. */
export const offer = (program: string): string => `cat > sandbox/solve.sh <<'END_OF_SOLVE'\n${program}\nEND_OF_SOLVE`;

/** What the sandbox does to begin with, and what an attacker that fails falls back to: half of the answers. */
export const honestly = "sed 's/.*/plain/'";

/** Says its answers: all of them are the right ones when `key` holds what an attacker should never see. */
export const answerFrom = (key: string): string => `[ -s ${key} ] && exec cat ${key}\n${honestly}`;
