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
export function keyringFilter(): Buffer {
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
