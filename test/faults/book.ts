import type { Caps, Scope } from '../../src/domain/words/spending.ts';

/** The book of spending as git tells it, added up here once more: nothing of the code that wrote it is asked. */

export interface Line {
  readonly event: string;
  readonly commit: string;
  readonly cause: string;
  readonly agent: string;
  readonly spec: string;
  readonly attempt: string;
  readonly run: string;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly usd: number;
  readonly reason: string;
}

const keys = ['Event', 'Cause', 'Agent', 'Spec', 'Attempt', 'Run', 'Tokens-In', 'Tokens-Out', 'Cost-USD', 'Reason'];

/** Every line of all books, oldest first. */
export function readBook(git: (...args: string[]) => string): readonly Line[] {
  const format = ['%H', ...keys.map((key) => `%(trailers:key=Org-${key},valueonly,separator=%x20)`)].join('%x1f');
  const refs = git('for-each-ref', '--format=%(refname)', 'refs/orgrepo/spend').split('\n').filter(Boolean);
  if (refs.length === 0) return [];
  return git('log', '--reverse', `--format=${format}`, ...refs, '^main')
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [commit = '', event = '', cause = '', agent = '', spec = '', attempt = '', run = '', ...rest] =
        line.split('\x1f');
      const [tokensIn, tokensOut, usd] = rest.map(Number) as [number, number, number];
      const reason = rest[3] ?? '';
      return { commit, event, cause, agent, spec, attempt, run, tokensIn, tokensOut, usd, reason };
    });
}

type Sum = Readonly<Record<'usd' | 'tokensIn' | 'tokensOut', number>>;

/** What does not hold of a book: a cap that is passed at any line, a line that ends what never began, or never ends. */
export function checkBook(lines: readonly Line[], capsOf: (run: string) => Caps): readonly string[] {
  const findings: string[] = [];
  const sums = new Map<string, Sum>();
  const open = new Map<string, Line>();
  const add = (line: Line, amount: Sum, sign: 1 | -1): void => {
    for (const key of scopesOf(line)) {
      const was = sums.get(key) ?? { usd: 0, tokensIn: 0, tokensOut: 0 };
      const now = (what: keyof Sum): number => was[what] + sign * amount[what];
      sums.set(key, { usd: now('usd'), tokensIn: now('tokensIn'), tokensOut: now('tokensOut') });
    }
  };
  for (const line of lines) {
    if (line.event === 'reserve') {
      open.set(line.commit, line);
      add(line, line, 1);
    } else {
      const held = open.get(line.cause);
      if (held === undefined) findings.push(`${line.commit} ends what is not open`);
      else add(held, held, -1);
      open.delete(line.cause);
      if (line.event === 'settle') add(line, line, 1);
    }
    for (const key of scopesOf(line)) findings.push(...passed(key, sums.get(key), capsOf(line.run), line));
  }
  for (const line of open.values()) findings.push(`${line.agent}: a reservation was never ended, ${line.commit}`);
  return findings;
}

const scopesOf = ({ run, agent, spec, attempt }: Line): readonly string[] => [
  `night ${run}`,
  `agent ${run} ${agent}`,
  ...(spec === '' ? [] : [`spec ${run} ${spec}`]),
  ...(attempt === '' ? [] : [`attempt ${run} ${spec} ${attempt}`]),
];

function passed(key: string, sum: Sum | undefined, caps: Caps, line: Line): readonly string[] {
  const cap = caps[key.split(' ')[0] as Scope];
  if (cap === undefined || sum === undefined) return [];
  return (['usd', 'tokensIn', 'tokensOut'] as const).flatMap((what) => {
    const most = cap[what];
    return most !== undefined && sum[what] > most + 1e-9
      ? [`${key} has ${sum[what]} ${what} at ${line.commit}, and its cap is ${most}`]
      : [];
  });
}
