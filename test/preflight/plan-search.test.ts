import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reachOf } from '../../src/agents/search/search-reach.ts';
import { anOrg } from '../support/builders.ts';
import { obedientOrg, say, scriptAgent } from '../support/night.ts';
import { briefText } from '../support/org.ts';

const prompt = `You answer letters from customers of a small shop, kindly and in their own language.
Ask for the number of the order when it is missing, and never promise a refund.
Write at most 9 sentences, of at most 18 words each.
Offer 2 ways to go on at the end.
`;
const letters = {
  'program.md': briefText({ run: '' }),
  'harness/score.sh': `printf 'loss: '; wc -c < sandbox/prompt.txt\n`,
  'sandbox/prompt.txt': prompt,
};

test('plan, doctor and submit say which numbers a search agent changes, and that it does not read prose', async () => {
  const org = anOrg();
  const reach = '4 numbers in sandbox/numbers.txt:1-4';
  assert.match(
    (await org.orgrepo('plan')).stdout.replace(/\s+/g, ' '),
    new RegExp(`Search search agents change ${reach}; they do not read prose, a model does`),
  );
  const { search } = JSON.parse((await org.orgrepo('plan', '--json')).stdout);
  assert.deepEqual(search, { numbers: 4, choices: 0, files: [{ file: 'sandbox/numbers.txt', from: 1, to: 4 }] });
  const doctor = await org.orgrepo('doctor');
  assert.match(doctor.stdout, new RegExp(`ok {4}search agents change ${reach}; they do not read prose, a model does`));
  const { stderr } = await org.orgrepo('submit', 'try a table of gaps');
  assert.match(stderr, new RegExp(`A search agent works it, and does not read it: it changes ${reach}, or only the`));
  assert.match(stderr, /"line 1 of sandbox\/numbers\.txt"\. For anything else write model: /);
  assert.doesNotMatch((await org.orgrepo('submit', 'look at it', '--for', 'human')).stderr, /search agent/);
});

test('a sandbox of prose, or with nothing to change, needs a model, and plan and doctor say so', async () => {
  const org = anOrg({ ground: letters });
  const prose =
    /program\.md:\d+:\d+: the sandbox is prose, and a search agent only changes 3 numbers in sandbox\/prompt\.txt:3-4/;
  const fix = /fix: Name an agent that reads: model: claude-sonnet-4-6, or agent: claude\./;
  for (const verb of ['plan', 'doctor']) {
    const { stdout } = await org.orgrepo(verb);
    const flat = stdout.replace(/\s+/g, ' ');
    assert.match(flat, prose, verb);
    assert.match(flat, fix, verb);
  }
  org.write('sandbox/prompt.txt', 'Answer kindly.\n');
  org.commit('no number');
  assert.match((await org.orgrepo('doctor')).stdout, /a search agent finds nothing to change in the sandbox/);
});

test('agents that read are not told of as search agents', async () => {
  const org = obedientOrg(scriptAgent([say('echo "loss: 9"')]).brief);
  for (const args of [['plan'], ['doctor'], ['submit', 'an idea']]) {
    const ran = await org.orgrepo(...args);
    assert.doesNotMatch(ran.stdout + ran.stderr, /prose|search agents? (?:change|works|may)/i, args[0]);
  }
  org.remove();
});

test('what a search agent can change is counted by numbers and choices, and by files', () => {
  const file = (path: string, text: string) => ({ path, text });
  const code = file('a.js', 'const a = 3;\nconst b = true;\nexport const f = (x) => x + a;\n');
  assert.equal(reachOf([code]).words, '1 number and 2 choices in a.js:1-3');
  const many = [1, 2, 3, 4].map((n) => file(`${n}.txt`, `a ${n}\n`));
  assert.equal(reachOf(many).words, '4 numbers in 4 files, such as 1.txt:1');
  assert.equal(reachOf([file('b.txt', 'nothing here\n')]).words, 'nothing');
  assert.equal(reachOf([code, file('prompt.md', prompt)]).isProse, false);
  assert.equal(reachOf([file('prompt.md', prompt)]).isProse, true);
});
