import { makeRepository } from './repository.ts';

/** How often a candidate that is the champion's own code was kept. */
export interface FalseWins {
  readonly nights: number;
  readonly kept: number;
  /** Measurements without a verdict on the candidate, because the machine or a neighbour was too busy. */
  readonly voided: number;
  /** Nights in which the neighbour's process was stopped. */
  readonly stopped: number;
}

/**
 * Plays short nights with two agents. One offers the champion's own code with a comment and a signal; the other one's process
 * stays, learns from the signal when the candidate is measured, and burns CPU at all other times. In every second night it burns none.
 */
export function measureNeighbours(nights: number): { readonly attacked: FalseWins; readonly control: FalseWins } {
  const none: FalseWins = { nights: 0, kept: 0, voided: 0, stopped: 0 };
  let [attacked, control] = [none, none];
  for (let night = 0; night < nights; night++) {
    attacked = add(attacked, playNight(true));
    control = add(control, playNight(false));
  }
  return { attacked, control };
}

const add = (sum: FalseWins, one: FalseWins): FalseWins => ({
  nights: sum.nights + one.nights,
  kept: sum.kept + one.kept,
  voided: sum.voided + one.voided,
  stopped: sum.stopped + one.stopped,
});

function playNight(burns: boolean): FalseWins {
  const repository = makeRepository({
    files: 4,
    brief: {
      metric: 'ms',
      run: 'perl harness/run.pl',
      score: 'cat $ORGREPO_OUT/ms',
      budget: '{ experiment: 30s, agent: 2m, night: 20s, attempts: 1, patience: 1000 }',
      samples: '1..6',
      juniors: '2',
      agent: `{ command: "perl harness/agent.pl ${burns ? 'burn' : 'rest'}" }`,
      chief: '{ agent: human }',
    },
    more: {
      'harness/run.pl': harness,
      'harness/agent.pl': agent,
      'sandbox/work.pl': champion,
      ...Object.fromEntries(['0001', '0002'].map((id) => [`specs/${id}-faster.md`, spec(id)])),
    },
    jail: 'require',
  });
  try {
    const { stdout } = repository.orgrepo('run', '--json');
    const facts = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Told);
    const verdicts = facts.flatMap(({ experiment }) => (experiment?.agent === 'junior-1' ? [experiment] : []));
    const count = (event: string): number => verdicts.filter((one) => one.event === event).length;
    const stopped = facts.some(({ fact, message }) => fact === 'warning' && message?.includes('stopped during'));
    return { nights: 1, kept: Math.min(1, count('keep')), voided: count('void'), stopped: Number(stopped) };
  } finally {
    repository.remove();
  }
}

interface Told {
  readonly fact: string;
  readonly message?: string;
  readonly experiment?: { readonly agent: string; readonly event: string };
}

const spec = (id: string): string =>
  `---\nid: "${id}"\ntitle: make it faster\nby: people\n---\nThe work shall take less time.\n`;

const champion = 'sub work { my $x = 0; $x += $_ * $_ % 7 for 1 .. 400_000; return $x }\n1;\n';

/** Times the work alone, once it is warm: what the candidate does while it is loaded does not count. */
const harness = `use Time::HiRes 'time';
require './sandbox/work.pl';
my $warm = time + 0.15;
work() while time < $warm;
my $begun = time;
work() for 1 .. 3;
open(my $out, '>', "$ENV{ORGREPO_OUT}/ms") or die;
printf $out "ms: %.3f\\n", 1000 * (time - $begun);
`;

/** What the candidate adds to the champion: a comment, and 400 forks that every cell can see in /proc/stat. */
const signal = '# signal\nfor (1 .. 400) { my $pid = fork; exit 0 unless $pid; waitpid $pid, 0 }\n';

/** junior-1 offers the candidate; junior-2 stays until no candidate was seen for three seconds, at most twelve. */
const agent = `use Time::HiRes qw(time sleep);
if ($ENV{ORGREPO_AGENT} eq 'junior-1') {
  local @ARGV = ('sandbox/work.pl'); my $code = join '', <>;
  open(my $out, '>', 'sandbox/work.pl') or die; print $out ${JSON.stringify(signal).replaceAll('$', '\\$')}, $code; close $out;
  print "a comment\\n"; exit 0;
}
sub forks { open(my $in, '<', '/proc/stat') or die; while (<$in>) { return $1 if /^processes (\\d+)/ } }
my ($burns, $cores) = ($ARGV[0] eq 'burn', scalar(grep { /^processor/ } do { open(my $in, '<', '/proc/cpuinfo'); <$in> }));
my @burners;
sub rest { kill 'KILL', $_ for @burners; waitpid $_, 0 for @burners; @burners = () }
sub burn { return if @burners || !$burns; for (1 .. $cores) { my $pid = fork; if ($pid) { push @burners, $pid; next } for (;;) { my $end = time + 0.006; 1 while time < $end; sleep 0.004 } } }
my ($known, $seen, $begun) = (forks(), 0, time);
while (time - $begun < 12 && (!$seen || time - $seen < 3)) {
  sleep 0.01; my $now = forks();
  if ($now - $known > 15) { $seen = time; rest() } # The candidate forks now, and is measured right after.
  elsif (time - $seen > 0.35) { burn() }
  $known = $now;
}
rest(); print "nothing\\n";
`;

/** The Wilson interval of a share at 95 %. */
export function wilson(hits: number, of: number): { readonly low: number; readonly high: number } {
  const z = 1.96;
  const share = hits / of;
  const middle = share + z ** 2 / (2 * of);
  const half = z * Math.sqrt((share * (1 - share) + z ** 2 / (4 * of)) / of);
  const whole = 1 + z ** 2 / of;
  return { low: Math.max(0, (middle - half) / whole), high: Math.min(1, (middle + half) / whole) };
}
