import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBrief } from '../../src/brief/read/brief-text.ts';
import { choiceInWords } from '../../src/domain/staff/staff.ts';
import { refusal } from '../support/refusal.ts';

const watcher = `# program.md — competitor-watcher v0.1
## Mission
Surface every public competitor product/pricing/comms change in the last 7 days.
## Scope
- READ: competitor URLs in /sources/competitors.yaml
- WRITE: append to /reports/weekly-YYYY-WW.md only
- NEVER: edit /sources, /policies, /evals; never make outbound contact
## Workflow
1. Fetch each source URL. Diff against /cache/last-snapshot/.
2. For each diff, classify: pricing | feature | positioning | hiring | other.
3. Write one bullet per change with: source URL, date observed, 1-line summary.
4. If >25 bullets in a single week, escalate (see Recovery).
5. Update /cache/last-snapshot/ on success.
## Success metric
- scalar: change_recall_score = (bullets_human_marked_useful) / (total_bullets)
- target: >= 0.6 over a 4-week trailing window.
- if score drops below 0.4, halt and request human review.
## Budget
- 200K input tokens / 20K output tokens per run, hard cap.
- Model: claude-sonnet-4-6-2026-01-08 (pinned; never "latest").
## Recovery
- On HTTP 4xx/5xx for a source: log, skip, continue.
- On parse failure: write raw HTML to /errors/, do not invent content.
- On budget overrun: halt, write /errors/budget-exceeded.md, exit 2.
`;

const named = {
  kind: 'api',
  model: { provider: 'anthropic', id: 'claude-sonnet-4-6-2026-01-08' },
  baseUrl: undefined,
} as const;

const read = (text: string, ...paths: readonly string[]) =>
  parseBrief(text, 'program.md', { exists: (path) => paths.includes(path) });

test('a brief in plain sections is read', () => {
  assert.deepEqual(read(watcher, 'harness/score.mjs'), {
    metric: 'change_recall_score',
    pattern: undefined,
    direction: 'maximize',
    target: 0.6,
    haltAt: 0.4,
    sandbox: ['reports/weekly-*.md'],
    allow: [],
    harness: 'harness',
    run: undefined,
    score: 'node harness/score.mjs',
    tests: undefined,
    include: [],
    holdout: [],
    show: [],
    rehearsal: 'output',
    risk: 'low',
    budget: {
      experimentMs: 300_000,
      agentMs: 600_000,
      nightMs: 28_800_000,
      testsMs: 600_000,
      attempts: 5,
      patience: 25,
      usd: undefined,
      tokensIn: 200_000,
      tokensOut: 20_000,
    },
    caps: {},
    prices: new Map(),
    samples: { min: 1, max: 8 },
    minEffect: 0,
    guards: [],
    slots: 1,
    juniors: 1,
    staff: { chief: named, juniors: [named], checkers: [], critics: [] },
    prose: watcher.trimEnd(),
  });
});

test('the harness of a plain brief is found by the names of its scripts', () => {
  const cases: readonly (readonly [readonly string[], string | undefined, string])[] = [
    [['harness/run.mjs', 'harness/score.mjs'], 'node harness/run.mjs', 'node harness/score.mjs'],
    [['harness/run.py', 'harness/score.sh'], 'python3 harness/run.py', 'sh harness/score.sh'],
    [['harness/score.js', 'harness/score.py'], undefined, 'node harness/score.js'],
  ];
  for (const [paths, run, score] of cases) {
    const found = read(watcher, ...paths);
    assert.deepEqual([found.run, found.score], [run, score]);
  }
  const unknown = parseBrief(watcher, 'program.md');
  assert.deepEqual([unknown.run, unknown.score], ['node harness/run.mjs', 'node harness/score.mjs']);
  const { code, message } = refusal(() => read(watcher));
  const expected = 'program.md:6:1: there is no harness/score.mjs (nor .js, .sh, .py) to score with';
  assert.deepEqual([code, message], ['harness/missing', expected]);
});

test('what agents READ is put into the bench where it is there', () => {
  assert.deepEqual(read(watcher, 'harness/score.mjs', 'sources/competitors.yaml').include, [
    'sources/competitors.yaml',
  ]);
});

test('what the workflow looks at is put there too, unless NEVER names it', () => {
  const all = [
    'harness/score.mjs',
    'sources/competitors.yaml',
    'cache/last-snapshot',
    'evals',
    'reports/weekly-2026-46.md',
  ];
  const text = watcher.replace('on success.', 'on success, by /evals/ and /reports/weekly-2026-46.md.');
  assert.deepEqual(read(text, ...all).include, ['sources/competitors.yaml', 'cache/last-snapshot']);
});

test('with two stages the judge and harness/holdout/ are seen by the second one alone', () => {
  const cases: readonly (readonly [readonly string[], readonly string[]])[] = [
    [['harness/score.py'], []],
    [['harness/score.py', 'harness/holdout'], []],
    [['harness/run.sh', 'harness/score.py'], ['harness/score.py']],
    [
      ['harness/run.sh', 'harness/score.py', 'harness/holdout'],
      ['harness/score.py', 'harness/holdout/**'],
    ],
  ];
  for (const [paths, holdout] of cases) assert.deepEqual(read(watcher, ...paths).holdout, holdout);
});

test('the model of a plain brief is the one that its budget names, as one agent', () => {
  const model = (line: string) => {
    const { juniors, staff } = parseBrief(watcher.replace(/- Model: .*/, line), 'program.md');
    return [juniors, choiceInWords(staff.chief), ...staff.juniors.map(choiceInWords)];
  };
  assert.deepEqual(model(''), [3, 'search', 'search']);
  assert.deepEqual(model('- Model: gpt-5-2025-08-07.'), [1, 'gpt-5-2025-08-07', 'gpt-5-2025-08-07']);
  const script = 'scripted:models/watcher.json';
  assert.deepEqual(model(`- model: ${script} (no key)`), [1, script, script]);
  for (const name of ['claude-sonnet-latest', 'claude-sonnet-4-5', 'somebody', '']) {
    const { code, message } = refusal(() => model(`- Model: ${name} (pinned)`));
    assert.equal(code, 'brief/value');
    assert.match(message, /^program\.md:20:1: Model is .*, expected a pinned model such as claude-sonnet-4-6$/);
  }
});

test('paths are found among the words of WRITE', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['/train/', ['train/**']],
    ['/train', ['train/**']],
    ['only train.py', ['train.py']],
    ['`train.py` and `src/**`', ['train.py', 'src/**']],
    ['/logs/YYYY-MM-DD.txt, /notes/<topic>.md.', ['logs/*.txt', 'notes/*.md']],
    ['the files (/a.js, /b.js); and/or nothing else, e.g. no tests', ['a.js', 'b.js']],
    ['src/*.js', ['src/*.js']],
  ];
  for (const [text, sandbox] of cases) {
    const brief = watcher.replace('append to /reports/weekly-YYYY-WW.md only', text);
    assert.deepEqual(parseBrief(brief, 'program.md').sandbox, sandbox, text);
  }
});

test('the direction comes from the target or from words', () => {
  const cases: readonly (readonly [string, 'minimize' | 'maximize', number | undefined])[] = [
    ['target: <= 3.0', 'minimize', 3],
    ['target: < 3,', 'minimize', 3],
    ['Target: ≥ -1.5e3.', 'maximize', -1500],
    ['Lower is better.', 'minimize', undefined],
    ['We maximise it', 'maximize', undefined],
  ];
  for (const [line, direction, target] of cases) {
    const brief = parseBrief(watcher.replace('target: >= 0.6 over a 4-week trailing window.', line), 'program.md');
    assert.deepEqual([brief.direction, brief.target], [direction, target]);
  }
});

test('a plain brief that leaves something out or contradicts itself is refused', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['', '', 'program.md:1:1: there is no front matter, and no line "scalar: name = ..." under ## Success metric'],
    [
      '- scalar: change_recall_score',
      '- scalar: 12',
      'program.md:15:1: the scalar is 12, expected a name such as waste_pct',
    ],
    ['- WRITE', '- MAYBE', 'program.md:1:1: there is no front matter, and no line "WRITE: /sandbox/" under ## Scope'],
    ['append to /reports/weekly-YYYY-WW.md only', 'nothing', 'program.md:6:1: WRITE names no path'],
    [
      'append to /reports/weekly-YYYY-WW.md',
      '/../x.md',
      'program.md:6:1: WRITE names ../x.md, expected a path that stays inside the repository, without ..',
    ],
    [
      '/reports/weekly-YYYY-WW.md',
      '/sources/x.md',
      'program.md:7:1: NEVER names sources, and WRITE lets agents change sources/x.md',
    ],
    ['/reports/weekly-YYYY-WW.md', '/harness/', 'program.md:6:1: sandbox harness/** and harness harness overlap'],
    [
      '>= 0.6 over',
      'about 0.6 over',
      'program.md:16:1: target is "about 0.6 over a 4-week trailing window.", expected a bound such as >= 0.6',
    ],
    [
      '- target: >= 0.6 over a 4-week trailing window.',
      '',
      'program.md:15:1: nothing says whether lower or higher is better',
    ],
  ];
  for (const [from, to, message] of cases) {
    const text = from === '' ? 'Just prose.\n' : watcher.replace(from, to);
    assert.equal(refusal(() => parseBrief(text, 'program.md')).message, message);
  }
});
