import assert from 'node:assert/strict';
import { parseBrief } from '../../src/brief/read/brief-text.ts';
import type { Member } from '../../src/domain/staff/charter.ts';
import { readCharter } from '../../src/org/read/org-file.ts';
import { exportOrg } from '../../src/org/write/org-export.ts';
import { parseDraft, parseSpec } from '../../src/records/queue/spec-text.ts';
import { isProblem } from '../../src/text/problem.ts';
import { type Random, randomFrom } from '../../src/text/random.ts';
import {
  acme,
  acmeCulture,
  acmePolicies,
  acmeSdlc,
  acmeStructure,
  agency,
  growthLab,
  lab,
  solo,
} from '../org/org-examples.ts';

/** What became of so many damaged files. */
export interface Tally {
  readonly read: number;
  readonly refused: number;
  /** The slowest, in milliseconds of this process's own time for 10 KB. */
  readonly slowest: number;
}

/**
 * Damages files that people write and reads them: each is read, or refused with a file, a line, a column and a hint. Anything
 * else, an error of ours or one that takes long, fails.
 */
export function readDamaged(seed: string, count: number): Tally {
  const random = randomFrom(seed);
  let [read, refused, slowest] = [0, 0, 0];
  for (let round = 0; round < count; round++) {
    const kind = random.pick(kinds);
    const text = damage(random.pick(kind.sources), random);
    let isRead = false;
    const spent = timed(() => {
      try {
        kind.read(text);
        isRead = true;
      } catch (error) {
        checkRefusal(error, text, kind.file);
      }
    });
    if (isRead) kind.check?.(text);
    read += isRead ? 1 : 0;
    refused += isRead ? 0 : 1;
    const allowed = 100 * Math.max(1, text.length / 10_240);
    // Once may be the garbage collector or a busy machine; thrice is the parser.
    if (spent > allowed) assert.ok(isFast(kind, text, allowed), `${Math.round(spent)} ms for ${JSON.stringify(text)}`);
    else slowest = Math.max(slowest, (100 * spent) / allowed);
  }
  return { read, refused, slowest };
}

interface Kind {
  readonly file: string;
  readonly sources: readonly string[];
  readonly read: (text: string) => void;
  /** What must hold of a file that can be read; its time does not count. */
  readonly check?: (text: string) => void;
}

const pinned =
  '---\nmodels: { claude-sonnet: claude-sonnet-4-5-20250929, claude-haiku: claude-haiku-4-5-20251001 }\n---\n';

const brief = `---
metric: waste_pct
direction: minimize
target: 3.0
sandbox: [sandbox/**, src/*.js]
harness: harness
run: node harness/run.mjs
score: node harness/score.mjs
budget: { experiment: 5s, agent: 10m, night: 8h, usd: 5, tokens_in: 200k, attempts: 5, patience: 25 }
samples: 1..5
guards: { params: "<= 1.05x", lines: "<= +40" }
include: [package.json]
model: claude-sonnet-4-5-20250929
chief: { model: claude-sonnet-4-5-20250929 }
---
# Pack
`;

const plainBrief = `# Watcher
## Scope
- READ: /sources/a.yaml
- WRITE: append to /reports/weekly-YYYY-WW.md only
- NEVER: edit /sources, /policies
## Success metric
- scalar: recall = useful / total
- target: >= 0.6 over four weeks
## Budget
- 200K input tokens / 20K output tokens
`;

const spec =
  '---\nid: "0007"\ntitle: leave less room\nby: chief\nattempts: 3\nrisk: high\n---\n# Try\n\nOrg-Event: keep\n';

const kinds: readonly Kind[] = [
  {
    file: 'ORG.md',
    sources: [
      solo,
      agency,
      lab,
      `${pinned}${solo}`,
      acmeStructure,
      `# A\n\n${acmePolicies}`,
      `${acmeCulture}\n${acmeSdlc}`,
      acme,
    ],
    read: (orgMd) => readCharter({ orgMd }, { resolve: false }),
    check: writeAgain,
  },
  { file: 'ORG.md', sources: [`${pinned}${solo}`, pinned + lab], read: (orgMd) => readCharter({ orgMd }) },
  { file: 'org.yaml', sources: [growthLab], read: (orgYaml) => readCharter({ orgYaml }) },
  { file: 'program.md', sources: [brief, plainBrief], read: (text) => parseBrief(text, 'program.md') },
  { file: 'specs/0007-x.md', sources: [spec], read: (text) => parseSpec(text, 'specs/0007-x.md') },
  { file: 'specs/0007-x.md', sources: [spec], read: (text) => parseDraft(text, 'specs/0007-x.md') },
];

/** What is read is exported without a change, and without whoever left. */
function writeAgain(orgMd: string): void {
  const { charter } = readCharter({ orgMd }, { resolve: false });
  assert.equal(exportOrg(orgMd, charter, charter), orgMd);
  const [person] = charter.people;
  const gone = charter.members.at(-1)?.id;
  if (gone === undefined) return;
  const members = charter.members
    .filter(({ id }) => id !== gone)
    .map((member) => (member.reportsTo === gone ? { ...member, reportsTo: person?.id } : member));
  const again = readCharter({ orgMd: exportOrg(orgMd, charter, { members }) }, { resolve: false }).charter;
  const lines = (all: readonly Member[]): readonly string[] => all.map(({ id, reportsTo }) => `${id} ${reportsTo}`);
  assert.deepEqual(lines(again.members), lines(members), JSON.stringify(orgMd));
}

function checkRefusal(error: unknown, text: string, file: string): void {
  const what = JSON.stringify(text);
  assert.ok(isProblem(error), `${error instanceof Error ? error.stack : String(error)} for ${what}`);
  const { message, hint, place } = error;
  assert.ok(place?.line !== undefined && place.column !== undefined, `${message} has no place: ${what}`);
  assert.ok(
    place.line >= 1 && place.line <= text.split(/\r\n?|\n/).length + 1,
    `${message} is beyond the file: ${what}`,
  );
  assert.ok(place.column >= 1, message);
  assert.ok(message.startsWith(`${file}:${place.line}:${place.column}: `) && message.length < 450, message);
  assert.ok(hint !== '', `${message} has no hint`);
  assert.doesNotMatch(message, /[\u0000-\u001f\u202e]/);
}

function timed(run: () => void): number {
  const before = process.cpuUsage(); // Its own time: a busy machine is not a slow parser.
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const isFast = (kind: Kind, text: string, allowed: number): boolean =>
  [1, 2, 3].some(
    () =>
      timed(() => {
        try {
          kind.read(text);
        } catch {}
      }) <= allowed,
  );

const scraps = [
  '\n', '\r\n', '\r', '\t', ' ', ':', ': ', '#', '# ', '\n## ', '\n### ', '\n#### ', '\n##### ', '- ', '\n- ', '1. ', '[', ']', '{', '}', '"', "'",
  '|', '>', '&a ', '*a', '**', '**Count:** ', '\n- **Count:** 0', '\n- **Level:** 11', '\n- **Reports to:** COO', '\n- **Id:** ', '!!js/function ',
  '? ', '---\n', '\n---\n', '---js\n', '...\n', '%YAML 1.1\n', '<<: ', '__proto__: ', 'constructor', '\u0000', '\u202e', '\ud800', '\ufeff', '👩‍🔬', '```', '\n```\n',
  '~~~\n', '<!--', '-->', '<script>', '..', '/', '\\', '../../etc', '-rf', '.git', '1e999', '-0', '017', '0x10', '1_000', '25:00', 'null', '~', 'yes', '—',
  ' — ', '12:30:00', 'é', '\u2028', 'same-as-lead', 'fastest', '(Human)', 'Human Principal', '    ', '100%', '$',
]; // biome-ignore format: a table of scraps

function damage(source: string, random: Random): string {
  let text = source;
  for (let times = 1 + random.below(4); times > 0; times--) {
    const at = random.below(text.length + 1);
    const end = Math.min(text.length, at + random.below(20));
    const lines = text
      .slice(at, at + 200)
      .split('\n', 3)
      .join('\n');
    const middle = random.pick([
      random.pick(scraps),
      random.pick(scraps).repeat(1 + random.below(8)),
      '',
      text.slice(at, end).repeat(2),
      lines,
      text.slice(end, end + 20),
    ]);
    text = text.slice(0, at) + middle + text.slice(random.next() < 0.5 ? at : end);
  }
  return text;
}
