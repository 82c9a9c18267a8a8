import { test } from 'node:test';
import { assertFound, type Bad } from '../support/bad.ts';

/** What is found by running the harness once. */

const score = (text: string): Record<string, string> => ({ 'harness/score.sh': text });
const quick = '{ experiment: 300ms, agent: 10s, night: 1h, attempts: 5, patience: 1000 }';

const cases: readonly Bad[] = [
  {
    name: 'a program that is not installed',
    brief: { score: 'no-such-program harness/score.sh' },
    at: 'score',
    words: /no score: score (ended with 127|could not be started)/,
    hint: /whether no-such-program is installed/,
  },
  {
    name: 'the metric on stderr',
    files: score('echo "loss: 4" >&2\n'),
    at: 'score',
    words: /printed no line "loss: number"/,
    hint: /prints loss on stderr/,
  },
  {
    name: 'the metric printed twice',
    files: score('echo "loss: 4"; echo "loss: 3"\n'),
    at: 'score',
    words: /printed loss 2 times \(4, 3\)/,
    hint: /Print it once/,
  },
  {
    name: 'the metric printed by the first stage',
    files: { 'harness/run.sh': 'echo "loss: 4"\n', ...score('true\n') },
    at: 'score',
    words: /printed no line "loss: number"/,
    hint: /Stage 1 \(run\) prints loss, and nobody reads that/,
  },
  {
    name: 'a first stage that leaves its result where the second does not look',
    files: { 'harness/run.sh': 'cp sandbox/numbers.txt result\n', ...score('cat result\n') },
    at: 'score',
    words: /no score: score ended with 1: cat: result: No such file/,
    hint: /what run makes for it must go to \$ORGREPO_OUT/,
  },
  {
    name: 'another name than the metric',
    files: score('echo "lost: 4"\n'),
    at: 'metric',
    words: /printed no line "loss: number"/,
    hint: /It prints lost: is that the metric\?/,
  },
  {
    name: 'a harness that hangs',
    brief: { budget: quick },
    files: { 'harness/run.sh': 'sleep 60\n' },
    at: 'budget',
    words: /not done after \d+\.\d s, and killed/,
    hint: /Give it more than budget\.experiment \(300ms\)/,
  },
  {
    name: 'a harness that needs the network',
    files: { 'harness/run.sh': 'echo "getaddrinfo ENOTFOUND example.invalid" >&2; exit 1\n' },
    at: 'run',
    words: /no score: run ended with 1: getaddrinfo ENOTFOUND/,
    hint: /needs the network, and a measurement must not/,
  },
  {
    name: 'a harness that writes outside',
    files: { 'harness/run.sh': `echo "sh: 1: cannot create /usr/x: Read-only file system" >&2; exit 2\n` },
    at: 'run',
    words: /no score: run ended with 2/,
    hint: /only \$ORGREPO_OUT and \$TMPDIR/,
  },
];

for (const bad of cases) test(`${bad.name} is found by doctor, plan and run, by its line`, () => assertFound(bad));
