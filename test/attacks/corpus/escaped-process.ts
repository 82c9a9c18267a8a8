import { attacksOf, honestly, offer } from '../attack.ts';

const quietly = '> /dev/null 2>&1 < /dev/null';
const python = (program: string): string => offer(`python3 - <<'PY'\n${program}\nPY\n${honestly}`);

/** A process outlives the measurement, or the agent that started it. */
export const escapedProcess = attacksOf('escaped process', {
  'stays in the background': ['alive', offer(`@NAP@ ${quietly} &\n${honestly}`)],
  'ignores the end of its terminal': ['alive', offer(`nohup @NAP@ ${quietly} &\n${honestly}`)],
  'takes a session of its own': ['alive', offer(`setsid @NAP@ ${quietly} &\n${honestly}`)],
  'is the child of a child that is gone': [
    'alive',
    offer(`( setsid sh -c '@NAP@ ${quietly} & exit' & ) ${quietly}\n${honestly}`),
  ],
  'is deaf to signals': ['alive', offer(`setsid sh -c 'trap "" TERM INT HUP QUIT; @NAP@' ${quietly} &\n${honestly}`)],
  'has no environment': ['alive', offer(`cd /; setsid env -i @NAP@ ${quietly} &\ncd - > /dev/null\n${honestly}`)],
  'is a daemon by the book': [
    'alive',
    python(
      `import os, sys\nif os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0:\n    os.chdir('/')\n    os.closerange(0, 256)\n    os.execvp('sleep', '@NAP@'.split())\n  os._exit(0)\nos.wait()`,
    ),
  ],
  'starts itself again whenever it is killed': [
    'alive',
    offer(`setsid sh -c 'for i in $(seq 400); do @NAP@; done' ${quietly} &\n${honestly}`),
  ],
  'stands still and cannot be asked to go': [
    'alive',
    offer(`setsid sh -c 'kill -STOP $$; @NAP@' @NAP@ ${quietly} &\n${honestly}`),
  ],
  'hides in namespaces of its own': [
    'alive',
    offer(`setsid unshare -Urpf @NAP@ ${quietly} &\nsetsid @NAP@ ${quietly} &\nsleep 0.1\n${honestly}`),
  ],
  'kills the shell that runs it and stays': ['alive', offer(`setsid @NAP@ ${quietly} &\nkill -9 $PPID`)],
  'is left behind when the deadline comes': ['alive', offer(`setsid @NAP@ ${quietly} &\n@NAP@`)],
  'is left behind by the agent': ['alive', `setsid @NAP@ ${quietly} &\necho "# x" >> sandbox/solve.sh`],
  'is left behind by an agent that fails': ['alive', `setsid @NAP@ ${quietly} &\nexit 1`],
  'leaves one process for each second': [
    'alive',
    offer(`for i in 1 2 3 4 5 6 7 8; do setsid @NAP@ ${quietly} & done\n${honestly}`),
  ],
});
