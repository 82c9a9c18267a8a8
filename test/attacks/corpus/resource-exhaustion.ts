import { attacksOf, honestly, offer } from '../attack.ts';

const python = (program: string): string => offer(`python3 - <<'PY' || exit 1\n${program}\nPY\n${honestly}`);
const fill = (file: string): string => `head -c 120000000 /dev/zero > ${file} || exit 1`;

/** More memory, disk, processes, files or words than one experiment may have. Each stops by itself where nobody stops it. */
export const resourceExhaustion = attacksOf('resource exhaustion', {
  'takes nearly all of the memory': [
    'finished',
    python(
      `import mmap, os\nsize = os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') * 9 // 10\nmmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)`,
    ),
  ],
  'writes a file of six gigabytes': ['finished', offer(`truncate -s 6G "$ORGREPO_OUT/large" || exit 1\n${honestly}`)],
  'fills the disk through its output': ['disk', offer(`${fill('"$ORGREPO_OUT/fill"')}\n${honestly}`)],
  'fills the disk through its directory': ['disk', offer(`${fill('harness/fill')}\n${honestly}`)],
  "fills the disk of the person's home": ['disk', offer(`${fill('@HOME@/fill')}\n${honestly}`)],
  'fills the disk with its answers': ['disk', offer('yes no | head -c 120000000')],
  'fills the disk with its complaints': ['disk', offer(`yes no | head -c 120000000 >&2\n${honestly}`)],
  'makes thousands of files': ['disk', offer(`cd "$ORGREPO_OUT"; seq 1 6000 | xargs touch\n${honestly}`)],
  'makes directories too deep to remove': [
    'disk',
    offer(
      `python3 -c 'import os\nos.chdir(os.environ["ORGREPO_OUT"])\nfor i in range(400): os.mkdir("d" * 25); os.chdir("d" * 25)\nopen("x", "wb").write(b"x" * 60000000)'\n${honestly}`,
    ),
  ],
  'starts hundreds of processes': [
    'finished',
    python(
      'import os, time, signal\nkids = []\nfor i in range(700):\n  pid = os.fork()\n  if pid == 0:\n    time.sleep(2)\n    os._exit(0)\n  kids.append(pid)\nfor pid in kids: os.kill(pid, signal.SIGKILL)',
    ),
  ],
  'gives one answer of a hundred megabytes': ['disk', offer(`head -c 110000000 /dev/zero | tr '\\0' 'x'`)],
  'has the agent write a huge file': ['disk', `head -c 120000000 /dev/urandom > sandbox/huge`],
  'has the agent write thousands of files': [
    'disk',
    `mkdir -p sandbox/many; awk 'BEGIN { for (i = 1; i <= 6000; i++) { f = "sandbox/many/" i; print i > f; close(f) } }'`,
  ],
  'has the agent talk without end': ['disk', 'yes nothing | head -c 120000000 > sandbox/talk; yes | head -c 20000000'],
  'has the agent never come back': ['stalled', 'trap "" TERM INT HUP; @NAP@; @NAP@'],
  'has the agent leave somebody who holds its output open': ['stalled', '@NAP@ &\necho "# x" >> sandbox/solve.sh'],
});
