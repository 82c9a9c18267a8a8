import { test } from 'node:test';
import { assertUsesItsCap } from '../support/model-night.ts';

test('money that is only set aside for calls in flight does not end a night', () => assertUsesItsCap(5));
