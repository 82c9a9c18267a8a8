/** The file of a checkpoint, beside its signature. */
export const checkpointFile = 'checkpoint';

/** Where the refs of an org were at an instant, as a machine signs it. Each one names the one before it. */
export interface Checkpoint {
  /** The commit of the trunk that the first checkpoint was made on: the same for every clone, another one for another org. */
  readonly org: string;
  /** Counted from 1. */
  readonly number: number;
  /** The commit of the previous checkpoint; undefined for the first. */
  readonly previous: string | undefined;
  readonly host: string;
  /** The public key of the machine, as in a .pub file. */
  readonly machine: string;
  readonly at: number;
  /** By full ref. */
  readonly tips: ReadonlyMap<string, string>;
}

const first = 'orgrepo-checkpoint 1';

/** Plain lines, so that `ssh-keygen -Y verify` and a person can read it without orgrepo. */
export function formatCheckpoint({ org, number, previous, host, machine, at, tips }: Checkpoint): string {
  const lines = [first, `org ${org}`, `number ${number}`, `previous ${previous ?? 'none'}`, `host ${host}`];
  const refs = [...tips].map(([ref, id]) => `tip ${id} ${ref}`);
  return [...lines, `machine ${machine}`, `at ${at}`, ...refs, ''].join('\n');
}

const form =
  /^orgrepo-checkpoint 1\norg ([0-9a-f]{40,64})\nnumber ([1-9][0-9]{0,8})\nprevious (none|[0-9a-f]{40,64})\nhost ([A-Za-z0-9.-]+)\nmachine (ssh-ed25519 [A-Za-z0-9+/=]+)\nat ([0-9]{1,12})\n((?:tip [0-9a-f]{40,64} refs\/\S+\n)*)$/;

/** Undefined for anything else than what was formatted, to the byte. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const [, org = '', number, previous, host = '', machine = '', at, refs = ''] = form.exec(text) ?? [];
  if (number === undefined) return undefined;
  const tips = refs.split('\n').flatMap((line) => {
    const [, id, ref] = line.split(' ');
    return id === undefined || ref === undefined ? [] : [[ref, id] as const];
  });
  return {
    ...{
      org,
      number: Number(number),
      previous: previous === 'none' ? undefined : previous,
      host,
      machine,
      at: Number(at),
    },
    tips: new Map(tips),
  };
}
