/**
 * Ways to leave something behind for the next command of the same launcher. `leave` does it, `look` tells what there is: a
 * look must say the same after it as before. `$OUT` is the directory of the output, `$SHOWN` one that is only to be read.
 */
export interface Idea {
  readonly name: string;
  readonly leave: string;
  readonly look: string;
}

const python = (code: string): string => `python3 - <<'END_OF_PYTHON'\n${code}\nEND_OF_PYTHON`;

const dirs = '/tmp /dev/shm "$OUT"';

const each = (what: string): string => `for d in ${dirs}; do ${what}; done`;

const call = `import ctypes, os
c = ctypes.CDLL(None, use_errno=True)
def call(n, *a):
    r = c.syscall(n, *a)
    return r if r >= 0 else 'E%d' % ctypes.get_errno()
places = ['/tmp', '/dev/shm', os.environ['OUT']]
`;

/** An access list that shuts everybody out of what is made in a directory from then on. */
const shut = `import struct
acl = struct.pack('<I', 2) + b''.join(struct.pack('<HHI', tag, 0, 0xffffffff) for tag in (1, 4, 32))
`;

const attempt = (code: string): string => `try:\n    ${code}\nexcept Exception as e: pass`;

const keyctl = 250;
const addKey = 248;
const keep = (ring: number): Idea => ({
  name: `a key in keyring ${ring}`,
  leave: python(`${call}call(${addKey}, b'user', b'note${ring}', b'left', 4, ${ring})`),
  look: python(`${call}print(call(${keyctl}, 10, ${ring}, b'user', b'note${ring}', 0))`),
});

export const ideas: readonly Idea[] = [
  {
    name: 'a default access list that breaks whoever comes next',
    leave: python(
      `${call}${shut}for p in places:\n    try: os.setxattr(p, 'system.posix_acl_default', acl)\n    except OSError: pass`,
    ),
    look: `${each('mkdir "$d/w" && echo ok > "$d/w/f"; ls "$d/w" 2>&1; chmod 700 "$d/w"; rm -r "$d/w"')} 2>&1`,
  },
  {
    name: 'an access list on a directory itself',
    leave: python(
      `${call}${shut}for p in places:\n    try: os.setxattr(p, 'system.posix_acl_access', acl)\n    except OSError: pass`,
    ),
    look: each('stat -c "%a" "$d"; ls "$d" > /dev/null 2>&1 && echo open'),
  },
  {
    name: 'an attribute of a person (user.*)',
    leave: python(`${call}for p in places:\n    try: os.setxattr(p, 'user.note', b'left')\n    except OSError: pass`),
    look: python(`${call}for p in places: print(os.listxattr(p))`),
  },
  {
    name: 'an attribute of security (security.*)',
    leave: python(
      `${call}for p in places:\n    try: os.setxattr(p, 'security.note', b'left')\n    except OSError: pass`,
    ),
    look: python(`${call}for p in places: print(os.listxattr(p))`),
  },
  {
    name: 'flags of a directory',
    leave: each('chattr +A "$d"; chattr +d "$d"; chattr +a "$d"'),
    look: each('lsattr -d "$d" 2>&1 | cut -d" " -f1'),
  },
  { name: 'a mode', leave: each('chmod 0 "$d"'), look: each('stat -c %a "$d"') },
  { name: 'another group', leave: each('chgrp 1 "$d"; chgrp 100 "$d"'), look: each('stat -c "%u %g" "$d"') },
  {
    name: 'times',
    leave: each('touch -d 2001-01-01 "$d"'),
    look: each('test "$(stat -c %Y "$d")" -gt 1000000000 && stat -c %Y "$d" | grep -c "^97"'),
  },
  { name: 'a file', leave: each('echo left > "$d/left"'), look: each('ls -A "$d"') },
  { name: 'a file that is hidden', leave: each('echo left > "$d/.left"'), look: each('ls -A "$d"') },
  {
    name: 'a name that is not text',
    leave: each(`echo left > "$d/$(printf 'l\\377')"`),
    look: each('ls -A "$d" | od -c'),
  },
  {
    name: 'a directory that nobody can enter',
    leave: each('mkdir "$d/shut"; echo left > "$d/shut/f"; chmod 0 "$d/shut"'),
    look: each('ls -A "$d"'),
  },
  {
    name: 'a tree of two thousand levels',
    leave: python(
      `${call}for p in places:\n    os.chdir(p)\n    for _ in range(2000):\n        os.mkdir('deep'); os.chdir('deep')`,
    ),
    look: each('ls -A "$d"'),
  },
  {
    name: 'the number of the next file',
    leave: each('i=0; while [ $i -lt 500 ]; do : > "$d/n$i"; i=$((i+1)); done; rm -f "$d"/n*'),
    look: each(': > "$d/new"; stat -c %i "$d/new"; rm "$d/new"'),
  },
  {
    name: 'how full it is',
    leave: each('head -c 200000 /dev/zero > "$d/full"'),
    look: each('df --output=used,iused "$d" | tail -n 1'),
  },
  {
    name: 'how large a directory is',
    leave: each('i=0; while [ $i -lt 300 ]; do : > "$d/n$i"; i=$((i+1)); done; rm -f "$d"/n*'),
    look: each('stat -c "%s %b %h" "$d"'),
  },
  {
    name: 'a fifo, a socket and a device',
    leave: each('mkfifo "$d/fifo"; mknod "$d/null" c 1 3'),
    look: each('ls -A "$d"'),
  },
  { name: 'a link out', leave: each('ln -s /etc "$d/etc"'), look: each('ls -A "$d"') },
  {
    name: 'a mount over a directory',
    leave: each('mount -t tmpfs tmpfs "$d" 2>/dev/null; unshare -Ur mount -t tmpfs tmpfs "$d" 2>/dev/null'),
    look: 'cut -d" " -f4- /proc/self/mountinfo | sed "s/orgrepo-[0-9a-f]*//; s/ shared:.*\\| master:.*//" | grep -v " - proc" | sort | cksum',
  },
  {
    name: 'another size of the memory',
    leave: each('mount -o remount,size=900m "$d" 2>/dev/null'),
    look: each('df --output=size,itotal "$d" | tail -n 1'),
  },
  {
    name: 'a quota',
    leave: 'quotaon /tmp 2>/dev/null; setquota -u 0 1 1 1 1 /tmp 2>/dev/null; true',
    look: each('df --output=avail,iavail "$d" | tail -n 1'),
  },
  {
    name: 'a lock on a file that is shown',
    leave: 'setsid flock "$SHOWN/note" sleep 30 > /dev/null 2>&1 & sleep 0.05',
    look: 'flock -n "$SHOWN/note" echo free',
  },
  {
    name: 'a lease and a watch on a file that is shown',
    leave: python(
      `import fcntl, os\nf = os.open(os.environ['SHOWN'] + '/note', os.O_RDONLY)\n${attempt('fcntl.fcntl(f, 1024, 0)')}\nif os.fork() == 0:\n    os.setsid()\n    import time; time.sleep(30)`,
    ),
    look: 'cat "$SHOWN/note"; cat /proc/locks | grep -c LEASE',
  },
  {
    name: 'a change of a file that is shown',
    leave: 'echo left >> "$SHOWN/note"; touch "$SHOWN/new"; mv "$SHOWN/note" "$SHOWN/gone"; true',
    look: 'ls -A "$SHOWN"; cat "$SHOWN/note"',
  },
  {
    name: 'compiled code beside what is shown',
    leave: `cd "$SHOWN" && python3 -c 'import module'; true`,
    look: 'ls -A "$SHOWN"',
  },
  {
    name: 'a process that stays',
    leave: 'setsid sleep 47 > /dev/null 2>&1 &',
    look: 'cat /proc/[0-9]*/comm | grep -c sleep',
  },
  {
    name: 'a process that watches for the next',
    leave: 'setsid sh -c "while :; do echo left > /tmp/left; sleep 0.01; done" > /dev/null 2>&1 & sleep 0.05',
    look: each('ls -A "$d"'),
  },
  {
    name: 'shared memory of System V',
    leave: 'ipcmk -M 4096 > /dev/null',
    look: 'ipcs -m | grep -c 0x; ipcmk -M 4096 | tr -dc 0-9',
  },
  {
    name: 'semaphores and queues of System V',
    leave: 'ipcmk -S 2 > /dev/null; ipcmk -Q > /dev/null',
    look: 'ipcs -s -q | grep -c 0x',
  },
  {
    name: 'limits of System V',
    leave: 'echo 7 > /proc/sys/kernel/shmmni 2>/dev/null; echo 7 > /proc/sys/kernel/msgmni 2>/dev/null; true',
    look: 'cat /proc/sys/kernel/shmmni /proc/sys/kernel/msgmni',
  },
  {
    name: 'a queue of POSIX',
    leave: python(`${call}call(240, b'left', 0o102, 0o600, None)`),
    look: python(`${call}print(call(240, b'left', 0, 0, None))`),
  },
  {
    name: 'shared memory of POSIX',
    leave: python(
      `from multiprocessing import shared_memory as s, resource_tracker as t\nm = s.SharedMemory('left', True, 64)\nt.unregister(m._name, 'shared_memory')`,
    ),
    look: 'ls -A /dev/shm',
  },
  {
    name: 'a socket without a file',
    leave: python(
      `import socket, os, time\ns = socket.socket(socket.AF_UNIX)\ns.bind('\\0left'); s.listen()\nif os.fork() == 0:\n    os.setsid(); time.sleep(30)`,
    ),
    look: 'grep -c @left /proc/net/unix',
  },
  {
    name: 'a counter of the network',
    leave: `bash -c 'for i in 1 2 3; do echo hi > /dev/udp/127.0.0.1/9; done' 2>/dev/null; true`,
    look: 'grep lo: /proc/net/dev | tr -s " "; cat /proc/net/snmp | cksum',
  },
  {
    name: 'an address, a route or a rule of the network',
    leave: 'ip addr add 10.1.1.1/32 dev lo 2>/dev/null; ip link add left type dummy 2>/dev/null; true',
    look: 'tail -n +3 /proc/net/dev | cut -d: -f1; cat /proc/net/route | wc -l; cat /proc/net/fib_trie | grep -c 10.1.1.1',
  },
  keep(-1),
  keep(-2),
  keep(-3),
  keep(-4),
  keep(-5),
  {
    name: 'a session of keys with a name',
    leave: python(`${call}call(${keyctl}, 1, b'left'); call(${addKey}, b'user', b'named', b'left', 4, -3)`),
    look: python(`${call}call(${keyctl}, 1, b'left'); print(call(${keyctl}, 10, -3, b'user', b'named', 0))`),
  },
  {
    name: 'the keyring that persists',
    leave: python(`${call}call(${keyctl}, 22, -1, -2)\ncall(${addKey}, b'user', b'lasting', b'left', 4, -2)`),
    look: python(`${call}call(${keyctl}, 22, -1, -2)\nprint(call(${keyctl}, 10, -2, b'user', b'lasting', 0))`),
  },
  {
    name: 'a key by the calls of another kind of machine (x32)',
    leave: python(`${call}call(${addKey} | 0x40000000, b'user', b'x32', b'left', 4, -3)`),
    look: python(`${call}print(call(${keyctl} | 0x40000000, 10, -3, b'user', b'x32', 0))`),
  },
  {
    name: 'a umask, limits and a priority',
    leave: 'umask 0; ulimit -n 17; renice -n 15 $$ > /dev/null; true',
    look: 'umask; ulimit -n; nice',
  },
  {
    name: 'who is ended first',
    leave: 'echo 500 > /proc/1/oom_score_adj 2>/dev/null; true',
    look: 'cat /proc/self/oom_score_adj',
  },
  {
    name: 'a policy of the scheduler',
    leave: 'chrt -b -p 0 1 2>/dev/null; taskset -p 1 1 > /dev/null 2>&1; true',
    look: 'chrt -p $$ | cut -d: -f2; taskset -p $$ | cut -d: -f2',
  },
  {
    name: 'a group of processes (cgroup)',
    leave: 'mkdir /sys/fs/cgroup/left 2>/dev/null; true',
    look: 'ls /sys 2>&1 | head -n 1; cat /proc/self/cgroup | sed "s/.*://"',
  },
  {
    name: 'a setting of the kernel',
    leave:
      'for f in kernel/hostname kernel/domainname vm/overcommit_memory kernel/ns_last_pid fs/file-max user/max_user_namespaces; do echo 7 > /proc/sys/$f; done 2>/dev/null; hostname left 2>/dev/null; true',
    look: 'cd /proc/sys && cat kernel/hostname kernel/domainname vm/overcommit_memory user/max_user_namespaces; echo $$',
  },
  {
    name: 'the number of the next process',
    leave: 'i=0; while [ $i -lt 50 ]; do /bin/true; i=$((i+1)); done',
    look: 'sh -c "echo \\$\\$" | cut -c1-2',
  },
  {
    name: 'the clock',
    leave: 'date -s 2001-01-01 > /dev/null 2>&1; true',
    look: 'test "$(date +%Y)" -gt 2020 && echo now; cat /proc/self/timens_offsets 2>/dev/null | cksum',
  },
  {
    name: 'a timer or a task for later',
    leave: `echo 'touch /tmp/late' | at now 2>/dev/null; (crontab - <<< '* * * * * true') 2>/dev/null; true`,
    look: 'ls -A /var/spool/cron 2>/dev/null | wc -l',
  },
  {
    name: 'a file of the home',
    leave: 'echo left > ~/.profile; mkdir -p ~/.cache && echo left > ~/.cache/x',
    look: 'ls -A ~',
  },
  {
    name: 'words into a terminal',
    leave: python(
      `import fcntl, os, termios\n${attempt("fcntl.ioctl(os.open('/dev/tty', os.O_RDWR), termios.TIOCSTI, b'x')")}`,
    ),
    look: 'tty; true',
  },
  {
    name: 'a file that was deleted and is held open',
    leave: 'setsid sh -c "exec 7> /tmp/held; rm /tmp/held; echo left >&7; sleep 30" > /dev/null 2>&1 & sleep 0.05',
    look: 'df --output=used /tmp | tail -n 1',
  },
  {
    name: 'an end of a pipe of the launcher',
    leave: 'for f in /proc/1/fd/*; do echo score >> $f; done 2>/dev/null; true',
    look: 'ls /proc/self/fd | wc -l',
  },
  {
    name: 'a core, or where cores go',
    leave:
      'ulimit -c unlimited; sh -c "kill -ABRT \\$\\$"; echo "|/bin/true" > /proc/sys/kernel/core_pattern 2>/dev/null; true',
    look: `ulimit -c; ${each('ls -A "$d"')}; cat /proc/sys/kernel/core_pattern | cksum`,
  },
];
