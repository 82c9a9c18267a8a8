import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Charter } from '../../src/domain/staff/charter.ts';
import { newcomer, type Trust } from '../../src/domain/staff/trust.ts';
import { type Routable, type RouteCandidate, routeSpec, unroutable } from '../../src/org/rules/route.ts';
import { acme, agent, unsaid } from '../support/charters.ts';

const spec = (title: string, more: Partial<Routable> = {}): Routable => ({
  ...{ title, body: '', domain: undefined, priority: 'normal', risk: 'low' },
  ...more,
});

/** Somebody of five finished specs, whatever they came to. */
const known = (id: string, score: number): Trust => ({
  ...{ agent: id, score, rank: score >= 90 ? 'veteran' : score >= 60 ? 'trusted' : 'probation' },
  results: { success: 0, honest: 5, failure: 0, tampered: 0, excused: 0 },
});

type Facts = Readonly<Record<string, Partial<Omit<RouteCandidate, 'member'>>>>;

const everybody = (facts: Facts = {}, { members }: Charter = acme): readonly RouteCandidate[] =>
  members.map((member) => ({ member, open: 0, trust: newcomer(member.id), ...facts[member.id] }));

test('a spec goes to whoever has its domain', () => {
  const cases: readonly (readonly [Routable, string])[] = [
    [spec('x', { domain: 'testing' }), 'qa-worker'],
    [spec('x', { domain: 'Infrastructure Security' }), 'security-worker'],
    [spec('fix the frontend', { domain: 'backend' }), 'backend-senior-1'],
    [spec('x', { domain: 'security' }), 'security-lead'],
    [spec('Speed up the backend'), 'backend-senior-1'],
    [spec('write more tests'), 'qa-worker'],
    [spec('harden it', { body: 'The infrastructure has holes in its security.' }), 'security-worker'],
    [spec('the security of backends'), 'backend-senior-1'],
    [spec('x', { body: 'copywriting for the site' }), 'content-worker-1'],
    [spec('content for the site', { body: 'copywriting' }), 'marketing-lead'],
  ];
  for (const [routed, to] of cases) {
    const route = routeSpec(routed, everybody(), acme);
    assert.deepEqual(route.kind === 'nobody' ? route : [route.kind, route.to], ['work', to], routed.title);
  }
});

test('what nobody has as their domain goes to the top of the chart', () => {
  const cases: readonly (readonly [Routable, string])[] = [
    [
      spec('rewrite history'),
      'no domain of the chart is in its words: coo is at the top of the chart, and delegates it',
    ],
    [spec('x', { domain: 'law' }), "nobody's domain is law: coo is at the top of the chart, and delegates it"],
    [spec('', { domain: '---' }), "nobody's domain is ---: coo is at the top of the chart, and delegates it"],
  ];
  for (const [routed, why] of cases)
    assert.deepEqual(routeSpec(routed, everybody(), acme), { kind: 'delegate', to: 'coo', why });
  assert.deepEqual(routeSpec(spec('x'), [], unsaid), {
    ...{ kind: 'nobody', why: 'no domain of the chart is in its words, and the chart has no agents' },
  });
});

test('of several with the domain the one with the fewest open specs gets it, and then trust decides', () => {
  const cases: readonly (readonly [string, Partial<Routable>, Facts, string])[] = [
    ['idle first', {}, { 'frontend-worker-1': { open: 1 }, 'frontend-worker-3': { open: 2 } }, 'frontend-worker-2'],
    ['workload before trust', {}, { 'frontend-worker-1': { open: 1, trust: known('', 95) } }, 'frontend-worker-2'],
    [
      'fewest open',
      {},
      { 'frontend-worker-1': { open: 3 }, 'frontend-worker-2': { open: 2 }, 'frontend-worker-3': { open: 3 } },
      'frontend-worker-2',
    ],
    ['order of the file', {}, {}, 'frontend-worker-1'],
    ['the most trusted', { priority: 'high' }, { 'frontend-worker-2': { trust: known('', 70) } }, 'frontend-worker-2'],
    [
      'risk is hard too',
      { priority: 'low', risk: 'high' },
      { 'frontend-worker-2': { trust: known('', 70) } },
      'frontend-worker-2',
    ],
    [
      'low to who warms up',
      { priority: 'low' },
      { 'frontend-worker-1': { trust: known('', 20) } },
      'frontend-worker-2',
    ],
    ['normal to who has warmed up', {}, { 'frontend-worker-3': { trust: known('', 20) } }, 'frontend-worker-3'],
    [
      'nobody who is away',
      {},
      { 'frontend-worker-1': { away: 'paused' }, 'frontend-worker-2': { open: 4 }, 'frontend-worker-3': { open: 5 } },
      'frontend-worker-2',
    ],
  ];
  for (const [name, more, facts, to] of cases) {
    const route = routeSpec(spec('frontend', more), everybody(facts), acme);
    assert.equal(route.kind === 'work' && route.to, to, name);
  }
});

test('the choice is told in words', () => {
  const why = (facts: Facts, title = 'frontend'): string => routeSpec(spec(title), everybody(facts), acme).why;
  assert.equal(why({}), 'domain frontend is in its title; idle, as 2 of 2 others; trust 30, on probation');
  const busy = { 'frontend-worker-2': { open: 1 }, 'frontend-worker-3': { open: 1 } };
  assert.equal(why(busy), 'domain frontend is in its title; idle, the fewest; trust 30, on probation');
  assert.equal(
    why({ 'qa-worker': { open: 2, trust: known('', 91), away: 'over its budget' } }, 'test it'),
    'domain testing is in its title; 2 open specs, the only one; trust 91, veteran; it waits, since the agents fit for it are away (over its budget)',
  );
  assert.equal(
    routeSpec(spec('infrastructure'), everybody(), acme).why,
    'domain infrastructure-security is partly in its title; idle, the only one; trust 30, on probation',
  );
});

test('an org without domains shares its work out among those who do it', () => {
  const plain = {
    ...unsaid,
    members: [agent('chief', 9), agent('a', 2, { reportsTo: 'chief' }), agent('b', 2, { reportsTo: 'chief' })],
  };
  assert.deepEqual(routeSpec(spec('x'), everybody({ a: { open: 1 } }, plain), plain), {
    ...{ kind: 'work', to: 'b' },
    why: 'the chart names no domains; idle, the fewest; trust 30, on probation',
  });
  assert.deepEqual(unroutable(plain), []);
});

test('whoever has no domain where others have is never routed to', () => {
  const members = [...acme.members, agent('helper', 4, { reportsTo: 'coo' })];
  assert.deepEqual(
    unroutable({ ...acme, members }).map(({ id }) => id),
    ['helper'],
  );
  assert.deepEqual(unroutable(acme), []);
});
