import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { whyNot } from '../../src/jail/jail.ts';
import { root } from '../support/org.ts';
import { ideas } from './ideas.ts';
import type { Looked } from './probe.ts';

/** Nothing that a command can touch outlives it: docs/jail.md lists what was tried. */

/** What shows that an idea is worth a test: within one command it leaves something that a look can see. */
const atLeast = 28;

const person = 65_534;
const users =
  process.getuid?.() === 0
    ? [
        { who: 'root', become: [] },
        {
          who: 'an ordinary user',
          become: ['setpriv', `--reuid=${person}`, `--regid=${person}`, '--clear-groups'],
        },
      ]
    : [{ who: 'an ordinary user', become: [] }];

for (const walls of ['bubblewrap', 'namespaces'] as const) {
  const missing = await whyNot(walls);
  const options = missing === undefined ? {} : { skip: `${walls}: ${missing}` };
  for (const { who, become } of users)
    test(
      `${walls}, as ${who}: ${ideas.length} ways to leave something for the next command leave nothing`,
      options,
      () => {
        const below = mkdtempSync('/var/tmp/orgrepo-ideas-');
        chmodSync(below, 0o777);
        try {
          const words = [...become, process.execPath, path.join(root, 'build/test/jail/probe.js'), walls, below];
          const env = { ...process.env, PATH: `/usr/sbin:/sbin:${process.env.PATH}` };
          const ran = spawnSync(words[0] ?? '', words.slice(1), { encoding: 'utf8', env });
          assert.equal(ran.status, 0, ran.stderr);
          const looked: readonly Looked[] = JSON.parse(ran.stdout);
          assert.equal(looked.length, ideas.length);
          assert.deepEqual(
            looked.filter(({ before, after }) => before !== after),
            [],
          );
          const seen = looked.filter(({ before, within }) => before !== within);
          assert.ok(
            seen.length >= atLeast,
            `only ${seen.length} would be seen: ${seen.map(({ name }) => name).join(', ')}`,
          );
        } finally {
          rmSync(below, { recursive: true, force: true });
        }
      },
    );
}
