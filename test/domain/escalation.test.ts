import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  answerAgainst,
  type Escalation,
  type EscalationAnswer,
  type EscalationEvent,
  type EscalationReason,
  escalationsAt,
  isExcused,
  type Raised,
  raise,
  type Stage,
} from '../../src/domain/staff/escalation.ts';
import { acme, agent, said, unsaid } from '../support/charters.ts';

const stuck = (by = 'qa-worker', reason: EscalationReason = 'BLOCKED', at = 1000, id = 'e1') => ({
  ...{ id, at, spec: '0007', by, reason, text: 'no key' },
});

const cycle = (by: string, at = 2000): EscalationEvent => ({ kind: 'cycle', id: 'e1', at, by });
const answered = (by: string, answer: EscalationAnswer, isPerson = false): EscalationEvent => ({
  ...{ kind: 'answered', id: 'e1', at: 3000, by, isPerson, answer },
});
const context: EscalationAnswer = { kind: 'context', text: 'take the other key' };
const further: EscalationAnswer = { kind: 'escalate', text: 'not mine to give' };

const stageAfter = (
  events: readonly EscalationEvent[],
  raised: Raised = raise(stuck(), acme),
  now = 9000,
): Stage | undefined => escalationsAt([raised, ...events], now)[0]?.stage;

test('an escalation knows whom it goes to: the direct manager, the one above, the person', () => {
  const goesTo = (by: string): readonly string[] => {
    const { managers, person } = raise(stuck(by), acme);
    return [...managers, person];
  };
  assert.deepEqual(goesTo('qa-worker'), ['engineering-lead', 'coo', 'human-principal']);
  assert.deepEqual(goesTo('security-lead'), ['coo', 'human-principal']);
  assert.deepEqual(goesTo('coo'), ['human-principal']);
  const deep = {
    ...unsaid,
    members: ['a', 'b', 'c', 'd'].map((id, index) => agent(id, 9 - index, { reportsTo: ['', 'a', 'b', 'c'][index] })),
  };
  const { managers, person } = raise(stuck('d'), deep);
  assert.deepEqual([managers, person], [['c', 'b'], 'human']);
});

test('the culture says when it is sent', () => {
  const sends = (escalation: 'immediate' | 'hourly' | 'delayed', reason: EscalationReason, at: number) =>
    raise(stuck('qa-worker', reason, at), { ...acme, culture: { ...acme.culture, escalation: said(escalation) } })
      .sendAt;
  assert.equal(sends('immediate', 'BLOCKED', 1000), 1000);
  assert.equal(sends('hourly', 'BLOCKED', 1000), 3600);
  assert.equal(sends('hourly', 'BLOCKED', 7200), 7200);
  assert.equal(sends('delayed', 'BLOCKED', 1000), undefined);
  assert.equal(sends('delayed', 'OVER_BUDGET', 1000), 1000); // Whoever is paused makes no more attempts.
});

test('what is held back is sent at its hour, or when no more attempts are made', () => {
  const hourly = { ...raise(stuck(), acme), sendAt: 3600 };
  assert.deepEqual(stageAfter([], hourly, 3599), { kind: 'held', until: 3600 });
  assert.deepEqual(stageAfter([], hourly, 3600), { kind: 'asked', manager: 'engineering-lead', cycle: 1 });
  const delayed = { ...raise(stuck(), acme), sendAt: undefined };
  assert.deepEqual(stageAfter([], delayed, 1e9), { kind: 'held', until: undefined });
  const over: EscalationEvent = { kind: 'exhausted', spec: '0007', at: 1500 };
  assert.deepEqual(stageAfter([over], delayed), { kind: 'asked', manager: 'engineering-lead', cycle: 1 });
  assert.deepEqual(stageAfter([{ ...over, spec: '0008' }], delayed), { kind: 'held', until: undefined });
});

test('what follows in the very second in which it was sent counts: commits know whole seconds', () => {
  const raised = raise(stuck('qa-worker', 'OVER_BUDGET', 1000.7), acme);
  const lead = cycle('engineering-lead', 1000);
  assert.deepEqual(stageAfter([lead, lead], raised), { kind: 'asked', manager: 'coo', cycle: 1 });
  const soon: EscalationEvent = { ...answered('engineering-lead', context), at: 1000 };
  assert.equal(stageAfter([soon], raised)?.kind, 'answered');
});

test('two cycles each, then up, then the person', () => {
  const lead = cycle('engineering-lead');
  const coo = cycle('coo');
  const cases: readonly (readonly [readonly EscalationEvent[], Stage])[] = [
    [[], { kind: 'asked', manager: 'engineering-lead', cycle: 1 }],
    [[lead], { kind: 'asked', manager: 'engineering-lead', cycle: 2 }],
    [[lead, lead], { kind: 'asked', manager: 'coo', cycle: 1 }],
    [[lead, lead, coo], { kind: 'asked', manager: 'coo', cycle: 2 }],
    [[lead, lead, coo, coo], { kind: 'person', person: 'human-principal' }],
    [[lead, lead, coo, coo, coo], { kind: 'person', person: 'human-principal' }],
    [[coo, coo, coo], { kind: 'asked', manager: 'engineering-lead', cycle: 1 }],
    [[answered('engineering-lead', further)], { kind: 'asked', manager: 'coo', cycle: 1 }],
    [
      [lead, answered('engineering-lead', further), answered('coo', further)],
      { kind: 'person', person: 'human-principal' },
    ],
  ];
  for (const [events, stage] of cases) assert.deepEqual(stageAfter(events), stage);
});

test('the answer of whoever is asked, or of a person, ends it, and nobody else’s', () => {
  const ends = (by: string): Stage => ({ kind: 'answered', by, at: 3000, answer: context });
  const asked: Stage = { kind: 'asked', manager: 'engineering-lead', cycle: 1 };
  assert.deepEqual(stageAfter([answered('engineering-lead', context)]), ends('engineering-lead'));
  assert.deepEqual(stageAfter([answered('coo', context)]), asked);
  assert.deepEqual(stageAfter([answered('qa-worker', context)]), asked);
  assert.deepEqual(stageAfter([answered('Ann', context, true)]), ends('Ann'));
  assert.deepEqual(stageAfter([answered('Ann', further, true)]), asked);
  assert.deepEqual(stageAfter([answered('Ann', context, true), answered('engineering-lead', further)]), ends('Ann'));
  assert.deepEqual(stageAfter([{ kind: 'ended', spec: '0007', at: 5 }]), { kind: 'moot', at: 5 });
  const early = { ...raise(stuck(), acme), sendAt: undefined };
  assert.deepEqual(stageAfter([answered('Ann', context, true)], early), ends('Ann'));
});

test('what managers said on the way up is handed on; one id is one escalation', () => {
  const first = raise(stuck(), acme);
  const second = raise(stuck('security-worker', 'TIMEOUT', 1100, 'e2'), acme);
  const events = [first, second, answered('engineering-lead', further), { ...first, text: 'again' }];
  assert.deepEqual(escalationsAt(events, 9000), [
    {
      ...{ kind: 'stuck', id: 'e1', raised: first, passedOn: [{ by: 'engineering-lead', text: 'not mine to give' }] },
      stage: { kind: 'asked', manager: 'coo', cycle: 1 },
    },
    {
      kind: 'stuck',
      id: 'e2',
      raised: second,
      passedOn: [],
      stage: { kind: 'asked', manager: 'security-lead', cycle: 1 },
    },
  ]);
});

test('an answer is refused before it is written down', () => {
  const open = escalationsAt([raise(stuck(), acme)], 9000)[0] as Escalation;
  const closed: Escalation = { ...open, stage: { kind: 'moot', at: 1 } };
  const lead = { id: 'engineering-lead', isPerson: false };
  const ann = { id: 'Ann', isPerson: true };
  const to = (id: string | undefined): EscalationAnswer => ({ kind: 'reassign', text: '', to: id });
  const cases: readonly (readonly [Escalation, typeof lead, EscalationAnswer, string | undefined])[] = [
    [open, lead, context, undefined],
    [open, lead, further, undefined],
    [open, lead, { kind: 'close', text: '' }, undefined],
    [open, lead, to('backend-senior-1'), undefined],
    [open, lead, to('security-lead'), undefined],
    [open, lead, to('security-worker'), 'security-worker does not report to engineering-lead, and leads no department'],
    [open, ann, to('security-worker'), undefined],
    [open, ann, further, 'above a person there is nobody to ask'],
    [open, lead, to('qa-worker'), 'qa-worker is the one who is stuck'],
    [open, lead, to('ghost'), 'ghost is not in the chart'],
    [open, lead, to(undefined), 'nobody is not in the chart'],
    [open, { id: 'coo', isPerson: false }, context, 'coo is not the one who is asked'],
    [closed, ann, context, 'it has its answer already'],
  ];
  for (const [escalation, by, answer, reason] of cases)
    assert.equal(answerAgainst(escalation, by, answer, acme), reason);
});

test('to give back what is none of its field excuses an agent, unless it is told to go on', () => {
  const excused = (reason: EscalationReason, ...events: readonly EscalationEvent[]): boolean =>
    escalationsAt([raise(stuck('qa-worker', reason), acme), ...events], 9000).every(isExcused);
  const moved: EscalationAnswer = { kind: 'reassign', to: 'security-lead', text: '' };
  assert.equal(excused('OUT_OF_DOMAIN'), true);
  assert.equal(excused('OUT_OF_DOMAIN', answered('engineering-lead', moved)), true);
  assert.equal(excused('OUT_OF_DOMAIN', answered('engineering-lead', context)), false);
  assert.equal(excused('BLOCKED', answered('engineering-lead', moved)), false);
});
