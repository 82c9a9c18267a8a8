import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBrief, parseBrief } from '../../src/brief/read/brief-text.ts';
import { parseMessage } from '../../src/records/entry.ts';
import { formatSpec, parseDraft, parseSpec } from '../../src/records/queue/spec-text.ts';
import { isProblem } from '../../src/text/problem.ts';
import { type Random, randomFrom } from '../../src/text/random.ts';

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
agent: { command: "./agent.sh" }
---
# Pack
`;
const plain = `# Watcher
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
const spec = '---\nid: "0007"\ntitle: leave less room\nby: chief\nattempts: 3\n---\n# Try\n\nOrg-Event: keep\n';

const scraps = [
  '\n', '\r\n', '\t', ' ', ':', ': ', '#', '- ', '[', ']', '{', '}', '"', "'", '|', '>', '&a ', '*a', '!!js/function ', '? ',
  '---\n', '\n---\n', '---js\n', '...\n', '%YAML 1.1\n', '<<: ', '__proto__: ', '\u0000', '\u202e', '\ud800', '\ufeff', '👩‍🔬',
  '..', '/', '\\', '.git', '1e999', '-0', '017', '0x10', '1_000', 'null', '~', 'yes', '12:30:00', 'é', '\u2028',
]; // biome-ignore format: a table of scraps

test('thousands of damaged files are read or refused with a place, never worse', () => {
  const random = randomFrom('damaged files');
  const parsers: readonly (readonly [string, (text: string) => unknown])[] = [
    [brief, readBriefTwice],
    [plain, readBriefTwice],
    [spec, readSpecTwice],
    [spec, (text) => parseDraft(text, 'specs/x.md')],
  ];
  let refused = 0;
  for (let round = 0; round < 3_000; round++) {
    const [source, parse] = random.pick(parsers);
    const text = damage(source, random);
    try {
      parse(text);
    } catch (error) {
      assert.ok(isProblem(error), `${String(error)} for ${JSON.stringify(text)}`);
      assert.ok(error.place !== undefined && (error.place.line ?? 0) >= 1, error.message);
      assert.ok(error.place.line !== undefined && error.place.line <= text.split(/\r\n?|\n/).length + 1, error.message);
      assert.ok(error.hint !== '' && error.message.length < 450, error.message);
      assert.doesNotMatch(error.message, /[\u0000-\u001f\u202e]/);
      refused += 1;
    }
  }
  assert.ok(refused > 1_000 && refused < 2_950, `${refused} were refused`);
});

test('files made to be slow are read or refused at once', () => {
  const many = 100_000;
  const inside = [
    '\n',
    ' ',
    '[',
    '{',
    '- ',
    '? ',
    ': ',
    '"',
    '&a ',
    '!x ',
    '|',
    '#',
    'a: ',
    '\n- ',
    '\n? ',
    'a:\n ',
    '{a: ',
    '[a, ',
  ];
  const outside = ['\n', ' ', '.', '#', ' #', '0', '0.', '/', '`', '<', 'YYYY', '-', '\n- ', '\n# '];
  const texts = [
    ...inside.map((scrap) => `---\na: ${scrap.repeat(16_000 / scrap.length)}\n---\n`),
    ...inside.map((scrap) => `---\na: ${scrap.repeat(many)}`),
    ...outside.map((scrap) => `${plain}${scrap.repeat(many)}x`),
    ...outside.map((scrap) => plain.replace('append to ', scrap.repeat(many))),
    ...outside.map((scrap) => plain.replace('200K', scrap.repeat(many))),
    ...outside.map((scrap) => `# ${scrap.repeat(many)}x`),
    brief.replace('sandbox/**', `"${'*a'.repeat(400)}b"`).replace('harness: harness', `harness: ${'a'.repeat(900)}`),
  ];
  for (const text of texts) {
    const before = process.cpuUsage(); // Its own time: a busy machine is not a slow parser.
    for (const parse of [readBriefTwice, readSpecTwice, parseMessage]) {
      try {
        parse(text);
      } catch (error) {
        assert.ok(isProblem(error), String(error));
      }
    }
    const { user, system } = process.cpuUsage(before);
    const ms = (user + system) / 1000;
    assert.ok(ms < 3_000, `${Math.round(ms)} ms for ${JSON.stringify(text.slice(0, 40))}`);
  }
});

/** What is read can be written, and is then read the same. */
function readBriefTwice(text: string): void {
  const once = parseBrief(text, 'program.md');
  assert.deepEqual(parseBrief(formatBrief(once), 'program.md'), once);
}

function readSpecTwice(text: string): void {
  const once = parseSpec(text, 'specs/0007-x.md');
  assert.deepEqual(parseSpec(formatSpec(once), 'specs/0007-x.md'), once);
}

function damage(source: string, random: Random): string {
  let text = source;
  for (let times = 1 + random.below(3); times > 0; times--) {
    const at = random.below(text.length + 1);
    const end = Math.min(text.length, at + random.below(12));
    const middle = random.pick([random.pick(scraps), '', text.slice(at, end).repeat(2), text.slice(end, end + 20)]);
    text = text.slice(0, at) + middle + text.slice(random.next() < 0.5 ? at : end);
  }
  return text;
}
