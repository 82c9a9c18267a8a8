import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { anOrg } from '../support/builders.ts';
import { factsIn, startNight, trailers } from '../support/night.ts';
import { briefText } from '../support/org.ts';
import { until } from '../support/until.ts';

/** An agent's process that burns CPU time while a noisy metric is measured costs measurements, and no verdict. */

const here = mkdtempSync(path.join(tmpdir(), 'orgrepo-neighbours-'));
after(() => rmSync(here, { recursive: true, force: true }));

/** junior-1 offers a comment; junior-2 burns in six sessions, tells how far it is, and stays until it may go. */
const agent = `
if ($ENV{ORGREPO_AGENT} eq 'junior-1') { open(my $f, '>>', 'sandbox/program'); print $f "# a comment\\n"; print "a comment\\n"; exit }
use POSIX;
sub write_to { open(my $f, '>', "${here}/$_[0].new"); print $f $_[1]; close $f; rename "${here}/$_[0].new", "${here}/$_[0]" }
write_to('pid', $$);
my @all = map { my $p = fork; if (!$p) { POSIX::setsid(); 1 while 1 } $p } 1 .. 6;
until (-e '${here}/enough') {
  my $ticks = 0;
  for (@all) { open(my $f, '<', "/proc/$_/stat"); my @s = split ' ', <$f>; $ticks += $s[13] + $s[14] }
  write_to('burnt', $ticks);
  select undef, undef, undef, 0.01;
}
kill 'KILL', @all; print "nothing\\n";
`;

/** Takes until the neighbour has burnt for 0.4 s, or is stopped, or is not there. */
const harness = `
sub burnt { open(my $f, '<', '${here}/burnt') or return; return <$f> }
open(my $p, '<', '${here}/pid'); my $pid = $p ? <$p> : 0; my $from = burnt() // 0;
while ($pid) {
  open(my $f, '<', "/proc/$pid/stat") or last; my @s = split ' ', <$f>;
  last if $s[2] eq 'T' || (burnt() // 0) - $from > 40;
  select undef, undef, undef, 0.01;
}
open(my $out, '>', "$ENV{ORGREPO_OUT}/loss"); print $out 'loss: ', 10 + rand(1), "\\n";
`;

test('an agent that burns CPU is stopped during measurements from the third time on', async () => {
  const org = anOrg({
    ground: {
      'program.md': briefText({
        agent: `{ command: "perl ${here}/agent.pl" }`,
        chief: '{ agent: human }',
        juniors: '2',
        run: 'perl harness/run.pl',
        score: 'cat $ORGREPO_OUT/loss',
        budget: '{ experiment: 60s, agent: 10m, night: 1h, attempts: 1, patience: 10 }',
        samples: '1..2',
      }),
      'sandbox/program': '1\n',
      'harness/run.pl': harness,
      'specs/0001-first.md': '---\nid: "0001"\ntitle: one\nby: people\n---\nAnything goes.\n',
      'specs/0002-second.md': '---\nid: "0002"\ntitle: two\nby: people\n---\nAnything goes.\n',
    },
  });
  writeFileSync(path.join(here, 'agent.pl'), agent);
  const night = startNight(org, 'run', '--json');
  await until('junior-1 has its verdict', () => /"fact":"experiment".*"agent":"junior-1"/.test(night.said()), 200_000);
  writeFileSync(path.join(here, 'enough'), '');
  const { code } = await night.ended;
  assert.equal(code, 0, night.said());
  const warnings = factsIn(night.said()).flatMap((fact) => (fact.fact === 'warning' ? [String(fact.message)] : []));
  const stopped = warnings.filter((message) => message.includes('are stopped during measurements'));
  assert.equal(stopped.length, 1, warnings.join('\n'));
  assert.match(
    stopped[0] ?? '',
    /^junior-2 used \d+\.\d\d s of CPU during the measurement \(at most \d+\.\d\d s\), the third time/,
  );
  const disturbed = trailers(org, 'Disturbed', 'orgrepo/work/0001', '--not', 'main').filter((value) => value !== '');
  assert.deepEqual(disturbed, ['junior-2,junior-2,junior-2'], night.said());
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout);
  assert.ok(Number(readFileSync(path.join(here, 'burnt'), 'utf8')) > 0);
});

test('search agents in several lanes and slots void no measurement of each other', async () => {
  const org = anOrg({
    brief: { juniors: '4', slots: '2', samples: '1..3' },
    files: { 'harness/score.sh': noisyScore },
  });
  const night = await org.orgrepo('run', '--max', '8', '--json');
  assert.equal(night.code, 0, night.stdout);
  const all = trailers(org, 'Disturbed', '--branches=orgrepo/*').filter((value) => value !== '');
  assert.deepEqual(all, []);
  const events = trailers(org, 'Noise', '--branches=orgrepo/*').filter((value) => value !== '' && value !== '0/3');
  assert.ok(events.length > 0, 'the metric is noisy');
});

const noisyScore = `perl -ne 'my ($n, $x) = split; $sum += ($x - 3) ** 2; END { print "loss: ", $sum + rand(1), "\\n" }' "$ORGREPO_OUT/numbers"\n`;
