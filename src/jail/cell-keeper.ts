import { existsSync } from 'node:fs';

/**
 * The keeper starts cells, one after the other. Before each cell it unmounts the memory that the last one wrote to and mounts fresh memory.
 * Node cannot mount anything, and starting mount for every command would cost more than the rest of the cell. So the keeper is a small
 * program, in a language that nearly every machine has, that stays. It blocks keyrings for everything it starts.
 */

/** Memory, or a place of the machine with all that stands on it, put somewhere in the holder. */
export interface Fresh {
  readonly to: string;
  /** Undefined: memory with these options. */
  readonly from?: string;
  readonly options?: string;
  /** What has to be there first. */
  readonly make?: 'directory' | 'file';
}

export interface Renewal {
  /** What is taken away before it is put anew, with all that stands on it. */
  readonly away: readonly string[];
  readonly fresh: readonly Fresh[];
}

/** The numbers of prctl, mount and umount2 by kind of machine. */
const numbers: Readonly<Record<string, readonly [prctl: number, mount: number, umount: number]>> = {
  x64: [157, 165, 166],
  arm64: [167, 40, 39],
  riscv64: [167, 40, 39],
  loong64: [167, 40, 39],
  ppc64: [171, 21, 52],
};

const bind = 0x1000 | 0x4000; // MS_BIND | MS_REC
const plain = 0x2 | 0x4; // MS_NOSUID | MS_NODEV

/**
 * `loop` reads a word for each cell, as far as the next zero; what it starts reads on from there. `once` becomes the cell.
 * 22, 2 is PR_SET_SECCOMP with a filter; 2 is MNT_DETACH.
 */
const inPerl = `
my ($how, $prctl, $mount, $umount, $filter, $away, $fresh, @cell) = @ARGV;
my @away = map { pack "H*", $_ } split / /, $away;
my @fresh = map { [map { pack "H*", $_ } split /,/, $_, -1] } split / /, $fresh;
my $used;
sub renew {
  for my $to ($used ? @away : ()) { syscall($umount + 0, $to, 2) == 0 or die "umount $to: $!\\n"; }
  $used = 1;
  for (@fresh) {
    my ($from, $to, $type, $flags, $options, $make) = @$_;
    if ($make eq "directory") { mkdir $to or die "$to: $!\\n"; }
    if ($make eq "file") { open my $file, ">", $to or die "$to: $!\\n"; }
    syscall($mount + 0, $from, $to, $type, $flags + 0, $options) == 0 or die "mount $to: $!\\n";
  }
}
sub word { my ($byte, $read); do { $read = sysread STDIN, $byte, 1; } while ($read && $byte ne "\\0"); $read }
my $f = pack "H*", $filter;
my $program = pack "S x6 P", length($f) / 8, $f;
syscall($prctl + 0, 22, 2, $program) == 0 or die "no filter: $!\\n";
umask 022;
if ($how eq "once") { renew(); exec { $cell[0] } @cell; die "$cell[0]: $!\\n"; }
syswrite STDOUT, "ready\\n";
while (word()) {
  renew();
  my $child = fork // die "fork: $!\\n";
  if ($child == 0) { setpgrp; exec { $cell[0] } @cell; exit 127; }
  waitpid $child, 0;
  syswrite STDOUT, "exit " . ($? & 127 ? 128 + ($? & 127) : $? >> 8) . "\\n";
}`;

const inPython = `
import ctypes, os, sys
how, prctl, mount, umount, program, away, fresh, *cell = sys.argv[1:]
libc = ctypes.CDLL(None, use_errno=True)
def call(what, number, *given):
    if libc.syscall(int(number), *given) != 0: sys.exit(what + ": " + os.strerror(ctypes.get_errno()))
away = [bytes.fromhex(to) for to in away.split()]
fresh = [[bytes.fromhex(part) for part in one.split(",")] for one in fresh.split()]
used = False
def renew():
    global used
    for to in away if used else []: call("umount", umount, to, 2)
    used = True
    for source, to, kind, flags, options, make in fresh:
        if make == b"directory": os.mkdir(to)
        if make == b"file": open(to, "w").close()
        call("mount " + os.fsdecode(to), mount, source, to, kind, ctypes.c_ulong(int(flags)), options)
def word():
    while True:
        byte = os.read(0, 1)
        if byte in (b"", b"\\0"): return byte != b""
program = bytes.fromhex(program)
class Filter(ctypes.Structure): _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]
call("no filter", prctl, 22, 2, ctypes.byref(Filter(len(program) // 8, program)), 0, 0)
os.umask(0o022)
if how == "once":
    renew()
    os.execvp(cell[0], cell)
os.write(1, b"ready\\n")
while word():
    renew()
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        try: os.execvp(cell[0], cell)
        finally: os._exit(127)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.write(1, b"exit %d\\n" % (code if code >= 0 else 128 - code))`;

const languages = {
  perl: { switches: ['-e'], program: inPerl },
  python3: { switches: ['-I', '-c'], program: inPython },
};
export type KeeperLanguage = keyof typeof languages;

/** The words that start a cell, once or for every word that is said. */
export function keeperOf(
  how: 'once' | 'loop',
  { away, fresh }: Renewal,
  cell: readonly string[],
  language: KeeperLanguage = find('perl') === undefined ? 'python3' : 'perl',
): string[] {
  const mounts = fresh.map(({ from, to, options = '', make = '' }) =>
    from === undefined ? ['tmpfs', to, 'tmpfs', String(plain), options, make] : [from, to, '', String(bind), '', make],
  );
  const { switches, program } = languages[language];
  return [
    ...[find(language) ?? language, ...switches, program],
    ...[how, ...(numbers[process.arch] ?? []).map(String), keyringFilter().toString('hex')],
    ...[away.map(hex).join(' '), mounts.map((parts) => parts.map(hex).join(',')).join(' '), ...cell],
  ];
}

const hex = (text: string): string => Buffer.from(text).toString('hex');

/** Why there can be no keeper on this machine; undefined when there can. */
export function whyNoKeeper(): string | undefined {
  if (numbers[process.arch] === undefined)
    return `nobody has written down yet how its kernel is asked on ${process.arch}`;
  return find('perl') === undefined && find('python3') === undefined ? 'neither perl nor python3 is there' : undefined;
}

const find = (name: KeeperLanguage): string | undefined =>
  ['/usr/bin', '/bin', '/usr/local/bin'].map((dir) => `${dir}/${name}`).find((file) => existsSync(file));

/**
 * System calls that are blocked inside a cell. Kernel keyrings belong to a user, not to a cell: a command that runs with the person's
 * user id could read their keys, or leave notes for the next command. Inside a cell the kernel appears to have no keyrings.
 */

/** What a filter is asked about: where in its question the number of a call and the kind of machine stand. */
const asked = { call: 0, machine: 4 };

/** The numbers of add_key, request_key and keyctl, from the first to the last, by kind of machine (AUDIT_ARCH_*). */
const keyringCalls: readonly { readonly machine: number; readonly from: number; readonly to: number }[] = [
  { machine: 0xc000_003e, from: 248, to: 250 }, // x86-64, and x32 with the bit that is taken off below
  { machine: 0x4000_0003, from: 286, to: 288 }, // i386
  { machine: 0xc000_00b7, from: 217, to: 219 }, // arm64
  { machine: 0x4000_0028, from: 309, to: 311 }, // arm
  { machine: 0xc000_00f3, from: 217, to: 219 }, // riscv64
  { machine: 0xc000_0102, from: 217, to: 219 }, // loong64
  { machine: 0xc000_0015, from: 269, to: 271 }, // ppc64, little end first
];

const x32Bit = 0x4000_0000;

/** The operations of a filter, as the kernel writes them: load, mask, jump, return. */
const op = { load: 0x20, and: 0x54, jumpIfEqual: 0x15, jumpIfAtLeast: 0x35, jumpIfAbove: 0x25, give: 0x06 };

const allow = 0x7fff_0000;
const noSuchCall = 0x0005_0000 | 38; // ENOSYS

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** The filter as the kernel reads it: eight bytes for each instruction. */
function keyringFilter(): Buffer {
  const instructions: Instruction[] = [[op.load, 0, 0, asked.machine]];
  for (const { machine, from, to } of keyringCalls)
    instructions.push(
      [op.jumpIfEqual, 0, 6, machine],
      [op.load, 0, 0, asked.call],
      [op.and, 0, 0, ~x32Bit >>> 0],
      [op.jumpIfAtLeast, 0, 2, from],
      [op.jumpIfAbove, 1, 0, to],
      [op.give, 0, 0, noSuchCall],
      [op.give, 0, 0, allow],
    );
  instructions.push([op.give, 0, 0, allow]);
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [index, [code, ifTrue, ifFalse, value]] of instructions.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}
