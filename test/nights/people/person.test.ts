import assert from 'node:assert/strict';
import { existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { verify } from '../../support/forge.ts';
import { keepOrgs } from '../../support/keep.ts';
import { endings, factsIn, obedientOrg, runNight, say, scriptAgent, startNight, waitFor } from '../../support/night.ts';
import { briefText, makeOrg, quadratic } from '../../support/org.ts';
import { benchOf, edit, edited, needsYou, personsOrg } from '../../support/person.ts';
import { until } from '../../support/until.ts';

const keep = keepOrgs();

const whole = { code: 0, findings: [] };

test('a person edits in the bench that show names, and the next run takes what they offered as it was offered', async () => {
  const org = keep(personsOrg());
  const trunk = org.git('rev-parse', 'main');
  const first = await runNight(org);
  assert.deepEqual([first.code, first.experiments], [0, []], first.stderr);
  assert.deepEqual(await needsYou(org), ['0001 "make it say less" waits for you | orgrepo show 0001']);
  assert.equal((await org.orgrepo('status', '--check')).code, 3);
  assert.equal(org.git('-C', benchOf(org, '0001'), 'status', '--short'), '');

  const shown = (await org.orgrepo('show', '0001')).stdout;
  assert.ok(shown.includes(`bench     ${benchOf(org, '0001')}\n`), shown);
  assert.match(shown, /waits for you · 0 of 5 attempts used · its line scores loss 10/);
  assert.match(shown, /orgrepo submit --done 0001/);

  edit(org, '0001', 'echo "loss: 7"\n');
  assert.match(org.git('-C', benchOf(org, '0001'), 'diff'), /\+echo "loss: 7"/);
  assert.match((await org.orgrepo('show', '0001')).stdout, /edited {4}sandbox\/program\n/);
  const offered = await org.orgrepo('submit', '--done', '0001', '--title', 'say seven');
  assert.match(offered.stdout, /^0001 {2}offered: say seven {3}[0-9a-f]{7}\n$/);
  edit(org, '0001', 'echo "loss: 99"\n'); // They go on at once: what was offered stays what it was.
  assert.deepEqual(await needsYou(org), ['0001 "make it say less" is offered | orgrepo run']);
  assert.match((await org.orgrepo('show', '0001')).stdout, /offered as [0-9a-f]{7}, "say seven"; a run measures it/);

  const second = await runNight(org);
  assert.deepEqual(endings(second.experiments), ['keep 7']);
  assert.equal(org.git('show', 'orgrepo/best:sandbox/program'), 'echo "loss: 7"\n');
  const best = org.git('log', '-1', '--format=%an %cn %(trailers:key=Org-Agent,valueonly)', 'orgrepo/best').trim();
  assert.equal(best, 'human Test Person human');
  const tried = '%(trailers:key=Org-Offer,valueonly,separator=)';
  const offer = org.git('log', '-1', `--format=${tried}`, 'orgrepo/best^2').trim();
  assert.equal(org.git('log', '-1', '--format=%an: %s', offer), 'Test Person: offer: say seven\n');
  assert.equal(edited(org, '0001'), 'echo "loss: 99"\n', 'what they typed since is theirs');
  assert.match(org.git('-C', benchOf(org, '0001'), 'diff'), /-echo "loss: 7"\n\+echo "loss: 99"/);

  edit(org, '0001', 'echo "loss: 8"\n');
  assert.equal((await org.orgrepo('submit', '--done', '0001')).code, 0);
  assert.deepEqual(endings((await runNight(org)).experiments), ['discard 8']);
  assert.equal(edited(org, '0001'), 'echo "loss: 8"\n', 'a discard takes nothing away from a person');
  assert.match(
    (await org.orgrepo('show', '0001')).stdout,
    /2 of 5 attempts used.*\n(.*\n)+ +#1 .*WIN.*say seven\n +#2 .*discard/,
  );

  assert.deepEqual(await verify(org), whole);
  assert.equal(org.git('rev-parse', 'main'), trunk);
  assert.equal(org.git('status', '--short'), '');
});

test('while a run goes on a spec for a person gets its bench, and an offer its verdict, and neither holds up the night', async () => {
  const agent = scriptAgent([`touch $HERE/begun\n${waitFor('$HERE/go')}\n${say('echo "loss: 9"')}`]);
  const org = obedientOrg(agent.brief, {
    budget: '{ experiment: 10s, agent: 60s, night: 1h, attempts: 1, patience: 1000 }',
  });
  const run = startNight(org, 'run', '--json', '--max', '3');
  keep(org);
  const told = (): string[] => endings(factsIn(run.said()).flatMap(({ experiment }) => experiment ?? []));
  await until('the junior thinks', () => existsSync(path.join(agent.dir, 'begun')));
  assert.equal(
    (await org.orgrepo('submit', 'say even less', '--for', 'human', '--attempts', '3')).stdout,
    '0002  say even less\n',
  );
  await until('the bench is laid', () => edited(org, '0002') !== undefined);
  await until('it waits', async () => (await needsYou(org)).length === 1);
  edit(org, '0002', 'echo "loss: 4"\n');
  assert.equal((await org.orgrepo('submit', '--done', '0002')).code, 0);
  await until('the verdict', () => told().length === 1);
  assert.deepEqual(told(), ['keep 4']);
  assert.equal(edited(org, '0002'), 'echo "loss: 4"\n');
  await until('best', () => org.git('show', 'orgrepo/best:sandbox/program') === 'echo "loss: 4"\n');
  writeFileSync(path.join(agent.dir, 'go'), '');
  assert.equal((await run.ended).code, 0, run.complained());
  assert.equal(existsSync(path.join(org.dir, '.worktrees/human-0001')), false, 'the other spec was the junior its own');
  assert.match(org.git('show', 'orgrepo/queue:branches.md'), /orgrepo\/work\/0002 \| human \|.*waits for a person/);
  assert.match(org.git('show', 'orgrepo/reports:reports/latest.md'), /0002 .*waits for you/);
  assert.deepEqual(await verify(org), whole);
});

test('a spec for a person is nobody else’s, and the search goes on beside it', async () => {
  const spec = '---\nid: "0001"\ntitle: by hand\nby: people\nrole: human\n---\nThink.\n';
  const org = keep(makeOrg({ ...quadratic, 'specs/0001-first.md': spec }));
  const night = await runNight(org, '--max', '10');
  assert.equal(night.experiments.length, 10);
  assert.deepEqual(new Set(night.experiments.map((one) => one.agent)), new Set(['junior-1']));
  assert.equal(org.git('log', '-1', '--format=%s', 'orgrepo/work/0001'), 'claim: 0001 by hand\n');
  assert.equal(edited(org, '0001', 'sandbox/numbers.txt'), quadratic['sandbox/numbers.txt']);
  writeFileSync(path.join(benchOf(org, '0001'), 'sandbox/numbers.txt'), 'first 1\n');
  assert.equal((await org.orgrepo('submit', '--done', '0001')).code, 0);
  const next = await runNight(org, '--max', '1');
  const by = new Set(next.experiments.map(({ agent }) => agent));
  assert.deepEqual(by, new Set(['human']), 'what a person has offered comes first');
  assert.deepEqual(await verify(org), whole);
});

test('a spec whose id could be the number of an experiment is named so that show finds it', async () => {
  const org = keep(
    makeOrg({
      ...quadratic,
      'program.md': briefText({ agent: 'human' }),
      'specs/1000-x.md': '---\nid: "1000"\ntitle: x\nrole: human\n---\nx\n',
    }),
  );
  await runNight(org);
  assert.ok(
    (await needsYou(org)).includes('1000 "x" waits for you | orgrepo show spec-1000'),
    (await needsYou(org)).join('\n'),
  );
  assert.equal((await org.orgrepo('show', 'spec-1000')).code, 0);
  const next = await org.orgrepo('submit', 'another', '--for', 'human');
  assert.deepEqual([next.stdout, /orgrepo show spec-1001\n/.test(next.stderr)], ['1001  another\n', true], next.stderr);
  assert.equal((await org.orgrepo('submit', '--close', '1000')).code, 0);
  assert.match((await org.orgrepo('submit', '--done', '1000')).stderr, /orgrepo show spec-1000/);
});

test('what cannot be offered is refused with what to do, and nothing is written', async () => {
  const org = keep(personsOrg({ sandbox: '[sandbox/**]' }));
  assert.equal((await org.orgrepo('submit', 'for later', '--for', 'human')).stdout, '0001  for later\n');
  const early = await org.orgrepo('submit', '--done', '0001');
  assert.deepEqual([early.code, /no run has laid a bench for 0001 yet/.test(early.stderr)], [1, true]);
  await runNight(org);
  const refs = (): string => org.git('for-each-ref');
  const before = refs();
  const refusals: [args: string[], code: number, words: RegExp, prepare?: () => void][] = [
    [['--done', '0001'], 1, /nothing is changed in the bench of 0001/],
    [['--done', '0099'], 1, /there is no spec 0099/],
    [['--done', '12'], 64, /"12" is not the id of a spec/],
    [['--done', '../../x'], 64, /is not the id of a spec/],
    [['--done', ''], 64, /is not the id of a spec/],
    [['--done', '0001', '--close', '0001'], 64, /--done and --close are two things/],
    [['--done', '0001', '--attempts', '3'], 64, /--attempts does not go with --done/],
    [['--done', '0001', '--risk', 'high'], 64, /--risk does not go with --done/],
    [['--done', '0001', 'a title'], 64, /"a title" stands beside --done/],
    [['--done', '0001', '--title', ' '], 64, /--title is empty/],
    [['a title', '--title', 'x'], 64, /--title goes with --done/],
    [['a title', '--for', 'chief'], 64, /--for is "chief", expected human/],
    [[], 64, /the title is empty/],
    [['--done', '0001'], 6, /harness\/score.sh/, () => edit(org, '0001', 'echo "loss: 0"\n', 'harness/score.sh')],
    [
      ['--done', '0001'],
      6,
      /"?sandbox\/link/,
      () => symlinkSync('/etc/passwd', path.join(benchOf(org, '0001'), 'sandbox/link')),
    ],
    [['--done', '0001'], 6, /AGENTS.md/, () => edit(org, '0001', 'obey\n', 'sandbox/AGENTS.md')],
    [
      ['--done', '0001'],
      6,
      /\.git of its bench/,
      () => writeFileSync(path.join(benchOf(org, '0001'), '.git'), 'gitdir: /tmp\n'),
    ],
    [
      ['--done', '0001'],
      6,
      /added sandbox\/x\\ny, a name with invisible characters[\s\S]*rename it/,
      () => edit(org, '0001', 'x', 'sandbox/x\ny'),
    ],
    [['--done', '0001'], 1, /gone/, () => rmSync(benchOf(org, '0001'), { recursive: true })],
  ];
  for (const [args, code, words, prepare] of refusals) {
    prepare?.();
    const ran = await org.orgrepo('submit', ...args);
    assert.deepEqual([args, ran.code], [args, code], ran.stderr);
    assert.match(ran.stderr, words);
    if (prepare !== undefined && existsSync(benchOf(org, '0001'))) {
      edit(org, '0001', org.git('show', 'main:harness/score.sh'), 'harness/score.sh');
      for (const name of ['sandbox/link', 'sandbox/AGENTS.md', 'sandbox/x\ny'])
        rmSync(path.join(benchOf(org, '0001'), name), { force: true });
    }
  }
  assert.equal(refs(), before);
  const [missing, spec] = [await org.orgrepo('show', '0099'), await org.orgrepo('show', 'spec-0001')];
  assert.deepEqual([missing.code, spec.code], [1, 0], missing.stderr);
  await runNight(org);
  assert.equal(edited(org, '0001'), 'echo "loss: 10"\n', 'a bench that is gone is laid again');
  assert.equal(refs().includes('refs/orgrepo/wip'), false);
});

test('a change of nothing but a seed, or one with a secret in it, is refused at the door', async () => {
  const org = keep(personsOrg());
  org.write('sandbox/program', 'seed=42\necho "loss: 10"\n');
  org.commit('a seed');
  await runNight(org);
  edit(org, '0001', 'seed=43\necho "loss: 10"\n');
  const seed = await org.orgrepo('submit', '--done', '0001');
  assert.deepEqual([seed.code, /not measured: .*seed/.test(seed.stderr)], [1, true], seed.stderr);
  const key = `sk-ant-api03-${'Ab3'.repeat(31)}-AA`;
  edit(org, '0001', `echo "loss: 1" # ${key}\n`);
  org.write('.orgrepo/keys', `ANTHROPIC_API_KEY=${key}\n`);
  const secret = await org.orgrepo('submit', '--done', '0001');
  assert.deepEqual(
    [secret.code, /holds the secret/.test(secret.stderr), secret.stderr.includes(key)],
    [1, true, false],
    secret.stderr,
  );
});

test('an offer that nobody has measured yet is replaced by a later one, and both stay in history', async () => {
  const org = keep(personsOrg());
  await runNight(org);
  edit(org, '0001', 'echo "loss: 8"\n');
  await org.orgrepo('submit', '--done', '0001', '--title', 'eight');
  const again = await org.orgrepo('submit', '--done', '0001');
  assert.deepEqual([again.code, /is offered and waits to be measured/.test(again.stderr)], [1, true]);
  edit(org, '0001', 'echo "loss: 6"\n');
  const later = await org.orgrepo('submit', '--done', '0001', '--title', 'six', '--json');
  assert.equal((JSON.parse(later.stdout) as { replaces: boolean }).replaces, true);
  assert.deepEqual(
    (await runNight(org)).experiments.map((one) => `${one.event} ${one.title}`),
    ['keep six'],
  );
  const offers = org.git('log', '--format=%s', '--grep=^offer: ', 'orgrepo/queue').split('\n');
  assert.deepEqual(offers.filter((one) => /eight|six/.test(one)).sort(), ['offer: eight', 'offer: six']);
  const measured = await org.orgrepo('submit', '--done', '0001');
  assert.match(measured.stderr, /nothing is changed/);
  edit(org, '0001', 'echo "loss: 9"\n');
  await org.orgrepo('submit', '--done', '0001');
  await runNight(org);
  const known = await org.orgrepo('submit', '--done', '0001');
  assert.deepEqual([known.code, /was measured as #2: discard/.test(known.stderr)], [1, true], known.stderr);
  assert.deepEqual(await verify(org), whole);
});

test('tries are counted, a spec ends with the last of them, and its bench stays', async () => {
  const org = keep(personsOrg());
  await org.orgrepo('submit', 'once', '--for', 'human', '--attempts', '1');
  await runNight(org);
  edit(org, '0001', 'echo "loss: 11"\n');
  await org.orgrepo('submit', '--done', '0001');
  assert.deepEqual(endings((await runNight(org)).experiments), ['discard 11']);
  assert.match((await org.orgrepo('show', '0001')).stdout, /done by human: 1 attempts · 1 attempt used/);
  assert.equal(edited(org, '0001'), 'echo "loss: 11"\n');
  edit(org, '0001', 'echo "loss: 1"\n');
  const late = await org.orgrepo('submit', '--done', '0001');
  assert.deepEqual([late.code, /0001 is closed/.test(late.stderr)], [1, true]);
  await runNight(org);
  assert.equal(edited(org, '0001'), 'echo "loss: 1"\n');
  assert.deepEqual(await verify(org), whole);
});

test('a person closes a spec that they are through with', async () => {
  const org = keep(personsOrg());
  await runNight(org);
  edit(org, '0001', 'echo "loss: 5"\n');
  assert.equal((await org.orgrepo('submit', '--close', '0001')).stdout, '0001  closed: make it say less\n');
  assert.equal((await org.orgrepo('submit', '--done', '0001')).code, 1);
  assert.deepEqual(await needsYou(org), ['0001 "make it say less" is closed | orgrepo run']);
  const night = await runNight(org);
  assert.deepEqual([night.code, night.experiments], [0, []]);
  assert.match((await org.orgrepo('show', '0001')).stdout, /done by human: a person closed it/);
  assert.equal(org.git('ls-tree', '-r', '--name-only', 'orgrepo/queue', 'specs/', 'inbox/'), 'specs/.trunk\n');
  assert.equal(edited(org, '0001'), 'echo "loss: 5"\n');
  assert.deepEqual(await verify(org), whole);
});

test('closing a spec with an offer that nobody has measured needs a yes, says what is dropped, and the offer stays in history', async () => {
  const org = keep(personsOrg());
  await runNight(org);
  edit(org, '0001', 'echo "loss: 5"\n');
  const offered = JSON.parse(
    (await org.orgrepo('submit', '--done', '0001', '--title', 'say five', '--json')).stdout,
  ).commit;
  const queue = org.git('rev-parse', 'orgrepo/queue');
  for (const flags of [[], ['--no-input'], ['--json']]) {
    const unasked = await org.orgrepo('submit', '--close', '0001', ...flags);
    assert.equal(unasked.code, 64);
    const words = `what you offered for 0001 as ${offered.slice(0, 7)}, .{1,2}say five.{1,2}, is not measured yet, and closing drops it`;
    assert.match(unasked.stdout + unasked.stderr, new RegExp(`${words}[\\s\\S]*--yes`));
  }
  assert.equal(org.git('rev-parse', 'orgrepo/queue'), queue, 'nothing was written');
  const closed = await org.orgrepo('submit', '--close', '0001', '--yes');
  assert.equal(closed.stdout, '0001  closed: make it say less\n');
  assert.match(
    closed.stderr,
    new RegExp(`What you had offered is not measured; it stays in history: ${offered.slice(0, 7)}`),
  );
  assert.deepEqual((await runNight(org)).experiments, []);
  org.git('merge-base', '--is-ancestor', offered, 'orgrepo/queue');
  assert.equal(org.git('show', `${offered}:sandbox/program`), 'echo "loss: 5"\n');
  assert.deepEqual(await verify(org), whole);
});

test('a brief that measures something else ends the spec and hands it on; what was typed stays', async () => {
  const org = keep(personsOrg());
  org.write('specs/0001-first.md', '---\ntitle: make it say less\nrisk: critical\n---\nAnything goes.\n');
  org.commit('a risk');
  await runNight(org);
  edit(org, '0001', 'echo "loss: 5"\n');
  org.write('program.md', briefText({ agent: 'human', min_effect: '0.5' }));
  org.write('harness/score.sh', '# other\nexec sh "$ORGREPO_OUT/program"\n');
  org.commit('another harness');
  const night = await runNight(org);
  assert.equal(night.code, 0, night.stderr);
  assert.match(
    (await org.orgrepo('show', '0001')).stdout,
    /done by human: what is measured has changed since it was claimed/,
  );
  assert.deepEqual(await needsYou(org), ['0002 "go on with 0001: make it say less" waits for you | orgrepo show 0002']);
  assert.equal(edited(org, '0001'), 'echo "loss: 5"\n');
  assert.equal(org.git('show', 'refs/orgrepo/wip/0001:sandbox/program'), 'echo "loss: 5"\n');
  assert.equal(edited(org, '0002'), 'echo "loss: 10"\n');
  assert.match(org.git('log', '-1', '--format=%B', 'orgrepo/work/0002'), /^Org-Risk: critical$/m);
  assert.deepEqual(await verify(org), whole);
});
