import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { autoresearch } from '../support/autoresearch.ts';
import { anOrg } from '../support/builders.ts';
import { somewhere } from '../support/clone.ts';
import { writeFirstCommit } from '../support/first-commit.ts';
import { obedientOrg, say, scriptAgent, waitFor } from '../support/night.ts';
import { briefText } from '../support/org.ts';
import { edit, personsOrg } from '../support/person.ts';
import { afterTheFirst, scoreOf, twoJuniors } from '../support/two-juniors.ts';
import { until } from '../support/until.ts';
import { addAnswers, ask, type Observed, observeFiles, observeRepository } from './observed.ts';

/** Small orgs without a chart. Each shows something that the others do not. */

const budget = '{ experiment: 60s, agent: 60s, night: 1h, attempts: 1, patience: 1000 }';

/** The usual outcomes of a try, and each verb before and after a run. */
export async function playPlain(observed: Observed): Promise<void> {
  const losses = [12, 13, 14, 15, 16].map((loss) => say(`echo "loss: ${loss}"`, `leave at most ${loss}`));
  const agent = scriptAgent([
    ...losses,
    say('echo "loss: 8"', 'try less'),
    say('exit 1', 'try nothing'),
    'echo x > notes.txt; echo "reach out"',
    'echo nothing was done',
    say('echo "loss: 7"', 'a little less'),
  ]);
  const org = obedientOrg(agent.brief, { budget });
  for (let id = 2; id <= 10; id++)
    org.write(
      `specs/00${String(id).padStart(2, '0')}-more.md`,
      `---\ntitle: try number ${id}\nby: people\n---\nMore.\n`,
    );
  org.commit('ten specs');
  const type = (...words: readonly [string, ...string[]]) => ask(observed, org, ...words);
  for (const verb of ['status', 'plan', 'doctor', 'report', 'verify']) await type(verb);
  await type('run', '--max', '10');
  for (const verb of ['status', 'plan', 'doctor', 'report', 'verify', 'log', 'apply']) await type(verb);
  await type('export', '--format', 'json');
  for (const what of ['6', '8', '0006', '0009']) await type('show', what);
  for (const what of ['6', '7', '--all']) await type('replay', what);
  await type('apply', '--recommendation', 'R1', '--yes');
  await type('submit', 'another idea', '--domain', 'backend', '--priority', 'high');
  await type('pause', 'junior-1');
  await type('pause', '--rate', '6/h');
  await type('status');
  await type('resume', 'junior-1');
  for (const how of ['--dry-run', '--yes', '--yes']) await type('land', how);
  await type('attack');
  await type('compare', 'HEAD', 'program.md', '--run', '1', '--max', '1');
  await type('help', 'run');
  observeRepository(observed, org);
  const place = somewhere();
  org.git('clone', '--quiet', org.dir, path.join(place, 'clone'));
  await type('status', '-C', path.join(place, 'clone'));
  await type('init', '-C', path.join(place, 'new'));
  writeFirstCommit(path.join(place, 'theirs'), autoresearch, 'a training');
  await type('init', '-C', path.join(place, 'theirs'), '--from', 'autoresearch', '--score', 'unknown train.py');
}

/** A person does the work. Then the brief is broken, and best is moved by hand. */
export async function playPeople(observed: Observed): Promise<void> {
  const org = personsOrg();
  const type = (...words: readonly [string, ...string[]]) => ask(observed, org, ...words);
  await type('run');
  await type('status');
  await type('show', '0001');
  edit(org, '0001', 'echo "loss: 5"\n');
  await type('show', '0001');
  await type('submit', '--done', '0001', '--title', 'less');
  await type('show', '0001');
  observeRepository(observed, org);
  await type('run');
  await type('show', '0001');
  await type('submit', 'by hand', '--for', 'human', '--risk', 'high');
  await type('submit', '--close', '0002');
  observeRepository(observed, org);
  org.write('program.md', briefText({ direction: 'sideways' }));
  org.commit('a slip');
  await type('plan');
  await type('doctor');
  org.git('update-ref', 'refs/heads/orgrepo/best', 'main');
  await type('verify');
}

/** A noisy single stage with a guard, a held-out number and a target. A ref is lost before the second run. */
export async function playChance(observed: Observed): Promise<void> {
  const agent = scriptAgent([50_000, 25_000].map((n) => `echo ${n} > sandbox/number; echo "${n} is less"`));
  const score =
    'read -r n < sandbox/number; echo "loss: $((n + ORGREPO_SEED % 997))"; echo "size: 3"; echo "holdout_loss: $n"\n';
  const org = anOrg({
    ground: {
      'program.md': briefText({
        ...{ agent: agent.brief, run: '', target: '1', guards: '{ size: "<= 5" }', samples: '2..3' },
        budget: '{ experiment: 60s, agent: 60s, night: 1h, attempts: 9, patience: 1000 }',
      }),
      'sandbox/number': '100000\n',
      'harness/score.sh': score,
      'specs/0001-first.md': '# make it less\n',
    },
  });
  const type = (...words: readonly [string, ...string[]]) => ask(observed, org, ...words);
  await type('run', '--max', '2', '--hours', '8');
  for (const verb of ['status', 'plan', 'report', 'log', 'verify']) await type(verb);
  await type('show', '1');
  await type('replay', '1');
  org.git('update-ref', '-d', 'refs/heads/orgrepo/reports');
  await type('run', '--max', '1');
  observeRepository(observed, org);
}

/** One change replaces another on best. */
export async function playReplaced(observed: Observed): Promise<void> {
  const org = twoJuniors({ 'junior-1': 's/a 9/a 3/', 'junior-2': afterTheFirst }, scoreOf(9, 8, 18));
  const type = (...words: readonly [string, ...string[]]) => ask(observed, org, ...words);
  await type('run', '--max', '2');
  for (const verb of ['status', 'report', 'log']) await type(verb);
  for (const n of ['1', '2']) await type('show', n);
  observeRepository(observed, org);
}

/** People pause, resume and stop a run, and change its brief. */
export async function playSteered(observed: Observed): Promise<void> {
  const held = (n: number): string => `touch $HERE/begun-${n}\n${waitFor(`$HERE/go-${n}`)}\n`;
  const agent = scriptAgent([1, 2].map((n) => held(n) + say(`echo "loss: ${9 - n}"`)));
  const org = obedientOrg(agent.brief, { budget });
  org.write('specs/0002-second.md', '# say even less\n');
  org.commit('two specs');
  const type = (...words: readonly [string, ...string[]]) => ask(observed, org, ...words);
  const begun = (n: number) => until(`try ${n}`, () => existsSync(path.join(agent.dir, `begun-${n}`)), 60_000);
  const release = (n: number): void => writeFileSync(path.join(agent.dir, `go-${n}`), '');
  const run = org.begin('run', '--json', '--max', '5');
  try {
    await begun(1);
    observeFiles(observed, org);
    await type('status');
    await type('report');
    await type('pause');
    await type('status');
    await type('run');
    await type('resume');
    org.write('program.md', briefText({ agent: agent.brief, budget, min_effect: '0.1' }));
    org.commit('ask for more');
    release(1);
    await begun(2);
    await type('stop');
  } finally {
    release(1);
    release(2);
  }
  await run.code;
  addAnswers(observed.answers, 'run', run.stdout());
  await type('status');
  observeRepository(observed, org);
}
