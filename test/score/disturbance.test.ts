import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CpuBeside,
  disturbanceInWords,
  disturberOf,
  judgeBeside,
} from '../../src/score/measure/measure-beside.ts';

const quiet: CpuBeside = { wallMs: 1_000, agents: new Map(), lanes: 0, orgrepo: 0 };
const judged = (used: Partial<CpuBeside>, slots = 1, debtMs = 0) =>
  judgeBeside({ ...quiet, ...used }, { cores: 2, slots }, debtMs);
const agents = (used: Readonly<Record<string, number>>): Partial<CpuBeside> => ({
  agents: new Map(Object.entries(used)),
});

test('agents may use a tenth of a core beside a measurement', () => {
  assert.deepEqual(judged(agents({ 'junior-1': 60, 'junior-2': 50 })), { disturbance: undefined, debtMs: 10 });
  const { disturbance } = judged(agents({ 'junior-1': 20, 'junior-2': 300 }));
  assert.deepEqual(disturbance, { kind: 'agents', agents: ['junior-2'], usedMs: 320, mostMs: 100 });
});

test('agents that share the blame are named together, the heaviest first', () => {
  const { disturbance } = judged(agents({ 'junior-1': 100, 'junior-2': 110, 'junior-3': 0 }));
  assert.equal(disturbance && disturberOf(disturbance), 'junior-2+junior-1');
  assert.equal(
    disturbance && disturbanceInWords(disturbance),
    'junior-2 and junior-1 used 0.21 s of CPU during the measurement (at most 0.10 s)',
  );
});

test('a little too much in each of many short measurements adds up', () => {
  const short = { wallMs: 50, ...agents({ 'junior-1': 14 }) };
  let debt = 0;
  const verdicts = Array.from({ length: 3 }, () => {
    const one = judged(short, 1, debt);
    debt = one.debtMs;
    return one.disturbance?.kind;
  });
  assert.deepEqual(verdicts, [undefined, undefined, 'agents']);
  assert.equal(judged({ wallMs: 50 }, 1, 15).debtMs, 10, 'quiet pays it back');
});

test('another lane may use its share of the cores, and no more', () => {
  assert.equal(judged({ lanes: 1_200 }, 2).disturbance, undefined);
  assert.equal(judged({ lanes: 1_900 }, 2).disturbance?.kind, 'lanes');
  assert.equal(judged({ lanes: 100 }).disturbance?.kind, 'lanes', 'with one slot there is no other lane');
});

test('search agents in our own process disturb nobody, whatever their number', () => {
  assert.equal(judged({ orgrepo: 1_000 }).disturbance, undefined);
  assert.equal(judged({ orgrepo: 1_500 }).disturbance?.kind, 'orgrepo');
});
