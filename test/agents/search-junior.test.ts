import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import type { AgentTask, AgentWork } from '../../src/agents/agent-contract.ts';
import { searchJunior } from '../../src/agents/search/search-junior.ts';
import type { Brief } from '../../src/domain/words/brief.ts';
import type { Experiment, VerdictEvent } from '../../src/domain/words/experiment.ts';
import { anExperiment } from '../support/builders.ts';

const scratch = mkdtempSync(join(tmpdir(), 'orgrepo-junior-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

const table = `${Array.from({ length: 20 }, (_, row) => `  ${row * 5}, // row ${row}`).join('\n')}\n`;
const files = { 'sandbox/rule.mjs': `const worth = [\n${table}];\nconst weight = 0;\n` };

test('the same task gives the same edit, and another attempt, ask or seed another one', async () => {
  const first = await work(files, {});
  assert.deepEqual(await work(files, {}), first);
  for (const other of [{ attempt: 2 }, { ask: 2 }, { seed: 'another' }]) {
    assert.notDeepEqual((await work(files, other)).texts, first.texts);
  }
});

test('the title says what was changed, and the notes say it exactly', async () => {
  for (let attempt = 1; attempt <= 40; attempt++) {
    const { work: done, texts } = await work(files, { attempt });
    assert.equal(done.kind, 'edited');
    assert.match(done.title, /^(?:rule\.mjs:\d+.*: \S+ -> \S+|[a-z]+: \d+ places on lines \d+ to \d+ of rule\.mjs)$/);
    assert.doesNotMatch(done.title, /\n/);
    assert.equal(apply(files['sandbox/rule.mjs'], done.notes), texts['sandbox/rule.mjs']);
  }
});

test('only the lines that the spec names are changed', async () => {
  const bodies = [
    'Explore the numbers on lines 4 to 6 of sandbox/rule.mjs. Try blocks.',
    'Please look at lines 4-6 of rule.mjs!',
    'See line 4 of `sandbox/rule.mjs` and lines 5 and 6 in sandbox/rule.mjs.',
  ];
  for (const body of bodies) {
    for (let attempt = 1; attempt <= 25; attempt++) {
      const { work: done, texts } = await work(files, { attempt, body });
      assert.equal(done.kind, 'edited');
      const lines = changedLines(files['sandbox/rule.mjs'], texts['sandbox/rule.mjs'] as string);
      assert.ok(
        lines.every((line) => line >= 4 && line <= 6),
        `${body}: ${lines}`,
      );
    }
  }
});

test('a spec in free prose may be worked anywhere', async () => {
  const lines = new Set<number>();
  for (let attempt = 1; attempt <= 60; attempt++) {
    const { texts } = await work(files, { attempt, body: 'Line 1 of defence: make it better.' });
    for (const line of changedLines(files['sandbox/rule.mjs'], texts['sandbox/rule.mjs'] as string)) lines.add(line);
  }
  assert.ok(lines.size > 18, `${[...lines]}`);
});

test('what the notebook knows is never tried again, until nothing is left to try', async () => {
  const small = { 'sandbox/a.py': 'deep = True\nwide = False\n' };
  const notebook: Experiment[] = [];
  const seen = new Set<string>([small['sandbox/a.py']]);
  for (let attempt = 1; attempt <= 3; attempt++) {
    const { work: done, texts } = await work(small, { attempt, notebook });
    assert.equal(done.kind, 'edited');
    assert.ok(!seen.has(texts['sandbox/a.py'] as string));
    seen.add(texts['sandbox/a.py'] as string);
    notebook.push(experiment('discard', done.notes, 2, 1));
  }
  assert.deepEqual((await work(small, { attempt: 4, notebook })).work, {
    kind: 'nothing',
    reason: 'everything that the search could think of here was tried before',
  });
});

test('steps grow smaller after a run of discards and start large again when they have become too small', async () => {
  const mean = async (discards: number) => {
    const notebook = Array.from({ length: discards }, () => experiment('discard', '', 2, 1));
    let sum = 0;
    for (let attempt = 1; attempt <= 80; attempt++) {
      const { work: done } = await work(files, { attempt, notebook, body: 'On lines 2 to 21 of sandbox/rule.mjs.' });
      const change = done.kind === 'edited' ? /^\S+ (\S+) -> (\S+)$/m.exec(done.notes) : null;
      if (change !== null) sum += Math.abs(Number(change[2]) - Number(change[1]));
    }
    return sum / 80;
  };
  const [fresh, tired, restarted] = [await mean(0), await mean(100), await mean(120)];
  assert.ok(tired < fresh / 2, `${fresh} ${tired}`);
  assert.ok(restarted > tired * 2, `${tired} ${restarted}`);
});

test('two kept changes that could not be merged are first tried together', async () => {
  const body =
    'combine: two kept changes\n\n- sandbox/rule.mjs:2:1 0 -> 7\n- sandbox/rule.mjs:3:1 5 -> 9\n\nsandbox/rule.mjs:4:1 8 -> 11\n';
  const { texts } = await work(files, { body, by: 'merge' });
  // Line 4 has 10 by now, no longer the 8 of the change: the difference is added.
  const expected = files['sandbox/rule.mjs'].replace(
    '  0, // row 0\n  5, // row 1\n  10, //',
    '  7, // row 0\n  9, // row 1\n  13, //',
  );
  assert.deepEqual(texts, { 'sandbox/rule.mjs': expected });
});

test('nothing but numbers and simple choices gets into a file from a spec that somebody wrote', async () => {
  const body =
    'combine: x\n\nsandbox/rule.mjs:2:1 0 -> process.exit()\nsandbox/rule.mjs:3:1 5 -> 9\nsandbox/rule.mjs:4:1 10 -> x\n';
  const { texts } = await work(files, { body });
  assert.deepEqual(texts, { 'sandbox/rule.mjs': files['sandbox/rule.mjs'].replace('  5, // row 1', '  9, // row 1') });
});

const formats: readonly { readonly text: string; readonly like: RegExp }[] = [
  { text: 'epochs = 12\r\nbatch = 64\r\n', like: /^epochs = \d+\r\nbatch = \d+\r\n$/ },
  { text: 'rate: 0.25', like: /^rate: -?\d+\.\d{2,6}$/ },
  { text: '{"lr": 1e-4}', like: /^\{"lr": -?\d+(\.\d{1,2})?e-?\d+\}$/ },
  { text: 'float x = 0.5f;\n', like: /^float x = -?\d+\.\d{1,6}f;\n$/ },
  { text: 'let n = 10n;\n', like: /^let n = -?\d+n;\n$/ },
  { text: 'weight = 0\n', like: /^weight = -?\d+(\.\d{1,6})?\n$/ },
  { text: '# \u00fcber\ny = x - 5\n', like: /^# \u00fcber\ny = x [-+] \d+\n$/ },
  { text: 'use_bias = True\n', like: /^use_bias = False\n$/ },
];

for (const { text, like } of formats) {
  test(`${JSON.stringify(text)} keeps its format`, async () => {
    for (let attempt = 1; attempt <= 40; attempt++) {
      const { work: done, texts } = await work({ 'sandbox/a.py': text }, { attempt });
      assert.equal(done.kind, 'edited');
      assert.match(texts['sandbox/a.py'] as string, like);
      assert.notEqual(texts['sandbox/a.py'], text);
    }
  });
}

test('a sandbox with nothing to change is left alone, with the reason', async () => {
  const { work: done } = await work({ 'sandbox/a.txt': 'Nothing to see.\n', 'sandbox/b.bin': 'x = 1\0' }, {});
  assert.deepEqual(done, {
    kind: 'nothing',
    reason: 'the sandbox has no numbers, no true or false and no operators to change',
  });
  const { work: elsewhere } = await work(files, { body: 'Explore lines 1 to 1 of sandbox/rule.mjs.' });
  assert.deepEqual(elsewhere, { kind: 'nothing', reason: 'there is nothing to change on line 1 of sandbox/rule.mjs' });
});

test('files that cannot be read, links and huge files are passed over', async () => {
  const dir = makeDir({
    'sandbox/big.py': `x = 1\n${'#'.repeat(1_000_001)}`,
    'sandbox/ok.py': 'x = 5\n',
    'y.py': 'y = 5\n',
  });
  symlinkSync('../y.py', join(dir, 'sandbox/link.py'));
  const paths = ['sandbox/big.py', 'sandbox/gone.py', 'sandbox/link.py', 'sandbox/ok.py'];
  const done = await searchJunior(makeTask(dir, paths, {}), new AbortController().signal);
  assert.equal(done.kind, 'edited');
  assert.equal(readFileSync(join(dir, 'y.py'), 'utf8'), 'y = 5\n');
  assert.notEqual(readFileSync(join(dir, 'sandbox/ok.py'), 'utf8'), 'x = 5\n');
});

type Texts = Readonly<Record<string, string>>;

interface Wanted {
  readonly attempt?: number;
  readonly ask?: number;
  readonly seed?: string;
  readonly body?: string;
  readonly by?: string;
  readonly notebook?: readonly Experiment[];
}

async function work(texts: Texts, wanted: Wanted): Promise<{ readonly work: AgentWork; readonly texts: Texts }> {
  const dir = makeDir(texts);
  const done = await searchJunior(makeTask(dir, Object.keys(texts), wanted), new AbortController().signal);
  return {
    work: done,
    texts: Object.fromEntries(Object.keys(texts).map((path) => [path, readFileSync(join(dir, path), 'utf8')])),
  };
}

function makeDir(texts: Texts): string {
  const dir = mkdtempSync(join(scratch, 'bench-'));
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  return dir;
}

function makeTask(dir: string, paths: readonly string[], wanted: Wanted): AgentTask {
  return {
    role: 'junior',
    agent: 'junior-1',
    dir,
    files: paths,
    brief: { direction: 'minimize', metric: 'loss' } as Brief,
    spec: { id: '0001', title: 'Better', by: wanted.by ?? 'people', attempts: undefined, body: wanted.body ?? '' },
    notebook: wanted.notebook ?? [],
    specs: [],
    open: 0,
    wanted: 0,
    attempt: wanted.attempt ?? 1,
    ask: wanted.ask ?? 1,
    seed: wanted.seed ?? 'seed',
    cell: { level: 'none', shown: [], hidden: [] },
    attempts: 5,
    context: '',
    mark: '0123456789abcdef',
    rehearse: async () => '',
    ...{ refused: [], report: '', plan: '', critiques: [], diff: '' },
    deadlineMs: 60_000,
  };
}

const experiment = (event: VerdictEvent, notes: string, score: number, best: number): Experiment =>
  anExperiment({ event, notes, score, best });

function changedLines(before: string, now: string): readonly number[] {
  const lines = now.split('\n');
  return before.split('\n').flatMap((line, index) => (line === lines[index] ? [] : [index + 1]));
}

/** The notes' changes done by hand, for a text with one number to a line. */
function apply(text: string, notes: string): string {
  const lines = text.split('\n');
  for (const [, line, from, to] of notes.matchAll(/^sandbox\/rule\.mjs:(\d+):1 (\S+) -> (\S+)$/gm)) {
    const index = Number(line) - 1;
    lines[index] = (lines[index] as string).replace(from as string, to as string);
  }
  return lines.join('\n');
}
