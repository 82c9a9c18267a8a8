import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add, archive } from './edit.mjs';
import { makeStore } from './store.mjs';
import { merge } from './sync.mjs';
import { badge, board } from './view.mjs';

const ticket = { id: 7, project: 'apollo', title: 'paint the door', at: '1000' };

test('a ticket that was archived here is on no board', () => {
  const store = makeStore();
  add(store, ticket);
  archive(store, 7, '1001');
  assert.deepEqual([board(store, 'apollo'), badge(store, 'apollo')], [[], 0]);
});

test('a ticket that was renamed elsewhere has its new name', () => {
  const store = makeStore();
  add(store, ticket);
  merge(store, { ...ticket, title: 'paint the gate', at: '1002', archived: false, deleted: false });
  assert.deepEqual(board(store, 'apollo'), ['T-7 paint the gate']);
});
