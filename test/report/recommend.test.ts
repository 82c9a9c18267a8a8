import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SpecTask, trustIn } from '../../src/domain/staff/trust.ts';
import type { VerdictEvent } from '../../src/domain/words/experiment.ts';
import { type Observed, type RecommendedFinding, recommend } from '../../src/report/advice/recommend.ts';
import type { Use } from '../../src/spend/rules/allowance.ts';
import { acme, agent, one, said, unsaid } from '../support/charters.ts';
import { taskOf, tried } from '../support/tasks.ts';

const observed = (more: Partial<Observed>): Observed => ({
  ...{
    charter: acme,
    tasks: [],
    trusts: new Map(),
    idleness: [],
    cycleSeconds: 900,
    waiting: [],
    uses: [],
    elapsed: 0.5,
  },
  ...more,
});

const found = (more: Partial<Observed>): readonly string[] =>
  recommend(observed(more)).map(({ id, key }) => `${id} ${key}`);
const only = (more: Partial<Observed>): RecommendedFinding => {
  const all = recommend(observed(more));
  assert.equal(all.length, 1, JSON.stringify(all));
  return all[0] as RecommendedFinding;
};

const tasks = (
  by: string,
  count: number,
  event: VerdictEvent,
  more: (index: number) => Partial<SpecTask> = () => ({}),
) => Array.from({ length: count }, (_, index) => taskOf(by, [event], { spec: `${1000 + index}`, ...more(index) }));
const escalated = (count: number) => (index: number) => ({ escalations: index < count ? 1 : 0 });

test('a department that escalates too much gets one more senior', () => {
  assert.deepEqual(only({ tasks: tasks('qa-worker', 10, 'keep', escalated(4)) }), {
    ...{ id: 'R1', severity: 'critical', key: 'escalates engineering', what: 'Engineering escalates 40% of its specs' },
    evidence: '4 of 10 specs were escalated, and 10% are healthy',
    specs: ['1000', '1001', '1002', '1003'],
    advice: 'Add one senior to Engineering.',
    edit: { kind: 'count', role: 'Backend Senior', place: one('backend-senior-1').place, from: 2, to: 3 },
  });
  assert.equal(only({ tasks: tasks('qa-worker', 10, 'keep', escalated(2)) }).severity, 'warning');
  assert.deepEqual(only({ tasks: tasks('security-worker', 5, 'keep', escalated(2)) }).edit, {
    ...{ kind: 'add-role', department: 'security', name: 'Security Senior', level: 6 },
    ...{ domain: 'infrastructure-security', model: undefined },
  });
  assert.deepEqual(found({ tasks: tasks('qa-worker', 10, 'keep', escalated(1)) }), []);
  assert.deepEqual(found({ tasks: tasks('qa-worker', 4, 'keep', escalated(4)) }), []);
  const full = { ...acme, departments: acme.departments.map((each) => ({ ...each, cap: said(7) })) };
  assert.deepEqual(found({ charter: full, tasks: tasks('qa-worker', 10, 'keep', escalated(4)) }), []);
});

test('idle agents of a role of several are one or more too many', () => {
  const lane = (id: string, idle: number) => ({ agent: id, present: 10_000, idle });
  assert.deepEqual(
    only({
      idleness: [lane('frontend-worker-2', 9000), lane('frontend-worker-3', 7000), lane('frontend-worker-1', 100)],
    }),
    {
      ...{ id: 'R1', severity: 'warning', key: 'idle frontend-worker-1', what: '2 of 3 Frontend Workers are idle' },
      evidence: 'without a spec: frontend-worker-2 90%, frontend-worker-3 70% of the time',
      specs: [],
      advice: 'Lower the count of Frontend Workers from 3 to 1.',
      edit: { kind: 'count', role: 'Frontend Workers', place: one('frontend-worker-1').place, from: 3, to: 1 },
    },
  );
  assert.deepEqual(found({ idleness: [lane('qa-worker', 9000)] }), []);
  assert.deepEqual(found({ idleness: [lane('frontend-worker-1', 5000)] }), []);
  assert.deepEqual(found({ idleness: [{ agent: 'frontend-worker-1', present: 100, idle: 100 }] }), []);
});

test('a department that specs pile up before gets one more worker, unless somebody of it is idle', () => {
  const waiting = Array.from({ length: 5 }, (_, index) => ({ spec: `${2000 + index}`, to: 'security-worker' }));
  assert.deepEqual(only({ waiting }).edit, {
    ...{ kind: 'count', role: 'security-worker', place: one('security-worker').place, from: 1, to: 2 },
  });
  assert.deepEqual(found({ waiting: waiting.slice(1) }), []);
  assert.deepEqual(found({ waiting, idleness: [{ agent: 'security-lead', present: 9000, idle: 9000 }] }), []);
});

test('an agent that keeps nothing gets smaller specs, and one that tampers is looked at first', () => {
  const vain = [
    ...tasks('qa-worker', 10, 'discard', (index) => ({
      experiments: [tried('qa-worker', 'discard', { title: String.fromCharCode(97 + index) })],
    })),
  ];
  assert.deepEqual(only({ tasks: vain }), {
    ...{ id: 'R1', severity: 'warning', key: 'keeps-nothing qa-worker', what: 'qa-worker has won nothing' },
    evidence: '0 of 10 attempts on 10 specs won',
    specs: vain.map(({ spec }) => spec),
    advice: 'Give qa-worker smaller specs.',
    edit: {
      kind: 'brief-line',
      text: 'Specs for qa-worker ask for one small change each: its larger ones never won.',
    },
  });
  assert.deepEqual(found({ tasks: vain.slice(1) }), []);
  assert.deepEqual(found({ tasks: [...vain, taskOf('qa-worker', ['keep'])] }), []);
  assert.deepEqual(found({ tasks: [...vain, ...tasks('qa-worker', 2, 'tampered')] }), [
    'R1 tampers qa-worker',
    'R2 keeps-nothing qa-worker',
  ]);
});

test('a veteran at a low level has outgrown it', () => {
  const career = tasks('qa-worker', 24, 'keep', (index) => ({ endedAt: index }));
  assert.deepEqual(only({ trusts: trustIn(career) }).edit, { kind: 'set', path: 'roles.qa-worker.level', value: '6' });
  assert.deepEqual(found({ trusts: trustIn(career.slice(5)) }), []);
  assert.deepEqual(found({ trusts: trustIn(tasks('frontend-worker-1', 24, 'keep')) }), []);
  assert.deepEqual(found({ trusts: trustIn(tasks('coo', 24, 'keep')) }), []);
});

test('a limit that is nearly used up is raised, and one that is hardly touched lowered', () => {
  const use = (used: number, more: Partial<Use> = {}): Use => ({
    ...{
      whose: 'qa-worker',
      limit: { amount: 1000, unit: 'credits' },
      used,
      part: used / 1000,
      unpriced: 0,
      from: 'ORG.md:70',
    },
    ...more,
  });
  assert.deepEqual(only({ uses: [use(300), use(700)] }), {
    ...{ id: 'R1', severity: 'warning', key: 'budget qa-worker', what: 'the limit of qa-worker is nearly used up' },
    evidence: '700 of 1000 credits used with 50% of the period over (ORG.md:70)',
    specs: [],
    advice: 'Raise the limit of each agent to 2000 credits, or give fewer specs.',
    edit: { kind: 'set', path: 'policies.budget.perAgent', value: '2000 credits' },
  });
  assert.equal(only({ uses: [use(1000)] }).severity, 'critical');
  assert.deepEqual(only({ uses: [use(50, { whose: 'all agents', limit: { amount: 1000, unit: 'usd' } })] }).edit, {
    ...{ kind: 'set', path: 'policies.budget.total', value: '$140' },
  });
  assert.deepEqual(only({ uses: [use(90, { from: 'its role' })] }).edit, {
    ...{ kind: 'set', path: 'roles.qa-worker.limit', value: '260 credits' },
  });
  assert.deepEqual(found({ uses: [use(300)] }), []);
  assert.deepEqual(found({ uses: [use(50)], elapsed: 0.1 }), []);
  assert.deepEqual(found({ uses: [use(0)] }), []);
});

test('an idea that was tried again and again and never helped becomes a line of the brief', () => {
  const idea = (titles: readonly string[], event: VerdictEvent = 'discard'): SpecTask => ({
    ...taskOf('a', []),
    experiments: titles.map((title, index) => tried('a', event, { n: index + 1, title })),
  });
  const five = ['leave at most 1', 'Leave at most 2', 'leave **at most** 3!', 'leave at most 4', 'leave at most 5'];
  assert.deepEqual(only({ charter: unsaid, tasks: [idea(five)] }), {
    ...{ id: 'R1', severity: 'optimisation', key: 'idea leave at most', what: '"leave at most" never helped' },
    evidence: '0 of 5 tries won: #1, #2, #3, #4, #5',
    specs: ['0001'],
    advice: 'Say in program.md that it was tried.',
    edit: { kind: 'brief-line', text: 'Already tried 5 times without a gain: leave at most.' },
  });
  assert.deepEqual(found({ tasks: [idea(five.slice(1))] }), []);
  assert.deepEqual(found({ tasks: [idea(five), idea(['leave at most 9'], 'keep')] }), []);
  assert.deepEqual(found({ tasks: [idea(five), idea(['leave at most 9'], 'inconclusive')] }), []);
  assert.deepEqual(found({ tasks: [idea(['1', '2', '3', '4', '5'])] }), []);
  const many = ['b', 'c', 'd', 'e'].map((word) => idea(Array.from({ length: 6 }, () => word)));
  assert.deepEqual(found({ tasks: many }), ['R1 idea b', 'R2 idea c', 'R3 idea d']);
});

test('the most pressing comes first, and the same facts give the same numbers', () => {
  const facts = {
    tasks: [...tasks('qa-worker', 10, 'discard', escalated(4)), ...tasks('security-worker', 2, 'tampered')],
    idleness: [{ agent: 'frontend-worker-1', present: 9000, idle: 9000 }],
  };
  const expected = [
    'R1 escalates engineering',
    'R2 tampers security-worker',
    'R3 idle frontend-worker-1',
    'R4 keeps-nothing qa-worker',
    'R5 idea leave less room',
  ];
  assert.deepEqual(found(facts), expected);
  assert.deepEqual(found(facts), expected);
  assert.deepEqual(found({ charter: { ...unsaid, members: [agent('a', 4)] } }), []);
});

test('what the brief says already is not recommended again, and nothing is written that nobody reads', () => {
  const again = Array.from({ length: 6 }, (_, index) =>
    taskOf('qa-worker', ['discard', 'keep'], {
      spec: `${1000 + index}`,
      experiments: [tried('qa-worker', 'discard', { n: index + 1 }), tried('qa-worker', 'keep', { title: 'another' })],
    }),
  );
  assert.deepEqual(found({ tasks: again }), ['R1 idea leave less room']);
  const prose = 'Be bold.\n\n- Already tried 5 times\n  without a gain: leave less room.\n';
  assert.deepEqual(found({ tasks: again, prose }), []);
  assert.deepEqual(found({ tasks: again, unread: true }), []);
});
