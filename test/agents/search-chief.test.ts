import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { AgentTask } from '../../src/agents/agent-contract.ts';
import { searchChief } from '../../src/agents/search/search-chief.ts';
import { searchJunior } from '../../src/agents/search/search-junior.ts';
import type { Brief, Direction } from '../../src/domain/words/brief.ts';
import type { Experiment } from '../../src/domain/words/experiment.ts';
import { gainOver } from '../../src/domain/words/score.ts';
import { type Spec, specIdOf } from '../../src/domain/words/spec.ts';

const scratch = mkdtempSync(join(tmpdir(), 'orgrepo-chief-'));
after(() => rmSync(scratch, { recursive: true, force: true }));
const signal = new AbortController().signal;

const table = Array.from({ length: 20 }, (_, row) => `  ${row * 5}, // row ${row}\n`).join('');
const rule = `const worth = [\n${table}];\n\n\n\nconst weight = 0;\n\nexport const f = (x) => (x < 3 ? worth[x] : weight * x);\n`;

test('the chief writes as many specs as are wanted, each about lines of the sandbox, each the same for the same task', async () => {
  const [first, again] = [await writeSpecs(rule, { wanted: 3 }), await writeSpecs(rule, { wanted: 3 })];
  assert.equal(first.length, 3);
  assert.deepEqual(again, first);
  for (const spec of first) {
    assert.match(
      spec.title,
      /^(?:Single steps|Blocks|Near misses|Choices) on lines? \d+(?: to \d+)? of sandbox\/rule\.mjs(?:, [23](?:nd|rd) time)?$/,
    );
    assert.match(
      spec.body,
      /^\nExplore the .* on lines? .* of sandbox\/rule\.mjs\. Try .*\.\n\nHypothesis: .* Nothing has won yet/,
    );
  }
});

test('no spec of the chief repeats an earlier one', async () => {
  const specs: Spec[] = [];
  for (let round = 0; round < 60; round++) specs.push(...(await writeSpecs(rule, { wanted: 2, specs })));
  assert.equal(new Set(specs.map((spec) => spec.title)).size, 120);
  const [first = '', ...others] = specs
    .map((spec) => spec.title)
    .filter((title) => title.startsWith(specs[0]?.title ?? '-'));
  assert.deepEqual([first.includes(','), others[0], others[1]], [false, `${first}, 2nd time`, `${first}, 3rd time`]);
});

test('specs that are worked side by side are about different lines where there is a choice', async () => {
  const plain = 'a = 1\n\n\n\n\nb = 2\n\n\n\n\nc = 3\n';
  let apart = 0;
  for (let number = 1; number <= 20; number++) {
    const [one, two] = await writeSpecs(plain, { wanted: 2, seed: `seed ${number}` });
    if (one?.body !== two?.body) apart += 1;
  }
  assert.ok(apart >= 16, `${apart} of 20`);
});

test('lines where changes were kept get more specs than lines where none were', async () => {
  const two = 'a = 1\n\n\n\n\nb = 2\n';
  const specs = [1, 2].map((line) =>
    specOf(line, `Explore the numbers on line ${line === 1 ? 1 : 6} of sandbox/rule.mjs. Try single steps.`),
  );
  const notebook = Array.from({ length: 60 }, (_, index) => {
    const kept = index % 2 === 0 && index % 3 === 0;
    return {
      spec: specIdOf((index % 2) + 1),
      event: kept ? 'keep' : 'discard',
      score: kept ? 1 : 3,
      best: 2,
      notes: '',
      n: index,
    } as Experiment;
  });
  const counts = new Map<string, number>();
  for (let number = 1; number <= 60; number++) {
    const [spec] = await writeSpecs(two, { wanted: 1, specs, notebook, seed: `seed ${number}` });
    const line = /on lines? (.*) of/.exec(spec?.title ?? '')?.[1] ?? '';
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  assert.ok((counts.get('1') ?? 0) > 3 * (counts.get('6') ?? 0), JSON.stringify([...counts]));
});

test('a sandbox with nothing to change gets no specs, with the reason', async () => {
  const dir = makeDir('print("hello")\n');
  assert.deepEqual(await searchChief(makeTask(dir, { wanted: 1 }), signal), {
    kind: 'nothing',
    reason: 'the sandbox has nothing that the search agent can change',
  });
});

const nights: readonly { readonly direction: Direction; readonly sign: number }[] = [
  { direction: 'minimize', sign: 1 },
  { direction: 'maximize', sign: -1 },
];

for (const { direction, sign } of nights) {
  test(`chief and junior together ${direction} a number that has nothing to do with packing`, async () => {
    const start = 'lr = 0.01\nmomentum = 0.5\nlayers = 2\nuse_bias = True\n';
    const loss = (text: string): number => {
      const [lr = 0, momentum = 0, layers = 0] = Array.from(text.matchAll(/= (-?[\d.]+)/g), (match) =>
        Number(match[1]),
      );
      const far = Math.log10(Math.max(lr, 1e-9) / 0.3) ** 2 + (momentum - 0.9) ** 2 + ((layers - 6) / 4) ** 2;
      return sign * (far + (text.includes('True') ? 0.5 : 0));
    };
    const best = await night(start, direction, loss, 250);
    assert.ok(sign * loss(start) > 3.8);
    assert.ok(sign * loss(best) < 0.05, best);
    assert.match(best, /^lr = 0\.\d+\nmomentum = \d\.\d+\nlayers = \d+\nuse_bias = False\n$/);
  });
}

/** A night on one lane: five tries a spec, each from the best so far. */
async function night(
  start: string,
  direction: Direction,
  measure: (text: string) => number,
  most: number,
): Promise<string> {
  const notebook: Experiment[] = [];
  const specs: Spec[] = [];
  let best = start;
  while (notebook.length < most) {
    const [spec] = await writeSpecs(best, { wanted: 1, specs, notebook, direction });
    assert.ok(spec);
    specs.push(spec);
    for (let attempt = 1; attempt <= 5; attempt++) {
      const dir = makeDir(best);
      const done = await searchJunior(
        { ...makeTask(dir, { notebook, direction }), role: 'junior', spec, attempt },
        signal,
      );
      if (done.kind !== 'edited') break;
      const text = readFileSync(join(dir, 'sandbox/rule.mjs'), 'utf8');
      const [score, than] = [measure(text), measure(best)];
      const event = gainOver(score, than, direction) > 0 ? 'keep' : 'discard';
      notebook.push({
        n: notebook.length + 1,
        spec: spec.id,
        event,
        score,
        best: than,
        notes: done.notes,
      } as Experiment);
      if (event === 'keep') best = text;
    }
  }
  return best;
}

interface Wanted {
  readonly wanted?: number;
  readonly specs?: readonly Spec[];
  readonly notebook?: readonly Experiment[];
  readonly seed?: string;
  readonly direction?: Direction;
}

async function writeSpecs(text: string, wanted: Wanted): Promise<readonly Spec[]> {
  const dir = makeDir(text);
  const done = await searchChief(makeTask(dir, wanted), signal);
  assert.equal(done.kind, 'edited');
  const next = 1 + Math.max(0, ...(wanted.specs ?? []).map((spec) => Number(spec.id)));
  return readdirSync(join(dir, 'specs'))
    .sort()
    .map((name, index) => {
      const [, title, body] =
        /^---\ntitle: (".*")\n---\n([\s\S]*)$/.exec(readFileSync(join(dir, 'specs', name), 'utf8')) ?? [];
      return specOf(next + index, body ?? '', JSON.parse(title ?? '""'));
    });
}

function specOf(number: number, body: string, title = `spec ${number}`): Spec {
  return { id: specIdOf(number), title, by: 'chief', attempts: undefined, body };
}

function makeDir(text: string): string {
  const dir = mkdtempSync(join(scratch, 'bench-'));
  mkdirSync(join(dir, 'sandbox'));
  writeFileSync(join(dir, 'sandbox/rule.mjs'), text);
  return dir;
}

function makeTask(dir: string, wanted: Wanted): AgentTask {
  return {
    role: 'chief',
    agent: 'chief',
    dir,
    files: ['sandbox/rule.mjs'],
    brief: { direction: wanted.direction ?? 'minimize', metric: 'loss' } as Brief,
    spec: undefined,
    notebook: wanted.notebook ?? [],
    specs: wanted.specs ?? [],
    open: 0,
    wanted: wanted.wanted ?? 0,
    attempt: 1,
    ask: 1,
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
