import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OrderTarget, type Presence, type PresenceEvent, presenceAfter } from '../../src/domain/staff/presence.ts';
import { type Begun, resumeCommand, standingOf, whyAllPaused } from '../../src/org/rules/agent-standing.ts';
import { acme, one } from '../support/charters.ts';

const org: OrderTarget = { kind: 'org' };
const engineering: OrderTarget = { kind: 'department', id: 'engineering' };
const qa: OrderTarget = { kind: 'agent', id: 'qa-worker' };

const pause = (target: OrderTarget, reason = ''): PresenceEvent => ({ kind: 'pause', target, by: 'Ann', reason });
const stop = (target: OrderTarget, reason = ''): PresenceEvent => ({ kind: 'stop', target, by: 'Ann', reason });
const resume = (target: OrderTarget): PresenceEvent => ({ kind: 'resume', target });
const limit = (target: OrderTarget, perHour: number | undefined): PresenceEvent => ({
  kind: 'limit',
  target,
  perHour,
  by: 'Ann',
});
const run: PresenceEvent = { kind: 'run' };

const departmentOf = (agent: string): string | undefined => acme.members.find(({ id }) => id === agent)?.department;
const ask = (presence: Presence, id: string, now = 10_000, begun: readonly Begun[] = []) =>
  standingOf({ agent: one(id), now, orders: { presence, begun, departmentOf } });

test('any pause that covers an agent holds it, and only the same word lifted lets it go', () => {
  const cases: readonly (readonly [readonly PresenceEvent[], string, string])[] = [
    [[], 'qa-worker', 'go'],
    [[pause(org)], 'qa-worker', 'pause'],
    [[pause(org)], 'coo', 'pause'],
    [[pause(engineering)], 'qa-worker', 'pause'],
    [[pause(engineering)], 'security-worker', 'go'],
    [[pause(engineering)], 'coo', 'go'],
    [[pause(qa)], 'backend-senior-1', 'go'],
    [[pause(org), resume(qa)], 'qa-worker', 'pause'],
    [[pause(org), resume(engineering)], 'qa-worker', 'pause'],
    [[pause(qa), pause(org), resume(org)], 'qa-worker', 'pause'],
    [[pause(qa), pause(org), resume(org)], 'coo', 'go'],
    [[pause(qa), pause(qa), resume(qa)], 'qa-worker', 'go'],
    [[resume(qa), pause(qa)], 'qa-worker', 'pause'],
    [[stop(qa), pause(org)], 'qa-worker', 'stop'],
    [[stop(qa), pause(qa)], 'qa-worker', 'stop'],
    [[pause(qa), stop(qa)], 'qa-worker', 'stop'],
    [[stop(qa), resume(qa)], 'qa-worker', 'go'],
    [[stop(org), run], 'qa-worker', 'go'],
    [[stop(qa), run], 'qa-worker', 'go'],
    [[pause(qa), run], 'qa-worker', 'pause'],
    [[pause(engineering), stop(qa), run], 'qa-worker', 'pause'],
  ];
  for (const [events, id, kind] of cases)
    assert.equal(ask(presenceAfter(events), id).kind, kind, JSON.stringify(events));
});

test('a paused or stopped agent is told by whom and why', () => {
  assert.deepEqual(ask(presenceAfter([pause(org, 'an incident')]), 'coo'), {
    ...{ kind: 'pause', cause: 'paused', reason: 'Ann paused the org: an incident' },
  });
  assert.deepEqual(ask(presenceAfter([stop(engineering)]), 'qa-worker'), {
    ...{ kind: 'stop', cause: 'stopped', reason: 'Ann stopped department engineering' },
  });
});

test('a limit counts the attempts of all whom it covers in the last hour', () => {
  const begun: readonly Begun[] = [
    { agent: 'qa-worker', at: 6_000 }, // More than an hour ago.
    { agent: 'qa-worker', at: 7_000 },
    { agent: 'backend-senior-1', at: 8_000 },
    { agent: 'security-worker', at: 9_000 },
  ];
  const after = (...events: readonly PresenceEvent[]) => ask(presenceAfter(events), 'qa-worker', 10_000, begun);
  assert.deepEqual(after(limit(qa, 2)), { kind: 'go' });
  assert.deepEqual(after(limit(qa, 1)), {
    ...{ kind: 'wait', cause: 'rate', until: 10_600, reason: 'Ann limited agent qa-worker to 1 attempt an hour' },
  });
  assert.deepEqual(after(limit(engineering, 2)).kind === 'wait' && after(limit(engineering, 2)), {
    ...{
      kind: 'wait',
      cause: 'rate',
      until: 10_600,
      reason: 'Ann limited department engineering to 2 attempts an hour',
    },
  });
  assert.deepEqual(after(limit(engineering, 3)), { kind: 'go' });
  assert.deepEqual(after(limit(org, 2)), {
    ...{ kind: 'wait', cause: 'rate', until: 11_600, reason: 'Ann limited the org to 2 attempts an hour' },
  });
  assert.equal(after(limit(org, 2), limit(org, 4)).kind, 'go');
  assert.equal(after(limit(org, 2), limit(org, undefined)).kind, 'go');
  assert.equal(after(limit(org, 2), resume(org)).kind, 'wait'); // It was never paused.
  assert.equal(after(limit(org, 2), run).kind, 'wait');
});

test('of several limits the longest wait counts, a limit of none has no end, and a pause goes before them', () => {
  const begun: readonly Begun[] = [
    { agent: 'qa-worker', at: 7_000 },
    { agent: 'coo', at: 9_500 },
  ];
  const wait = (...events: readonly PresenceEvent[]) => ask(presenceAfter(events), 'qa-worker', 10_000, begun);
  const until = (...events: readonly PresenceEvent[]) => {
    const present = wait(...events);
    return present.kind === 'wait' ? present.until : present.kind;
  };
  assert.equal(until(limit(qa, 1), limit(org, 1)), 13_100);
  assert.equal(until(limit(org, 1), limit(qa, 1)), 13_100);
  assert.equal(until(limit(qa, 0), limit(org, 1)), undefined);
  assert.equal(until(limit(org, 0), limit(qa, 1)), undefined);
  assert.equal(until(limit(qa, 0), pause(qa)), 'pause');
});

test('nothing is left of what was lifted', () => {
  assert.deepEqual(presenceAfter([pause(qa), limit(qa, 3), resume(qa), limit(qa, undefined)]), new Map());
  assert.deepEqual(
    presenceAfter([limit(qa, 3), pause(qa, 'x')]),
    new Map([
      [
        'agent qa-worker',
        { target: qa, limit: { perHour: 3, by: 'Ann' }, halted: { kind: 'pause', by: 'Ann', reason: 'x' } },
      ],
    ]),
  );
});

test('that everybody is paused is known by all words that cover them, with those that let one of them go on', () => {
  const workers = [one('qa-worker'), one('backend-senior-1')];
  const backend: OrderTarget = { kind: 'agent', id: 'backend-senior-1' };
  const cases: readonly (readonly [readonly PresenceEvent[], string | undefined])[] = [
    [[], undefined],
    [[pause(qa)], undefined],
    [[limit(org, 0)], undefined],
    [[pause(qa), pause(backend)], 'orgrepo resume qa-worker (or backend-senior-1)'],
    [[pause(engineering)], 'orgrepo resume engineering'],
    [[pause(engineering), pause(qa)], 'orgrepo resume engineering'],
    [[pause(engineering), pause(qa), pause(backend)], 'orgrepo resume engineering, then: orgrepo resume qa-worker'],
    [[pause(qa), stop(backend)], 'orgrepo resume qa-worker'],
    [[stop(qa), stop(backend)], undefined],
    [[stop(engineering), pause(qa)], undefined],
  ];
  for (const [events, command] of cases) {
    const all = whyAllPaused(presenceAfter(events), workers);
    assert.equal(all && resumeCommand(all), command, JSON.stringify(events));
  }
  assert.equal(whyAllPaused(presenceAfter([pause(org)]), []), undefined, 'nobody works');
});
