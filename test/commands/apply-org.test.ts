import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { factsIn, obedientOrg, say, scriptAgent, startNight, waitFor } from '../support/night.ts';
import { makeOrg, quadratic, type TestOrg } from '../support/org.ts';
import { until } from '../support/until.ts';

const shop = (worker: string): string => `# Shop

## Structure

### Lead
- **Level:** 9

#### ${worker}
`;

const spec = (id: string): string =>
  `---\nid: "${id}"\ntitle: work on part ${id}\nby: people\nattempts: 1\n---\nAnything goes.\n`;

const agentsIn = async (org: TestOrg): Promise<string[]> =>
  JSON.parse((await org.orgrepo('plan', '--json', '--no-measure')).stdout).org.agents.map(
    ({ id }: { id: string }) => id,
  );

test('apply puts the org of the trunk into force as a commit, and says so; a second time there is nothing to do', async () => {
  const org = makeOrg({ ...quadratic, 'ORG.md': shop('Maker') });
  try {
    for (const flags of [[], ['--no-input'], ['--json']]) {
      const unasked = await org.orgrepo('apply', ...flags);
      assert.equal(unasked.code, 64, 'where nobody can be asked it takes --yes');
      assert.match(unasked.stdout + unasked.stderr, /into force only with your word, and nobody can be[\s\S]*--yes/);
    }
    assert.equal(org.git('for-each-ref', 'refs/orgrepo'), '', 'nothing was written');
    const ran = await org.orgrepo('apply', '--yes', '--json');
    assert.equal(ran.code, 0, ran.stderr + ran.stdout);
    const told = JSON.parse(ran.stdout);
    assert.equal(told.applied, true);
    assert.equal(told.commit, org.git('rev-parse', 'refs/orgrepo/applied').trim());
    const message = org.git('log', '-1', '--format=%an%n%B', 'refs/orgrepo/applied');
    assert.match(message, /^Test Person$/m);
    assert.match(message, /^Org-By: Test Person$/m);
    const again = await org.orgrepo('apply', '--yes');
    assert.equal(again.stdout, 'Nothing to apply: the organisation on the trunk is in force.\n');

    org.write('ORG.md', shop('Fixer').replace('Level:** 9', 'Level:** 8'));
    org.commit('a fixer instead');
    const second = await org.orgrepo('apply', '--yes');
    assert.match(second.stdout, /^ {2}~ agents\.lead {2}search, L9.* -> search, L8/m);
    assert.match(second.stdout, /^ {2}\+ agents\.fixer {2}search, L/m);
    assert.match(second.stdout, /^ {2}- agents\.maker {2}search, L/m);
    assert.match(second.stdout, /^The next run works so: orgrepo run$/m);
    assert.equal(org.git('rev-list', '--count', 'main..refs/orgrepo/applied').trim(), '2');
    assert.deepEqual(await agentsIn(org), ['lead', 'fixer']);
  } finally {
    org.remove();
  }
});

test('an org that a night would stumble over is not applied', async () => {
  const org = makeOrg({
    ...quadratic,
    'ORG.md': '# Shop\n\n## Structure\n\n### Lead\n- **Reports to:** Nobody Known\n',
  });
  try {
    const ran = await org.orgrepo('apply', '--yes', '--json');
    assert.equal(ran.code, 6, ran.stdout);
    assert.equal(JSON.parse(ran.stdout).error.file, 'ORG.md');
    assert.equal(org.git('for-each-ref', 'refs/orgrepo').trim(), '');
  } finally {
    org.remove();
  }
});

test('an org whose models nobody could ask is refused in the words of a run, and nothing is written', async () => {
  const models = { 'claude-sonnet-4-6': 4, 'scripted:models/nope.json': 6 };
  delete process.env.ANTHROPIC_API_KEY; // A person's own.
  const org = makeOrg({ ...quadratic, 'ORG.md': shop('Packers\n- **Count:** 2') });
  try {
    assert.equal((await org.orgrepo('apply', '--yes')).code, 0);
    const inForce = org.git('rev-parse', 'refs/orgrepo/applied');
    for (const [model, exit] of Object.entries(models)) {
      org.write('ORG.md', `${shop('Packers\n- **Count:** 2')}\n#### Thinker\n- **Model:** ${model}\n`);
      org.commit('a thinker');
      const run = await org.orgrepo('run', '--json');
      const applied = [await org.orgrepo('apply', '--yes', '--json'), await org.orgrepo('apply', '--yes', '--json')];
      const said = JSON.parse(run.stdout);
      assert.match(said.error.message, /ANTHROPIC_API_KEY is not set|there is no such file/);
      for (const { code, stdout } of applied) assert.deepEqual([code, JSON.parse(stdout)], [exit, said]);
      assert.equal(run.code, exit);
      assert.equal(org.git('rev-parse', 'refs/orgrepo/applied'), inForce);
      assert.equal((await org.orgrepo('plan', '--no-measure', '--exit-code')).code, 10, 'it is not in force');
    }
  } finally {
    org.remove();
  }
});

test('a running night follows what is applied, not the trunk: who joins starts, who leaves finishes their spec', async () => {
  const agent = scriptAgent([]);
  const go = path.join(agent.dir, 'go');
  const step = (n: number, text: string): void => writeFileSync(path.join(agent.dir, 'steps', String(n)), `${text}\n`);
  step(1, `${waitFor(go)}; ${say('echo "loss: 9"')}`);
  for (let n = 2; n < 6; n++) step(n, say(`echo "loss: ${10 - n}"`));
  const org = obedientOrg(agent.brief);
  try {
    for (const id of ['0001', '0002', '0003']) org.write(`specs/${id}-first.md`, spec(id));
    org.write('ORG.md', shop('Maker'));
    org.commit('a shop');
    const night = startNight(org, 'run', '--json', '--max', '3');
    const claims = (): string[] =>
      factsIn(night.said()).flatMap((fact) => (fact.fact === 'claim' ? [`${fact.agent} ${fact.spec}`] : []));
    await until('a claim', () => claims().length === 1);
    assert.deepEqual(claims(), ['maker 0001']);
    org.write('ORG.md', shop('Fixer'));
    org.commit('a fixer instead');
    const applied = await org.orgrepo('apply', '--yes', '--json');
    assert.equal(applied.code, 0, applied.stdout);
    assert.equal(JSON.parse(applied.stdout).running, true);
    await until('a claim of the new one', () => claims().length > 1);
    assert.equal(claims()[1], 'fixer 0002', 'the new one starts while the old one is at work');
    writeFileSync(go, '');
    const { code } = await night.ended;
    assert.equal(code, 0, night.complained());
    const facts = factsIn(night.said());
    assert.ok(
      facts.some(({ message }) => /organisation of \w+ is in force: fixer joins; maker leaves/.test(String(message))),
      night.said(),
    );
    const theirs = claims().filter((claim) => claim.startsWith('maker'));
    assert.deepEqual(theirs, ['maker 0001'], 'the old one took nothing more');
    const made = facts.find(({ experiment }) => experiment?.agent === 'maker')?.experiment;
    assert.equal(made?.score, 9, 'and finished what it had');
    const verified = await org.orgrepo('verify');
    assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  } finally {
    org.remove();
  }
});

test('policies count as soon as they are applied, and not before', async () => {
  const agent = scriptAgent([]);
  const gates = ['first', 'second'].map((name) => path.join(agent.dir, name));
  const step = (n: number, text: string): void => writeFileSync(path.join(agent.dir, 'steps', String(n)), `${text}\n`);
  step(1, `${waitFor(gates[0] ?? '')}; ${say('echo "loss: 9"')}`);
  step(2, `${waitFor(gates[1] ?? '')}; ${say('echo "loss: 8"')}`);
  const org = obedientOrg(agent.brief);
  const permit = '@id("all")\npermit (principal, action, resource);\n';
  try {
    for (const id of ['0001', '0002', '0003']) org.write(`specs/${id}-first.md`, spec(id));
    org.write('policies/all.cedar', permit);
    org.commit('policies');
    const night = startNight(org, 'run', '--json');
    const claims = (): number => factsIn(night.said()).filter(({ fact }) => fact === 'claim').length;
    await until('a claim', () => claims() === 1);
    const forbid = '@id("none")\n@message("nobody claims")\nforbid (principal, action == Action::"claim", resource);\n';
    org.write('policies/all.cedar', permit + forbid);
    org.commit('nobody claims');
    writeFileSync(gates[0] ?? '', '');
    await until('a claim under the policies of before', () => claims() === 2);
    const applied = await org.orgrepo('apply', '--yes', '--json');
    assert.deepEqual(
      JSON.parse(applied.stdout).changes.map(({ kind, what }: { kind: string; what: string }) => `${kind} ${what}`),
      ['change policies'],
    );
    writeFileSync(gates[1] ?? '', '');
    await until('a refusal', () => /nobody claims/.test(night.said()));
    await org.orgrepo('stop');
    await night.ended;
    assert.equal(claims(), 2);
    const verified = await org.orgrepo('verify');
    assert.equal(verified.code, 0, verified.stdout);
  } finally {
    org.remove();
  }
});

test('--culture is for one run, stands in its commit, and shows where it came from; a slip is answered with the nearest', async () => {
  const org = makeOrg({
    ...quadratic,
    'ORG.md': `# Shop\n\n## Culture\n\npreset: startup\n\n${shop('Maker').slice(8)}`,
  });
  try {
    const culture = async (...args: string[]): Promise<string> => {
      const { settings } = JSON.parse((await org.orgrepo('plan', '--json', '--no-measure', ...args)).stdout).org;
      const found = settings.find(({ what }: { what: string }) => what === 'culture.preset');
      return `${found.value} ${found.from}`;
    };
    assert.equal(await culture(), 'startup ORG.md:5');
    assert.equal(await culture('--culture=enterprise'), 'enterprise --culture');
    const ran = await org.orgrepo('run', '--max', '1', '--culture=enterprise');
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(
      org.git('log', '--format=%B', '--grep=^Org-Event: run$', 'orgrepo/queue'),
      /^Org-Culture: enterprise$/m,
    );
    assert.equal((await org.orgrepo('plan', '--exit-code')).code, 0, 'the org in force is that of ORG.md');
    const wrong = await org.orgrepo('run', '--culture=enterprize');
    assert.equal(wrong.code, 64);
    assert.match(wrong.stderr, /Did you mean --culture enterprise\?/);
    assert.equal((await org.orgrepo('verify')).code, 0);
  } finally {
    org.remove();
  }
});
