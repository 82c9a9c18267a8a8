import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact } from '../../src/domain/words/fact.ts';
import { factJson, formatFactLine } from '../../src/report/pages/fact-lines.ts';
import { anExperiment } from '../support/builders.ts';
import { began, experiments } from '../support/night-story.ts';
import { printed } from '../support/printed.ts';

const facts: readonly Fact[] = [
  {
    kind: 'run-start',
    at: began + 0.25,
    run: '2026-11-15',
    pid: 4121,
    juniors: 3,
    slots: 1,
    agent: 'search',
    metric: 'waste_pct',
    until: began + 3600,
    seed: '7',
  },
  {
    kind: 'run-start',
    at: began,
    run: '2026-11-15',
    pid: 4121,
    juniors: 3,
    slots: 1,
    agent: './agent.sh --fast',
    metric: 'waste_pct',
    max: 300,
    seed: '7',
  },
  { kind: 'baseline', at: began, score: 14.4351234567, samples: [14.435, 14.435], commit: '4be1c07aaaa', again: false },
  { kind: 'baseline', at: began, score: 0, samples: [0], commit: '4be1c07aaaa', again: true },
  { kind: 'experiment', at: began, experiment: experiments[2] ?? anExperiment({ n: 3 }), best: 3.861 },
  { kind: 'experiment', at: began, experiment: experiments[1] ?? anExperiment({ n: 2 }), best: 14.435 },
  { kind: 'best-moved', at: began, n: 3, score: 3.861, commit: '4be1c07aaaa', merged: false },
  { kind: 'best-moved', at: began, n: 5, score: 3.861, commit: '4be1c07aaaa', merged: true },
  { kind: 'spec', at: began, id: '0007', title: 'leave "less" room', by: 'chief' },
  { kind: 'claim', at: began, spec: '0007', agent: 'junior-2' },
  { kind: 'doing', at: began, agent: 'junior-2', doing: 'thinking', detail: 'about 0007' },
  { kind: 'brief', at: began, change: 'changed', message: 'program.md has changed, from the next claim on' },
  { kind: 'brief', at: began, change: 'broken', message: 'program.md:3:1: unknown key' },
  { kind: 'recovered', at: began, message: 'measured #12' },
  { kind: 'warning', at: began, message: 'two\nlines \u001b[2J' },
  { kind: 'heartbeat', at: began, tried: 24, kept: 4, best: 3.475, open: 4 },
  { kind: 'heartbeat', at: began, tried: 0, kept: 0, best: undefined, open: 0 },
  {
    kind: 'run-stop',
    at: began,
    reason: 'patience',
    tried: 212,
    kept: 5,
    best: 3.449,
    report: 'reports/2026-11-16.md',
    exit: 0,
  },
];

test('each fact is one line that starts with its time and can be searched by word', () => {
  assert.equal(
    facts.map(formatFactLine).join('\n'),
    `2026-11-15T22:41:00Z run start run=2026-11-15 pid=4121 juniors=3 slots=1 agent=search metric=waste_pct until=2026-11-15T23:41:00Z seed=7
2026-11-15T22:41:00Z run start run=2026-11-15 pid=4121 juniors=3 slots=1 agent="./agent.sh --fast" metric=waste_pct max=300 seed=7
2026-11-15T22:41:00Z baseline score=14.4351 runs=2 sha=4be1c07
2026-11-15T22:41:00Z baseline again score=0 runs=1 sha=4be1c07
2026-11-15T22:41:00Z exp #3 WIN waste_pct=3.861 best=3.861 delta=-73.3% agent=junior-1 spec=0001 sha=c00003e "sandbox/pack.mjs:12 0 -> 2"
2026-11-15T22:41:00Z exp #2 CRASH waste_pct=- best=14.435 agent=junior-3 spec=0003 sha=c00002e "sandbox/pack.mjs:40 < -> <=" reason="score printed no waste_pct"
2026-11-15T22:41:00Z best #3 score=3.861 sha=4be1c07 by=take
2026-11-15T22:41:00Z best #5 score=3.861 sha=4be1c07 by=merge
2026-11-15T22:41:00Z spec 0007 by=chief "leave 'less' room"
2026-11-15T22:41:00Z claim 0007 agent=junior-2

2026-11-15T22:41:00Z brief changed "program.md has changed, from the next claim on"
2026-11-15T22:41:00Z BRIEF BROKEN "program.md:3:1: unknown key"
2026-11-15T22:41:00Z recovered "measured #12"
2026-11-15T22:41:00Z WARNING "two lines \\x1b[2J"
2026-11-15T22:41:00Z heartbeat tried=24 won=4 best=3.475 open=4
2026-11-15T22:41:00Z heartbeat tried=0 won=0 best=- open=0
2026-11-15T22:41:00Z run stop reason=patience tried=212 won=5 best=3.449 report=reports/2026-11-16.md exit=0`,
  );
});

test('each fact is one JSON object, and what is not known is left out', () => {
  assert.deepEqual(
    facts.slice(0, 1).map((fact) => printed(factJson(fact))),
    [
      {
        schema: 'orgrepo/fact@1',
        fact: 'run-start',
        at: '2026-11-15T22:41:00.250Z',
        run: '2026-11-15',
        pid: 4121,
        juniors: 3,
        slots: 1,
        agent: 'search',
        metric: 'waste_pct',
        until: '2026-11-15T23:41:00Z',
        seed: '7',
      },
    ],
  );
  assert.deepEqual(
    facts.slice(5, 7).map((fact) => printed(factJson(fact))),
    [
      {
        schema: 'orgrepo/fact@1',
        fact: 'experiment',
        at: '2026-11-15T22:41:00Z',
        experiment: {
          schema: 'orgrepo/experiment@1',
          n: 2,
          commit: 'c00002e000000000000000000000000000000000',
          spec: '0003',
          agent: 'junior-3',
          event: 'crash',
          metric: 'waste_pct',
          samples: [],
          best: 14.435,
          guards: {},
          seconds: 0.25,
          at: '2026-11-15T22:41:40Z',
          title: 'sandbox/pack.mjs:40 < -> <=',
          reason: 'score printed no waste_pct',
        },
        best: 14.435,
      },
      {
        schema: 'orgrepo/fact@1',
        fact: 'best-moved',
        at: '2026-11-15T22:41:00Z',
        n: 3,
        score: 3.861,
        commit: '4be1c07aaaa',
        merged: false,
      },
    ],
  );
  for (const fact of facts) assert.equal(factJson(fact).schema, 'orgrepo/fact@1');
});
