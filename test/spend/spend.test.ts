import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Amount, Caps } from '../../src/domain/words/spending.ts';
import { type Org, openOrg } from '../../src/records/org.ts';
import { openSpendBook, type PaidCall, type Reservation, type SpendBook } from '../../src/spend/books/spend-book.ts';
import { makeRepo, type TestRepo } from '../support/repo.ts';

const most: Amount = { usd: 0.5, tokensIn: 1_000, tokensOut: 200 };
const call: PaidCall = { agent: 'junior-1', spec: '0007', attempt: '1', provider: 'test', model: 'costly-1', most };

async function scene(work: (made: TestRepo, org: Org) => Promise<void>): Promise<void> {
  const made = await makeRepo();
  const org = await openOrg(made.dir);
  try {
    await work(made, org);
  } finally {
    await org.repo.close();
    await made.close();
  }
}

const open = (org: Org, night: string, caps: Caps = {}): Promise<SpendBook> => openSpendBook(org, night, () => caps);

async function reserved(book: SpendBook, wanted: Partial<PaidCall> = {}): Promise<Reservation> {
  const said = await book.reserve({ ...call, ...wanted });
  assert.equal(said.kind, 'reserved');
  return said as Reservation;
}

const trailers = (made: TestRepo, commit: string): Record<string, string> =>
  Object.fromEntries(
    made
      .git('log', '-1', '--format=%(trailers:only,unfold)', commit)
      .trim()
      .split('\n')
      .map((line) => line.split(': ', 2) as [string, string]),
  );

test('a reservation is on the ref before anybody may call, and its end follows it', () =>
  scene(async (made, org) => {
    const ref = `refs/orgrepo/spend/${org.host}`;
    const book = await open(org, 'n1');
    const first = await reserved(book);
    assert.equal(made.git('rev-parse', ref).trim(), first.commit);
    assert.equal(
      made.git('rev-parse', `${ref}^`).trim(),
      made.git('rev-parse', 'main').trim(),
      'it begins on the trunk',
    );
    assert.deepEqual(first.settle({ tokensIn: 900, tokensOut: 20 }, 0.1), {
      counted: { usd: 0.1, tokensIn: 900, tokensOut: 20 },
      disbelieved: false,
    });
    await book.written();
    const { 'Org-Nonce': nonce, 'Org-Seal': seal, 'Org-Day': day, ...rest } = trailers(made, ref);
    assert.match(`${nonce} ${seal} ${day}`, /^[0-9a-f]{24} [0-9a-f]{16} \d{4}-\d\d-\d\d$/);
    const spent = '0.1,900,20,0';
    assert.deepEqual(rest, {
      'Org-Event': 'settle',
      'Org-Agent': 'junior-1',
      'Org-Spec': '0007',
      'Org-Attempt': '1',
      'Org-Model': 'test/costly-1',
      'Org-Host': org.host,
      'Org-Run': 'n1',
      'Org-Tokens-In': '900',
      'Org-Tokens-Out': '20',
      'Org-Cost-USD': '0.1',
      'Org-Reserved': '0.5,1000,200',
      'Org-Cause': first.commit,
      'Org-Spent': `day:${day}=${spent} night:n1=${spent} agent:junior-1=${spent}`,
      'Org-Schema': '1',
    });
    assert.equal(made.git('log', '-1', '--format=%an <%ae>', ref).trim(), 'junior-1 <junior-1@agents.invalid>');
    assert.throws(() => first.settle(undefined, undefined), /has ended before/);
    assert.throws(() => first.release(), /has ended before/);
  }));

test('a call that costs more than a book can hold is refused as too dear, and not a bug', () =>
  scene(async (_made, org) => {
    const book = await open(org, 'n1', {});
    assert.deepEqual(await book.reserve({ ...call, most: { ...most, usd: 1_000.5 } }), {
      ...{ kind: 'refused', scope: 'call', name: call.agent, what: 'usd' },
      ...{ cap: 1_000, counted: 0, wanted: 1_000.5 },
    });
  }));

test('a price that nobody knows is left out, and what cannot be believed says why', () =>
  scene(async (made, org) => {
    const ref = `refs/orgrepo/spend/${org.host}`;
    const book = await open(org, 'n1', { night: { usd: 0.1 } });
    const unknown = await reserved(book, { most: { ...most, usd: undefined } });
    assert.equal(unknown.settle({ tokensIn: 1, tokensOut: 1_000 }, undefined).disbelieved, true);
    await book.written();
    const written = trailers(made, ref);
    assert.deepEqual(
      [written['Org-Cost-USD'], written['Org-Tokens-Out'], written['Org-Reason'], written['Org-Reserved']],
      [undefined, '200', 'the provider said ?,1,1000', '?,1000,200'],
    );
    const gone = await reserved(book, { most: { ...most, usd: undefined } });
    gone.release();
    await book.written();
    assert.match(trailers(made, ref)['Org-Spent'] ?? '', /^day:\S+=0,1000,200,1200 /);
  }));

test('many who ask at once share one move of the ref, and no cap is broken between them', () =>
  scene(async (made, org) => {
    const book = await open(org, 'n1', { night: { usd: 5 }, agent: { usd: 1.5 } });
    const asked = Array.from({ length: 40 }, (_, at) => book.reserve({ ...call, agent: `junior-${at % 8}` }));
    const said = await Promise.all(asked);
    assert.equal(said.filter(({ kind }) => kind === 'reserved').length, 10);
    const refused = said.flatMap((one) => (one.kind === 'refused' ? [one] : []));
    assert.deepEqual(refused[0], {
      ...{ kind: 'refused', scope: 'night', name: 'n1', what: 'usd', cap: 5, counted: 5, wanted: 0.5 },
    });
    assert.equal(made.git('rev-list', '--count', `refs/orgrepo/spend/${org.host}`, '^main').trim(), '10');
    (said[0] as Reservation).settle({ tokensIn: 1, tokensOut: 1 }, 0);
    assert.equal((await book.reserve({ ...call, agent: 'junior-0' })).kind, 'reserved', 'there is room again');
  }));

test('a night that goes on in another process forgets nothing: specs and attempts, and what was never settled', () =>
  scene(async (_, org) => {
    const caps: Caps = { attempt: { usd: 1 }, spec: { usd: 1.7 }, agent: { usd: 3 } };
    const before = await open(org, 'n1', caps);
    await reserved(before); // Killed here.
    (await reserved(before, { agent: 'junior-2' })).settle({ tokensIn: 1, tokensOut: 1 }, 0.4);
    await before.written();
    const again = await openOrg(org.repo.root);
    const book = await open(again, 'n1', caps);
    const said = await book.reserve(call);
    assert.deepEqual(said, {
      ...{ kind: 'refused', scope: 'attempt', name: '0007/1', what: 'usd', cap: 1, counted: 0.9, wanted: 0.5 },
    });
    await reserved(book, { attempt: '2' });
    const spec = await book.reserve({ ...call, attempt: '3' });
    assert.deepEqual(spec.kind === 'refused' && [spec.scope, spec.counted], ['spec', 1.4]);
    await again.repo.close();
  }));

test('the next night begins at nothing, but its day does not, and the night before can spend no more', () =>
  scene(async (_, org) => {
    const caps: Caps = { night: { usd: 0.5 }, day: { usd: 1 } };
    const first = await open(org, 'n1', caps);
    const late = await reserved(first);
    const second = await open(org, 'n2', caps);
    await reserved(second);
    late.settle({ tokensIn: 1, tokensOut: 1 }, 0.1); // Too late: it counts in full.
    await assert.rejects(first.written(), /another run, n2, spends in this repository since n1 did/);
    await assert.rejects(first.reserve(call), /another run/);
    const third = await (await open(org, 'n3', caps)).reserve(call);
    assert.deepEqual(third.kind === 'refused' && [third.scope, third.counted], ['day', 1]);
  }));

test("other hosts' books count towards the day and the night as far as this clone has them", () =>
  scene(async (made, org) => {
    const there: Org = { ...org, host: 'another-host' };
    await reserved(await open(there, 'n1'));
    const caps: Caps = { night: { usd: 0.9 } };
    const book = await open(org, 'n1', caps);
    const said = await book.reserve(call);
    assert.deepEqual(said.kind === 'refused' && [said.scope, said.counted], ['night', 0.5]);
    made.git('pack-refs', '--all', '--prune');
    assert.equal((await book.reserve(call)).kind, 'refused', 'packed or not');
    await reserved(await open(org, 'n2', caps));
    const day = await (await open(org, 'n2', { day: { tokensIn: 2_500 } })).reserve(call);
    assert.deepEqual(day.kind === 'refused' && [day.scope, day.counted], ['day', 2_000]);
  }));

test('a night that goes on on another host has the caps of its agents, specs and attempts once', () =>
  scene(async (_, org) => {
    const there: Org = { ...org, host: 'another-host' };
    const before = await open(there, 'n1');
    await reserved(before); // Killed here.
    (await reserved(before)).settle({ tokensIn: 1, tokensOut: 1 }, 0.4);
    await before.written();
    for (const scope of ['attempt', 'spec', 'agent'] as const) {
      const book = await open({ ...org }, 'n1', { [scope]: { usd: 1.3 } });
      assert.deepEqual(book.begun.nanos, 4e8);
      const said = await book.reserve(call);
      assert.deepEqual(said.kind === 'refused' && [said.scope, said.counted], [scope, 0.9]);
    }
    const caps: Caps = { attempt: { usd: 0.6 }, spec: { usd: 0.6 }, agent: { usd: 0.6 } };
    assert.equal((await (await open(org, 'n2', caps)).reserve(call)).kind, 'reserved', 'another night is another');
  }));

test('nothing is spent on a book that was moved back, or that does not add up', () =>
  scene(async (made, org) => {
    const ref = `refs/orgrepo/spend/${org.host}`;
    const book = await open(org, 'n1');
    const first = await reserved(book);
    await reserved(book);
    made.git('update-ref', ref, first.commit);
    await assert.rejects(book.reserve(call), /was moved back or taken away/);
    const text = made.git('cat-file', 'commit', ref).replace('Org-Cost-USD: 0.5', 'Org-Cost-USD: 0.4');
    made.git('update-ref', ref, made.gitWith(text, {}, 'hash-object', '-t', 'commit', '-w', '--stdin').trim());
    await assert.rejects(open(org, 'n1'), /does not add up/);
  }));

test('a book is read as far as its own night, however long the past is', () =>
  scene(async (_, org) => {
    const past = await open(org, 'n1');
    for (let at = 0; at < 50; at++) (await reserved(past)).settle({ tokensIn: 1, tokensOut: 1 }, 0.01);
    await past.written();
    const { reader } = org.repo;
    const read: string[] = [];
    const count = (name: string): ReturnType<typeof reader.read> => {
      read.push(name);
      return reader.read(name);
    };
    const counting: Org = {
      ...org,
      repo: { ...org.repo, reader: { ...reader, read: count } },
    };
    await open(counting, 'n2');
    assert.equal(read.length <= 2, true, `${read.length} objects were read`);
  }));

test('a call that has no name or no sum is a mistake of whoever asks', () =>
  scene(async (_, org) => {
    const book = await open(org, 'n1');
    for (const wrong of [
      { agent: 'No Name' },
      { spec: 'a b' },
      { most: { ...most, tokensIn: -1 } },
      { most: { ...most, usd: Number.NaN } },
    ])
      await assert.rejects(book.reserve({ ...call, ...wrong }), /no such call can be reserved/);
  }));
