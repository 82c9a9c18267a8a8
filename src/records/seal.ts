import { createHash } from 'node:crypto';

/*
 * Every commit that orgrepo makes ends in a checksum of all the rest of it. A commit's id is one too, but the newest
 * commit of a branch has nobody above it that remembers the id: whoever edits it and moves the branch leaves no trace.
 * It is no signature: whoever writes a history from end to end can compute the seals as well.
 */

const sealAtTheEnd = /^Org-Seal: ([0-9a-f]{16})\n$/;
const sealBytes = 'Org-Seal: '.length + 17;

/** The line that seals a commit: over every byte that stands above it. */
export const sealLine = (content: Buffer | string): string =>
  `Org-Seal: ${createHash('sha256').update(content).digest('hex').slice(0, 16)}\n`;

/** Whether a commit is as it was when it was sealed. */
export function sealOf(content: Buffer): 'whole' | 'broken' | 'none' {
  const end = content.length - sealBytes;
  const line = end <= 0 || content[end - 1] !== 10 ? '' : content.toString('latin1', end);
  if (!sealAtTheEnd.test(line)) return 'none';
  return line === sealLine(content.subarray(0, end)) ? 'whole' : 'broken';
}
