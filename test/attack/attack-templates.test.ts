import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNot } from '../../src/jail/jail.ts';

import { orgFromTemplate, tinylmInAHurry } from '../support/template.ts';

const missing = await whyNot('bubblewrap');
const jailed = missing === undefined ? {} : { skip: `bubblewrap is not to be had here: ${missing}` };

for (const template of ['pack', 'tinylm', 'blank', 'bugfix']) {
  test(`of the tricks of orgrepo attack none gets through the harness of ${template}`, jailed, async () => {
    const org = orgFromTemplate(template, template === 'tinylm' ? tinylmInAHurry : []);
    const ran = await org.orgrepo('attack');
    assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  });
}
