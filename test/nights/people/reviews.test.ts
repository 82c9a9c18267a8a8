import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { anOrg } from '../../support/builders.ts';
import { forge, forget, verify } from '../../support/forge.ts';
import { ranIn } from '../../support/in-process.ts';
import { scriptAgent, trailers } from '../../support/night.ts';
import { briefText, type TestOrg } from '../../support/org.ts';

/** Roles that only talk: what they say is in the notebook, and what they reject is not on best. */

const call = (tool: string, input: object) => ({ calls: [{ tool, input }] });
const script = (...conversations: { when?: string[]; turns: object[] }[]): string => JSON.stringify({ conversations });

/** Plans first, revises when it was criticised, then brings one number after the other to 3. */
const junior = script(
  {
    when: ['Critique 1', 'Your plan', 'Your spec\n'],
    turns: [call('finish', { text: 'THE-SECOND-PLAN: only the first' })],
  },
  {
    when: ['Your spec\n'],
    turns: [call('read', { path: 'sandbox/numbers.txt' }), call('finish', { text: 'THE-FIRST-PLAN: all' })],
  },
  ...['first 9', 'second 7', 'third -4'].map((old, index) => ({
    when: [`try ${index + 1} of`],
    turns: [
      call('edit', { path: 'sandbox/numbers.txt', old, new: `${old.split(' ')[0]} 3` }),
      call('finish', { title: `MY-TITLE ${old}`, notes: 'MY-NOTES trust me' }),
    ],
  })),
);
const critic = script({ turns: [call('finish', { text: 'THE-CRITIQUE: one at a time' })] });
const approves = script({ turns: [call('review', { decision: 'approve', summary: 'reads well', findings: [] })] });
const rejectsFirst = script(
  {
    when: ['-first 9'],
    turns: [call('review', { decision: 'reject', summary: 'games it', findings: ['numbers.txt:1 high'] })],
  },
  { turns: [call('review', { decision: 'approve', summary: 'reads well' })] },
);

const briefWith = (keys: Record<string, string>): string =>
  briefText({
    agent: '',
    model: 'scripted:models/junior.json',
    chief: '{ agent: search }',
    juniors: '1',
    budget: '{ experiment: 10s, agent: 20s, night: 1h, attempts: 3, patience: 1000 }',
    ...keys,
  });

function orgWith(risk: string, keys: Record<string, string>, files: Record<string, string> = {}): TestOrg {
  const org = anOrg({
    files: {
      'program.md': briefWith(keys),
      'models/junior.json': junior,
      'models/critic.json': critic,
      'models/checker.json': approves,
      'specs/0001-first.md': `---\ntitle: bring the numbers to 3\nrisk: ${risk}\n---\nTHE-SPEC\n`,
      ...files,
    },
  });
  return org;
}

const story = (org: TestOrg): string[] =>
  org
    .git('log', '--first-parent', '--reverse', '--format=%(trailers:key=Org-Event,valueonly)', 'orgrepo/work/0001')
    .split('\n')
    .filter((line) => line !== '');

const verified = async (org: TestOrg): Promise<void> => {
  const ran = await org.orgrepo('verify');
  assert.equal(ran.code, 0, ran.stdout);
};

async function ran(org: TestOrg, max: string): Promise<void> {
  const { code, stderr } = await org.orgrepo('run', '--max', max);
  assert.equal(code, 0, stderr);
}

const critics = '[{ model: scripted:models/critic.json }]';
const checker = '{ model: scripted:models/checker.json }';

test('medium: the plan, what a critic says of it and the plan after it stand in the notebook before the work', async () => {
  const org = orgWith('medium', { critics });
  await ran(org, '3');
  assert.deepEqual(
    story(org).slice(-8),
    ['claim', 'plan', 'critique', 'plan', 'keep', 'keep', 'keep', 'done'].slice(-8),
  );
  const log = org.git('log', '--first-parent', '--reverse', '--format=%an: %b', 'orgrepo/work/0001');
  const order = ['THE-FIRST-PLAN', 'THE-CRITIQUE', 'THE-SECOND-PLAN'].map((words) => log.indexOf(words));
  assert.deepEqual(
    order,
    [...order].sort((a, b) => a - b),
  );
  assert.equal(order.includes(-1), false, log);
  assert.deepEqual(trailers(org, 'Model', '--grep=^critique:', 'orgrepo/work/0001'), ['scripted:models/critic.json']);
  await verified(org);
});

test('low: nobody is asked', async () => {
  const org = orgWith('low', { critics, checker });
  await ran(org, '2');
  assert.equal(
    story(org).some((event) => ['plan', 'critique', 'review'].includes(event)),
    false,
  );
});

test('the brief may say that nothing is of low risk', async () => {
  const org = orgWith('low', { critics, checker, risk: 'high' });
  await ran(org, '2');
  assert.equal(story(org).includes('critique'), true);
  assert.equal(story(org).includes('review'), true);
  await verified(org);
});

test('high: what a checker rejects is not on best, and the next try starts from before it', async () => {
  const org = orgWith('high', { checker }, { 'models/checker.json': rejectsFirst });
  await ran(org, '3');
  assert.equal(org.git('show', 'orgrepo/best:sandbox/numbers.txt').includes('first 9'), true);
  assert.equal(org.git('show', 'orgrepo/best:sandbox/numbers.txt').includes('second 3'), true);
  assert.deepEqual(trailers(org, 'Decision', '--grep=^review:', '--reverse', 'orgrepo/work/0001'), [
    'approve',
    'approve',
    'reject',
  ]);
  assert.deepEqual(new Set(trailers(org, 'Agent', '--grep=^review:', 'orgrepo/work/0001')), new Set(['checker-1']));
  assert.match((await org.orgrepo('log')).stdout, /! #1 /);
  assert.match((await org.orgrepo('verify')).stdout, /^3 experiments, 2 keep verdicts, /);
  assert.match((await org.orgrepo('show', '2')).stdout, /orgrepo show 2 --trace$/m);
  const shown = (await org.orgrepo('show', '0001')).stdout;
  assert.match(shown, /^risk {6}high$/m);
  assert.match(shown, / review +checker-1 +rejected: games it$/m);
  const heads = (await org.orgrepo('show', '0001', '--trace')).stdout.match(/^#\d {2}trace {3}\S+/gm);
  assert.deepEqual(heads?.map((head) => head.replace('  trace   ', ' ')).sort(), [
    '#1 checker-1',
    '#1 junior-1',
    '#2 checker-1',
    '#2 junior-1',
    '#3 checker-1',
    '#3 junior-1',
  ]);
  assert.match((await org.orgrepo('show', 'chief', '--trace')).stderr, /^chief has no trace/);
  await verified(org);
});

test('a checker sees the change and the brief, and not a word of the plan or the maker', async () => {
  const words = ['THE-SPEC', 'bring the numbers', 'PLAN', 'MY-TITLE', 'MY-NOTES', 'junior-1'];
  const nosy = script(
    ...words.map((word) => ({ when: [word], turns: [call('review', { decision: 'reject', summary: `saw ${word}` })] })),
    { when: ['-first 9', '+first 3', 'metric'], turns: [call('review', { decision: 'approve', summary: 'fine' })] },
  );
  const org = orgWith('high', { checker, critics }, { 'models/checker.json': nosy });
  await ran(org, '1');
  const [said] = trailers(org, 'Decision', '--grep=^review:', 'orgrepo/work/0001');
  assert.equal(said, 'approve', org.git('log', '--grep=^review:', '--format=%B', 'orgrepo/work/0001'));
});

test('critical: a keep waits for a person, who denies one and approves another', async () => {
  const org = orgWith('critical', { checker });
  const waited = await org.orgrepo('run', '--max', '1');
  assert.equal(waited.code, 3);
  assert.match(waited.stdout + waited.stderr, /1 experiment was asked for; 1 change waits for a person/);
  const { kept, waiting, tally } = JSON.parse((await org.orgrepo('report', '--json')).stdout);
  assert.deepEqual([kept, waiting, tally.keep], [0, 1, 0]);
  assert.match((await org.orgrepo('report')).stdout, /1 tried: 0 won, 1 waits/);
  assert.match((await org.orgrepo('show', '1')).stdout, /wait +orgrepo +its risk is critical/);
  assert.equal(org.git('show', 'orgrepo/best:sandbox/numbers.txt').includes('first 9'), true);
  assert.equal(story(org).at(-1), 'wait');
  assert.match((await org.orgrepo('status')).stdout, /#1 .* waits for your word/);
  const status = JSON.parse((await org.orgrepo('status', '--json')).stdout);
  assert.deepEqual([status.tried, status.kept, status.waiting, status.tally.keep], [1, 0, 1, 0]);
  assert.match((await org.orgrepo('status')).stdout, / tried +1: 0 won, 1 waits\n/);
  assert.match((await org.orgrepo('log')).stdout, /! waits, blocked.* other\n.*! +#1 /);
  assert.doesNotMatch((await org.orgrepo('log', '--kept')).stdout, /#1 /);
  assert.match((await org.orgrepo('show', '1')).stdout, /^#1 {2}! WAITS /);
  assert.match((await org.orgrepo('report')).stdout, /approve 1/);
  assert.equal((await org.orgrepo('status', '--check')).code, 3);
  // Nothing moves until somebody has spoken, however often it is run.
  await org.orgrepo('run', '--max', '1');
  assert.deepEqual(trailers(org, 'Event', '-1', 'orgrepo/work/0001'), ['wait']);
  assert.equal((await org.orgrepo('deny', '1', '--reason', 'not on a Friday')).code, 0);
  await org.orgrepo('run', '--max', '1');
  assert.equal(org.git('show', 'orgrepo/best:sandbox/numbers.txt').includes('first 9'), true);
  assert.match((await org.orgrepo('show', '1')).stdout, /rejected it: not on a Friday/);
  const waits = /#(\d+) .* waits for your word/.exec((await org.orgrepo('status')).stdout)?.[1] ?? '';
  assert.equal((await org.orgrepo('approve', waits)).code, 0);
  assert.match((await org.orgrepo('status')).stdout, /has your word/);
  await org.orgrepo('run', '--max', '1');
  assert.equal(org.git('show', 'orgrepo/best:sandbox/numbers.txt').includes('second 3'), true);
  await verified(org);
});

test('a person has the last word: neither a checker that answers later nor a smaller risk takes it back', async () => {
  const silent = script({ turns: [{ text: 'hm' }] });
  const rejects = script({ turns: [call('review', { decision: 'reject', summary: 'no' })] });
  const rows = [
    ['high', { checker }, 'deny', approves, {}],
    ['high', { checker }, 'approve', rejects, {}],
    ['low', { checker, risk: 'critical' }, 'deny', approves, { checker }],
    ['low', { checker, risk: 'critical' }, 'approve', approves, { checker }],
  ] as const;
  for (const [risk, keys, word, later, keysLater] of rows) {
    const org = orgWith(risk, { ...keys }, { 'models/checker.json': silent });
    await org.orgrepo('run', '--max', '1');
    assert.equal((await org.orgrepo(word, '1')).code, 0, `${risk} ${word}`);
    org.write('models/checker.json', later);
    if (risk === 'low') org.write('program.md', briefWith(keysLater));
    org.commit('later');
    await org.orgrepo('run', '--max', '1');
    const [first] = trailers(org, 'Decision', '--grep=^review: #1 .*ed', 'orgrepo/work/0001');
    assert.equal(first, word === 'deny' ? 'reject' : 'approve', `${risk} ${word}`);
    const isOnBest = org.git('show', 'orgrepo/best:sandbox/numbers.txt').includes('first 3');
    assert.equal(isOnBest, word === 'approve', `${risk} ${word}`);
    await verified(org);
  }
});

test('who checks is chosen by who made it, whoever holds the spec by now, and verify compares', async () => {
  const both = '[{ model: scripted:models/junior.json }, { model: scripted:models/checker.json }]';
  const org = orgWith(
    'high',
    { checker: both },
    {
      'models/junior.json': JSON.stringify({
        conversations: [
          ...JSON.parse(approves).conversations.map((one: object) => ({ ...one, when: ['# The change'] })),
          ...JSON.parse(junior).conversations,
        ],
      }),
    },
  );
  await ran(org, '1');
  const reviewer = (): string[] => trailers(org, 'Agent', '-1', '--grep=^review:', 'orgrepo/work/0001');
  assert.deepEqual(reviewer(), ['checker-2']);
  await verified(org);
  const work = 'refs/heads/orgrepo/work/0001';
  const reviewed = org.git('rev-parse', work).trim();
  const isFound = async (edit: (text: string) => string): Promise<boolean> => {
    forge(org, work, edit);
    const { findings } = await verify(org);
    org.git('update-ref', work, reviewed);
    return findings.some(({ what }) => /^(its maker reviewed it|a checker has the model of the maker)/.test(what));
  };
  assert.equal(
    await isFound((text) => text.replace('scripted:models/checker.json', 'scripted:models/junior.json')),
    true,
  );
  assert.equal(await isFound((text) => text.replace('Org-Agent: checker-2', 'Org-Agent: junior-1')), true);
});

test('a keep that somebody else goes on with is not checked by the model that made it', async () => {
  const org = orgWith('high', {}, { 'models/other.json': approves });
  await org.orgrepo('run', '--max', '1');
  // As if the run had been killed before anybody looked at the keep, and the brief had other people since.
  org.git('update-ref', 'refs/heads/orgrepo/work/0001', 'orgrepo/work/0001~1');
  forget(org);
  const checkers = '[{ model: scripted:models/junior.json }, { model: scripted:models/other.json }]';
  org.write('program.md', briefWith({ model: 'scripted:models/other.json', checker: checkers }));
  org.commit('others');
  await org.orgrepo('run', '--max', '1');
  assert.deepEqual(trailers(org, 'Agent', '--grep=^review: #1 ', 'orgrepo/work/0001'), ['checker-2']);
});

test('high without a checker, or with one that cannot answer, waits for a person', async () => {
  const broken = script({ turns: [{ text: 'hm' }] });
  for (const keys of [{ checker: '{ agent: human }' }, {}, { checker }] as Record<string, string>[]) {
    const org = orgWith('high', keys, { 'models/checker.json': broken });
    await org.orgrepo('run', '--max', '1');
    assert.equal(story(org).at(-1), 'wait', JSON.stringify(keys));
    await verified(org);
  }
});

test('deny takes only what waits, approve also what was kept: it may have to be reviewed before it is landed', async () => {
  const org = orgWith('low', {});
  await org.orgrepo('run', '--max', '1');
  const { code, stderr } = await org.orgrepo('approve', '1');
  assert.deepEqual([code, stderr], [0, 'It counts when it is landed: orgrepo land\n']);
  await verified(org);
  assert.match((await org.orgrepo('deny', '1')).stderr, /#1 does not wait for a person/);
  assert.equal((await org.orgrepo('approve', '99')).code !== 0, true);
});

test('an agent cannot approve or deny a win', async () => {
  const org = orgWith('critical', {});
  await org.orgrepo('run', '--max', '1');
  assert.equal(story(org).at(-1), 'wait');
  const queue = org.git('rev-parse', 'orgrepo/queue');
  org.git('config', 'user.email', 'junior-1@agents.invalid');
  for (const verb of ['approve', 'deny']) {
    const refused = await org.orgrepo(verb, '1', '--reason', 'mine is good');
    assert.deepEqual([refused.code, refused.stderr.includes('only people decide')], [6, true], refused.stderr);
  }
  org.git('config', 'user.email', 'person@example.invalid');
  const env = { ...process.env, CI: '1', ORGREPO_AGENT: 'junior-1' };
  assert.match((await ranIn({ dir: org.dir, env }, 'approve', '1')).stderr, /junior-1 is an agent, and only people/);
  assert.equal(org.git('rev-parse', 'orgrepo/queue'), queue);
  assert.equal((await org.orgrepo('approve', '1')).code, 0);
  await verified(org);
});

test('a chief is told by a commit which specs were refused, and does better the next time', async () => {
  const good = '# Second to 3\n\nHypothesis: a\nPrediction: -16\nControl: best\nHeld fixed: rest\nWrong if: no\n';
  const chief = script(
    {
      when: ['Refused lately', 'no "Control:"'],
      turns: [call('write', { path: 'specs/b.md', content: good }), call('finish', { title: 'b' })],
    },
    {
      turns: [
        call('write', { path: 'specs/a.md', content: '# First to 3\n\nHypothesis: a\nPrediction: -36\n' }),
        call('finish', { title: 'a' }),
      ],
    },
  );
  const org = orgWith(
    'low',
    { chief: '{ model: scripted:models/chief.json }' },
    { 'models/chief.json': chief, 'specs/0001-first.md': '# x\n' },
  );
  await org.orgrepo('run', '--max', '4');
  const refusals = org.git('log', '--format=%s%n%b', '--grep=^refuse:', 'orgrepo/queue');
  assert.match(refusals, /refuse: First to 3/);
  assert.match(refusals, /no "Control:" \(what it is compared with\)/);
  assert.match(refusals, /> Prediction: -36/);
  assert.match(org.git('log', '--format=%s', '--grep=^spec:', 'orgrepo/queue'), /Second to 3/);
  assert.equal(org.git('log', '--format=%s', '--grep=^claim:', 'orgrepo/queue').includes('First to 3'), false);
  await verified(org);
});

test('a chief is told of a spec that came to trees measured before, and cannot say the same under another title the next night', async () => {
  const body = 'Hypothesis: a\nPrediction: -36\nControl: best\nHeld fixed: rest\nWrong if: no\n';
  const write = (title: string) => [
    call('write', { path: 'specs/a.md', content: `# ${title}\n\n${body}` }),
    call('finish', { title }),
  ];
  const change = (old: string, to: string) => [
    call('edit', { path: 'sandbox/numbers.txt', old, new: to }),
    call('finish', { title: to }),
  ];
  const org = orgWith(
    'low',
    {
      chief: '{ model: scripted:models/chief.json }',
      score: '"sh harness/score.sh; echo holdout_loss: 5"', // Printed for people.
      budget: '{ experiment: 10s, agent: 20s, night: 1h, attempts: 1 }',
    },
    {
      'models/chief.json': script(
        { when: ['The last report', 'eld out'], turns: write('It knows what is held out') },
        { when: ['Refused lately', 'measured before'], turns: write('Another title') },
        { turns: write('Back to 9') },
      ),
      'models/junior.json': script(
        { when: ['Back to 9'], turns: change('first 3', 'first 9') },
        { turns: change('first 9', 'first 3') },
      ),
    },
  );
  await ran(org, '2');
  await org.orgrepo('run', '--max', '1');
  const refusals = org.git('log', '--format=%b', '--grep=^refuse:', 'orgrepo/queue');
  assert.match(refusals, /"Back to 9" was refused: .* measured before \(the same tree as the baseline\)/);
  assert.match((await org.orgrepo('report')).stdout, /held out 5/);
  assert.equal(refusals.includes('It knows'), false, 'the report that a chief reads has no held-out score');
  assert.match(refusals, /"Another title" was refused: it repeats 0002 "Back to 9"/);
  await verified(org);
});

test('the next try is told where the metric stands, all of the review that rejected the last one, and what that printed', async () => {
  const knows = [
    'try 2 of',
    'numbers.txt:1 high',
    '| STAGE-ONE',
    'The best so far has loss 126, the start had 126.',
    'The target is 1.',
  ];
  const edit = (old: string, title: string) => [
    call('edit', { path: 'sandbox/numbers.txt', old, new: `${old.split(' ')[0]} 3` }),
    call('finish', { title }),
  ];
  const org = orgWith(
    'high',
    { checker, target: '1', run: 'sh harness/run.sh; echo STAGE-ONE' },
    {
      'models/checker.json': rejectsFirst,
      'models/junior.json': script(
        { when: knows, turns: edit('second 7', 'knows it all') },
        { turns: edit('first 9', 'begins') },
      ),
    },
  );
  await ran(org, '2');
  assert.match(org.git('log', '--format=%s', 'orgrepo/work/0001'), /keep: knows it all/);
  await verified(org);
});

test('a program that plans nothing reads below its spec what critics said', async () => {
  const agent = scriptAgent(['cp "$ORGREPO_SPEC" "$HERE/spec"; echo "first 3" > sandbox/numbers.txt; echo less']);
  const org = orgWith('medium', { critics, model: '', junior: `{ agent: ${agent.brief} }` });
  await ran(org, '1');
  assert.match(readFileSync(`${agent.dir}/spec`, 'utf8'), /THE-SPEC\n\n# Critique 1\n\nTHE-CRITIQUE: one at a time\n$/);
});

test('a junior is told how its earlier tries ended and what they printed, but not what the judge printed', async () => {
  const judge = `import { readFileSync } from 'node:fs';
const text = readFileSync(process.env.ORGREPO_OUT + '/numbers.txt', 'utf8');
if (text.includes('first 3')) { console.error('HELD-OUT answer 42'); process.exit(1); }
console.log('loss: 5');`;
  const run = `import { copyFileSync, readFileSync } from 'node:fs';
if (readFileSync('sandbox/numbers.txt', 'utf8').includes('second 3')) { console.error('FIRST-STAGE broke'); process.exit(3); }
copyFileSync('sandbox/numbers.txt', process.env.ORGREPO_OUT + '/numbers.txt');`;
  const nosy = script(
    { when: ['try 3 of', 'HELD-OUT'], turns: [call('finish', { title: 'saw what is held out' })] },
    {
      when: ['try 3 of', 'FIRST-STAGE broke', 'score ended with 1'],
      turns: [call('finish', { title: 'knows enough' })],
    },
    ...['first 9', 'second 7'].map((old, index) => ({
      when: [`try ${index + 1} of`],
      turns: [
        call('edit', { path: 'sandbox/numbers.txt', old, new: `${old.split(' ')[0]} 3` }),
        call('finish', { title: old }),
      ],
    })),
  );
  const org = orgWith(
    'low',
    { run: 'node harness/run.mjs', score: 'node harness/judge.mjs' },
    { 'models/junior.json': nosy, 'harness/run.mjs': run, 'harness/judge.mjs': judge },
  );
  await ran(org, '3');
  assert.match(org.git('log', '--format=%s', 'orgrepo/work/0001'), /unchanged: knows enough/);
});

test('a model hears the score of a rehearsal only where the brief allows it', async () => {
  const curious = (turns: object[]) => script({ turns: [call('run', {}), ...turns] });
  for (const [rehearsal, told] of [
    ['output', false],
    ['score', true],
  ] as const) {
    const org = orgWith(
      'low',
      { rehearsal },
      { 'models/junior.json': curious([call('finish', { title: 'nothing' })]) },
    );
    await ran(org, '1');
    assert.equal(/in one measurement/.test((await org.orgrepo('show', '1', '--trace')).stdout), told);
  }
});

test('a checker that approves and rejects in one answer has said nothing', async () => {
  const both = script({
    turns: [
      {
        calls: ['approve', 'reject'].map((decision) => ({ tool: 'review', input: { decision, summary: decision } })),
      },
    ],
  });
  const org = orgWith('high', { checker }, { 'models/checker.json': both });
  await org.orgrepo('run', '--max', '1');
  assert.equal(story(org).at(-1), 'wait');
  assert.equal(org.git('show', 'orgrepo/best:sandbox/numbers.txt').includes('first 9'), true);
});

test('a critic that cannot answer is recorded, and no empty critique is handed on', async () => {
  const silent = script({ turns: [{ text: '' }] });
  const nosy = junior.replace('"Critique 1",', '"Critique 1","NOBODY",');
  const org = orgWith('medium', { critics }, { 'models/critic.json': silent, 'models/junior.json': nosy });
  await ran(org, '1');
  assert.match(org.git('log', '--format=%s', 'orgrepo/work/0001'), /critique: 0001 by critic-1, no answer/);
});

test('a critic that gives no answer five times in a row is stopped, and the work goes on without it', async () => {
  const specs = [1, 2, 3, 4, 5, 6, 7].map((n) => [
    `specs/000${n}-x.md`,
    `---\nid: "000${n}"\ntitle: x ${n}\nrisk: medium\n---\n`,
  ]);
  const org = orgWith(
    'medium',
    {
      critics,
      model: '',
      agent: 'search',
      budget: '{ experiment: 10s, agent: 20s, night: 1h, attempts: 1, patience: 1000 }',
    },
    {
      ...Object.fromEntries(specs),
      'models/critic.json': script({ turns: [{ text: '' }] }),
    },
  );
  org.git('rm', '-q', 'specs/0001-first.md');
  org.commit('seven specs');
  await org.orgrepo('run', '--max', '7');
  const halts = org.git('log', '--format=%s', '--grep=^halt: ', 'orgrepo/queue').trim();
  assert.equal(halts, 'halt: critic-1, 5 times in a row it gave no answer');
  const reasons = trailers(
    org,
    'Reason',
    '--grep=^critique:',
    ...specs.map((_, index) => `orgrepo/work/000${index + 1}`),
  );
  assert.equal(reasons.filter((reason) => reason === 'critic-1 is stopped').length, 2, reasons.join());
  await verified(org);
});

test('what a person commits on the queue by hand hides nothing of what was before', async () => {
  const org = orgWith('low', {});
  await ran(org, '3');
  const before = [
    (await org.orgrepo('log', '--all')).stdout,
    JSON.parse((await org.orgrepo('status', '--json')).stdout).tried,
  ];
  org.git('worktree', 'add', '--quiet', `${org.dir}-queue`, 'orgrepo/queue');
  org.git('-C', `${org.dir}-queue`, 'commit', '--quiet', '--allow-empty', '-m', 'by hand');
  org.git('worktree', 'remove', '--force', `${org.dir}-queue`);
  assert.deepEqual(
    [(await org.orgrepo('log', '--all')).stdout, JSON.parse((await org.orgrepo('status', '--json')).stdout).tried],
    before,
  );
  assert.equal((await org.orgrepo('show', '1')).code, 0);
});

test('a plain brief that wants a person to look at a bad score has nothing tried before', async () => {
  const metric =
    '- scalar: loss = what is left\n- target: <= 1\n- if loss rises above 100, halt and request human review.\n';
  const budget = '## Budget\n- 2k input tokens, 1k output tokens\n';
  const brief = `## Scope\n- WRITE: /sandbox/\n## Success metric\n${metric}${budget}`;
  const org = anOrg({ files: { 'program.md': brief } });
  assert.match((await org.orgrepo('plan')).stdout, /2k tokens in · 1k\s+tokens out/);
  const { code, stdout, stderr } = await org.orgrepo('run');
  assert.equal(code, 3);
  assert.match(stdout + stderr, /loss is above 100: the brief wants a person to look/);
  assert.equal((await org.orgrepo('log')).stdout.includes('#1'), false);
  assert.match((await org.orgrepo('status')).stdout, /loss is above 100[\s\S]*change that line of the brief/);
  await verified(org);
});

test('plan warns where risky work has nobody to look at it, or somebody who thinks as its maker does', async () => {
  const rows = [
    ['low', {}, 0, /$/],
    ['medium', {}, 1, /work of medium risk, and no critics/],
    ['high', { critics }, 1, /work of high risk, and no checker that is a model/],
    [
      'high',
      { critics, checker: '{ model: scripted:models/junior.json }' },
      1,
      /junior-1 makes is checked by the same/,
    ],
    ['critical', { critics, checker }, 0, /$/],
  ] as const;
  for (const [risk, keys, count, words] of rows) {
    const { warnings } = JSON.parse(
      (await orgWith(risk, { ...keys }).orgrepo('plan', '--json', '--no-measure')).stdout,
    );
    const said: string[] = warnings.map(({ message }: { message: string }) => message);
    const mine = said.filter((message) => /risk|same model/.test(message));
    assert.equal(mine.length, count, JSON.stringify(said));
    assert.match(mine.join(), words);
  }
});
