import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headersOf, inputSchema, mirroredIn } from '../../src/agents/tools/mcp-schema.ts';

const object = (properties: Readonly<Record<string, unknown>>, more = {}) => ({ type: 'object', properties, ...more });
const taken = (property: unknown, more = {}): unknown =>
  (inputSchema(object({ it: property }, more)).properties as Record<string, unknown>).it;

test('what pydantic writes for an optional argument keeps its type', () => {
  assert.deepEqual(taken({ anyOf: [{ type: 'string' }, { type: 'null' }], description: 'a name', default: null }), {
    type: 'string',
    description: 'a name',
  });
  assert.deepEqual(taken({ oneOf: [{ type: 'null' }, { type: 'array', items: { type: 'integer' } }] }), {
    type: 'array',
    items: { type: 'integer' },
  });
  assert.deepEqual(taken({ type: ['string', 'null'] }), { type: 'string' });
});

test('an argument of several types names them and takes each', () => {
  const said = { description: 'where (string or array)' };
  const list = { type: 'array', items: { type: 'string' } };
  const branches = [list, { type: 'string' }, { type: 'null' }];
  assert.deepEqual(taken({ anyOf: branches, description: 'where' }), said);
  assert.deepEqual(taken({ type: ['array', 'null', 'string'], description: 'where' }), said);
  assert.deepEqual(taken({ anyOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/B' }] }), {});
});

test('a reference is followed within the schema, and nowhere else', () => {
  const $defs = { Color: { type: 'string', enum: ['red', 'blue'] }, 'a/b': { type: 'integer' } };
  assert.deepEqual(taken({ $ref: '#/$defs/Color', description: 'of the wall' }, { $defs }), {
    type: 'string',
    description: 'of the wall',
    enum: ['red', 'blue'],
  });
  assert.deepEqual(taken({ anyOf: [{ $ref: '#/$defs/a~1b' }, { type: 'null' }] }, { $defs }), { type: 'integer' });
  assert.deepEqual(taken({ allOf: [{ $ref: '#/$defs/Color' }] }, { $defs }), {
    type: 'string',
    enum: ['red', 'blue'],
  });
  for (const $ref of ['http://127.0.0.1/x.json', '#/$defs/none', '#/__proto__', '#/constructor/prototype', '#'])
    assert.deepEqual(taken({ $ref }, { $defs }), {}, $ref);
});

test('a reference to itself ends, and does not grow without end', () => {
  assert.deepEqual(taken({ $ref: '#/$defs/A' }, { $defs: { A: { $ref: '#/$defs/A' } } }), {});
  const wide = Object.fromEntries(Array.from({ length: 64 }, (_, at) => [`p${at}`, { $ref: '#' }]));
  const many = Object.fromEntries(Array.from({ length: 64 }, (_, at) => [`p${at}`, { $ref: '#/$defs/A' }]));
  const begun = performance.now();
  const read = inputSchema(object({ ...wide, ...many }, { $defs: { A: object(many) } }));
  assert.equal(JSON.stringify(read).length < 50_000, true);
  assert.equal(performance.now() - begun < 1_000, true);
});

test('a constant is a choice of one, and choices that are no words are told in words', () => {
  assert.deepEqual(taken({ const: 'fast' }), { type: 'string', enum: ['fast'] });
  assert.deepEqual(taken({ const: 3 }), { type: 'number', description: 'One of: [3].' });
  assert.deepEqual(taken({ enum: [1, 2], type: 'integer', description: 'how many' }), {
    type: 'integer',
    description: 'how many One of: [1,2].',
  });
  assert.deepEqual(taken({ anyOf: [{ const: 'a' }, { const: 'b' }] }), { type: 'string', enum: ['a', 'b'] });
});

test('an argument that is wanted in a header is found where the protocol allows it, and encoded', () => {
  const region = { type: 'string', 'x-mcp-header': 'Region' };
  const deep = object({ size: { type: 'integer', 'x-mcp-header': 'Size' } });
  const mirrors = mirroredIn(object({ region, at: deep, other: { type: 'string' } }));
  assert.ok(mirrors);
  assert.deepEqual(headersOf(mirrors, { region: 'us-west1', at: { size: 42 }, other: 'x' }), {
    'mcp-param-region': 'us-west1',
    'mcp-param-size': '42',
  });
  assert.deepEqual(headersOf(mirrors, { region: 'Hello, 世界', at: { size: null } }), {
    'mcp-param-region': '=?base64?SGVsbG8sIOS4lueVjA==?=',
  });
  for (const [value, encoded] of [
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
  ] as const)
    assert.deepEqual(headersOf(mirrors, { region: value }), { 'mcp-param-region': encoded });
  for (const wrong of [
    object({ a: { type: 'number', 'x-mcp-header': 'A' } }),
    object({ a: { type: 'string', 'x-mcp-header': 'no name' } }),
    object({ a: { type: 'string', 'x-mcp-header': 7 } }),
    object({ a: region, b: { type: 'string', 'x-mcp-header': 'REGION' } }),
    object({ a: { type: 'array', items: region } }),
    object({ a: { anyOf: [region] } }),
  ])
    assert.equal(mirroredIn(wrong), undefined, JSON.stringify(wrong));
});
