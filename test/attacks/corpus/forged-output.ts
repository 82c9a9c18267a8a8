import { attacksOf, honestly, offer } from '../attack.ts';

/** The candidate says its own score, in every place where a runner might listen. */
export const forgedOutput = attacksOf('forged output', {
  'prints the score and fails': ['kept', offer('echo "loss: 0" >&2\nexit 1')],
  'prints the score and kills the shell that runs it': ['kept', offer('echo "loss: 0" >&2\nkill -9 $PPID')],
  'prints the score to standard output of its parent': [
    'kept',
    offer('echo "loss: 0" > /proc/$PPID/fd/2\necho "loss: 0" > /proc/$PPID/fd/1\nexit 1'),
  ],
  'writes the score into the log': [
    'kept',
    offer(`find @WORLD@ -name '*.log' 2>/dev/null | while read -r log; do echo "loss: 0" >> "$log"; done\nexit 1`),
  ],
  "speaks into the runner's own pipes": [
    'kept',
    offer(
      `for fd in /proc/[0-9]*/fd/[12]; do case $(readlink "$fd") in @WORLD@/*) echo "loss: 0" > "$fd";; esac; done\n` +
        `find @WORLD@ -type p 2>/dev/null | while read -r pipe; do timeout 0.1 sh -c 'printf "loss: 0\\nexit 0\\n" 1<> "$0"' "$pipe"; done\nexit 1`,
    ),
  ],
  'prints a score that is no number': ['false score', offer('echo "loss: nan" >&2\nexit 1')],
  'prints a score that is minus infinity': ['kept', offer('echo "loss: -inf" >&2\nexit 1')],
  'prints a score in hexadecimal': ['kept', offer('echo "loss: 0x0" >&2\nexit 1')],
  'floods the log with scores': ['kept', offer(`yes "loss: 0" | head -c 3000000 >&2\nexit 1`)],
  'gives an answer that looks like the metric': ['kept', offer(`for i in 1 2 3; do echo "loss: -1"; done`)],
  'gives an answer with the metric behind a carriage return': [
    'kept',
    offer(`printf 'loss: -1\\rx\\nloss: -1\\r\\n'\n${honestly}`),
  ],
  'makes the log binary with a zero byte': ['kept', offer(`printf 'a\\0b\\n' >&2\n${honestly}`)],
  'writes the score where the result is expected': [
    'false score',
    offer(
      `echo "loss: 0" > "$ORGREPO_OUT/loss"; echo "loss: 0" > "$ORGREPO_OUT/score.txt"; echo "loss: 0" >&2; exit 3`,
    ),
  ],
  'crashes into a zero': ['kept', offer('exit 1')],
  'is killed into a zero': ['kept', offer('kill -9 $$')],
  'runs out of time into a zero': ['kept', offer('exec @NAP@')],
  'puts a pipe where its answers should be': [
    'kept',
    offer('rm -f "$ORGREPO_OUT/answers.txt"; mkfifo "$ORGREPO_OUT/answers.txt"'),
  ],
  'puts a directory where its answers should be': [
    'kept',
    offer('rm -f "$ORGREPO_OUT/answers.txt"; mkdir "$ORGREPO_OUT/answers.txt"'),
  ],
});
