import { test } from 'node:test';
import { serverNights } from '../support/server-nights.ts';

/** What servers.test.ts meets, as slow as servers are. */

for (const { what, meet } of serverNights) test(`after 2 s: ${what}`, () => meet(2_000));
