import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../support/org.ts';

const writes = process.env.ORGREPO_GOLDEN === 'write';

/** Where recorded texts are, beside the source of the tests and not in build/, who reads them, and which test records them. */
interface GoldenPlace {
  readonly place: string;
  readonly says: string;
  readonly test: string;
}

const contract: GoldenPlace = {
  place: 'test/contract',
  says: 'People script against this. If the change is meant, say so in CHANGELOG.md and record it',
  test: 'test/contract/contract.test.ts',
};

/** Fails with a diff when a text is not the recorded one. `ORGREPO_GOLDEN=write` records it instead. */
export function assertGolden(name: string, text: string, { place, says, test }: GoldenPlace = contract): void {
  const file = path.join(root, place, `${name}.golden.txt`);
  if (writes) writeFileSync(file, text);
  const recorded = readFileSync(file, 'utf8');
  if (recorded === text) return;
  const [before, now] = [recorded.split('\n'), text.split('\n')];
  const diff = formatDiff(before, now);
  throw new Error(
    `this differs from ${place}/${name}.golden.txt (- recorded, + now):\n\n${diff}\n\n` +
      `${says}:\n  ORGREPO_GOLDEN=write node scripts/test.mjs ${test}\n`,
  );
}

/** The lines that differ, each group below its heading. */
export function formatDiff(before: readonly string[], now: readonly string[]): string {
  const lines: string[] = [];
  let said: string | undefined;
  let heading = '';
  for (const { sign, line } of changesBetween(before, now)) {
    if (line.startsWith('== ')) heading = line;
    if (sign === ' ') continue;
    if (heading !== said && line !== heading && heading !== '') lines.push(`  ${heading}`);
    said = heading;
    lines.push(`${sign} ${line}`);
  }
  return lines.join('\n');
}

interface Change {
  readonly sign: ' ' | '-' | '+';
  readonly line: string;
}

/** The fewest lines to take out and to put in. */
function changesBetween(before: readonly string[], now: readonly string[]): readonly Change[] {
  const common = commonLines(before, now);
  const changes: Change[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < now.length) {
    const [old, fresh] = [before[i], now[j]];
    if (old !== undefined && old === fresh) {
      changes.push({ sign: ' ', line: old });
      [i, j] = [i + 1, j + 1];
    } else if (fresh === undefined || (old !== undefined && at(common, i + 1, j) >= at(common, i, j + 1))) {
      changes.push({ sign: '-', line: old ?? '' });
      i += 1;
    } else {
      changes.push({ sign: '+', line: fresh });
      j += 1;
    }
  }
  return changes;
}

/** How many lines both have in common after each pair of places. */
function commonLines(before: readonly string[], now: readonly string[]): readonly Uint16Array[] {
  const common = Array.from({ length: before.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--) {
      const row = common[i] as Uint16Array;
      row[j] =
        before[i] === now[j] ? at(common, i + 1, j + 1) + 1 : Math.max(at(common, i + 1, j), at(common, i, j + 1));
    }
  return common;
}

const at = (common: readonly Uint16Array[], i: number, j: number): number => common[i]?.[j] ?? 0;
