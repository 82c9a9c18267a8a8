import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { commandNames } from '../../src/commands/invoke.ts';
import { bundle, makeOrg, root, type TestOrg } from '../support/org.ts';

let org: TestOrg;
before(async () => {
  org = makeOrg();
  await org.orgrepo('run', '--max', '1');
});
after(() => org.remove());

const verbs = [
  'apply',
  'attack',
  'compare',
  'completion',
  'demo',
  'doctor',
  'help',
  'init',
  'log',
  'pause',
  'replay',
  'report',
  'resume',
  'run',
  'show',
  'status',
  'stop',
  'submit',
  'verify',
];

test('without a word, with help or with --help orgrepo says what it is and how to begin', async () => {
  const said = await org.orgrepo();
  assert.equal(said.code, 0);
  assert.match(said.stdout, /^orgrepo \d+\.\d+\.\d+ {3}a small AI organisation inside a git repository/);
  for (const args of [['help'], ['--help'], ['-h']]) assert.deepEqual(await org.orgrepo(...args), said, args.join(' '));
  const all = (await org.orgrepo('help', '--all')).stdout;
  for (const verb of verbs) assert.match(all, new RegExp(`^  ${verb}\\b`, 'm'), verb);
});

test('the short help names every verb on a screen of 80x24', async () => {
  const lines = (await org.orgrepo('help')).stdout.trimEnd().split('\n');
  assert.ok(lines.length <= 23, `${lines.length} lines, and one for the prompt`);
  assert.deepEqual(
    lines.filter((line) => line.length > 79),
    [],
  );
  const named = lines.slice(2, -2).flatMap((line) => line.slice(9, 27).trim().split(', '));
  assert.deepEqual([...named, 'help'].sort(), [...commandNames].sort());
});

test('--version is the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  for (const flag of ['--version', '-V'])
    assert.deepEqual(org.spawned(flag), { code: 0, stdout: `${version}\n`, stderr: '' });
});

test('help is JSON where JSON is asked for', async () => {
  const help = JSON.parse((await org.orgrepo('help', 'run', '--json')).stdout);
  assert.deepEqual([help.schema, help.on], ['orgrepo/help@1', 'run']);
  assert.equal(help.text, (await org.orgrepo('help', 'run')).stdout);
});

test('every verb has a help that begins with how it is typed and names each of its options', async () => {
  for (const verb of verbs) {
    const ran = await org.orgrepo(verb, '--help');
    assert.equal(ran.code, 0, verb);
    assert.match(ran.stdout, new RegExp(`^orgrepo ${verb}\\b`), verb);
    for (const option of ['-C', '--json', '--no-input', '--help'])
      assert.equal(ran.stdout.includes(option), true, `${verb} ${option}`);
    assert.equal(
      ran.stdout.split('\n').every((line) => line.length <= 120),
      true,
      verb,
    );
  }
  assert.equal((await org.orgrepo('help', 'morning')).stdout, (await org.orgrepo('report', '--help')).stdout);
});

test('the manual has its topics, and the exit codes in it are those of the program', async () => {
  for (const topic of ['exit-codes', 'formats', 'files', 'environment'])
    assert.equal((await org.orgrepo('help', topic)).code, 0, topic);
  const codes = (await org.orgrepo('help', 'exit-codes')).stdout;
  for (const code of [0, 1, 2, 3, 4, 5, 6, 8, 10, 64, 70, 75, 130, 143])
    assert.match(codes, new RegExp(`(^|\\s)${code}\\s`, 'm'), `${code}`);
});

test('what orgrepo does not understand is wrong usage: 64, a hint, and nothing is written', async () => {
  const before = org.git('for-each-ref');
  const cases: readonly [readonly string[], RegExp][] = [
    [['stauts'], /there is no command "stauts"[\s\S]*Did you mean: orgrepo status/],
    [['frobnicate'], /there is no command "frobnicate"[\s\S]*orgrepo help/],
    [['constructor'], /there is no command "constructor"/],
    [['__proto__'], /there is no command "__proto__"/],
    [['help', 'nothing'], /there is no help on "nothing"/],
    [['help', 'toString'], /there is no help on "toString"/],
    [['run', '--mxa', '3'], /orgrepo run has no option --mxa[\s\S]*Did you mean --max\?/],
    [['run', '--max'], /orgrepo run: .*--max/],
    [['run', '--max', '-3'], /--max is "-3", expected a whole number from 1 to/],
    [['log', '-n', '-3'], /-n is "-3", expected a whole number from 1 to/],
    [['replay', '-1'], /"-1" is not the number of an experiment[\s\S]*orgrepo replay 7/],
    [['submit', ' '], /the title is empty[\s\S]*orgrepo submit/],
    [['run', '--max', '0'], /--max is "0", expected a whole number from 1 to/],
    [['run', '--max', '1e3'], /--max is "1e3", expected a whole number from 1 to/],
    [['run', '--hours', 'eight'], /--hours is "eight", expected a number of hours above 0/],
    [['run', '--until', '25:00'], /--until is "25:00", expected a time of day/],
    [['run', '--until', '07:00', '--hours', '2'], /--until and --hours both say when to stop/],
    [['run', '--patience', 'x'], /--patience is "x"/],
    [['run', '--seed', 'x'], /--seed is "x"/],
    [['run', '--ui', 'fancy'], /--ui is "fancy", expected live, lines or json/],
    [['run', '--json=yes'], /--json/],
    [['run', 'now'], /orgrepo run: "now" is one argument too many/],
    [['show'], /orgrepo show needs <n>/],
    [['show', 'seven'], /"seven" is not the number of an experiment/],
    [['show', '-1'], /-1|-\b/],
    [['pause', '--rate'], /orgrepo pause: --rate needs a value: --rate <.+>\s.*\n {2}try {2}It says: /],
    [['status', '-C'], /orgrepo status: -C needs a value: -C <dir>/],
    [['approve', '0001'], /0001 is a spec, and no number[\s\S]*approve 7\. .*: orgrepo show 0001/],
    [['deny', 'spec-0001'], /spec-0001 is a spec, and no number of an experiment/],
    [['land', '0001'], /0001 is a spec, and no number of an experiment/],
    [['replay', '0001'], /0001 is a spec, and no number of an experiment/],
    [['show', 'A1'], /A1 is a request, and no number of an experiment[\s\S]*orgrepo approve/],
    [['replay', 'E2'], /E2 is an escalation, and no number of an experiment[\s\S]*orgrepo status/],
    [['approve', 'D1'], /D1 is a decision, and no number of an experiment[\s\S]*orgrepo replay D1/],
    [['submit', 'x', '--attempts', '1001'], /--attempts is "1001", expected a whole number from 1 to 1,000/],
    [['compare', 'A', 'B'], /git knows no commit "A"[\s\S]*try {2}(Did you mean \S+\?|For example: )/],
    [['pause', 'nobody', '--rate', '6/h'], /nobody here is called "nobody"/],
    [['pause', 'two words', '--rate', '6/h'], /nobody here is called "two words"/],
    [['apply', '--recommendation', ''], /there is no recommendation ""/],
    [['export', '--format', ''], /--format is "", expected org, tsv, json/],
    [['replay', '../1'], /"\.\.\/1" is not the number of an experiment/],
    [['log', '--format', 'xml'], /--format is "xml", expected text, json, tsv/],
    [['log', '--sort', 'size'], /--sort is "size", expected n, delta/],
    [['log', '-n', 'all'], /-n is "all"|--n is "all"/],
    [['report', '--format', 'pdf'], /--format is "pdf", expected text, md or json/],
    [['--frobnicate'], /--frobnicate/],
  ];
  const wrong: string[] = [];
  for (const [args, words] of cases) {
    const ran = await org.orgrepo(...args);
    const right = ran.code === 64 && ran.stdout === '' && words.test(ran.stderr) && /^error {2}/.test(ran.stderr);
    if (!right) wrong.push(`${args.join(' ')}: exit ${ran.code} ${ran.stdout}${ran.stderr}`);
  }
  assert.deepEqual(wrong, []);
  assert.equal(org.git('for-each-ref'), before);
});

test('with --json an error is one object on stdout, and stderr is silent', async () => {
  const cases: readonly [readonly string[], string, number][] = [
    [['stauts', '--json'], 'usage/command', 64],
    [['run', '--json', '--max', 'x'], 'usage/option', 64],
    [['show', '--json', '999'], 'experiment/missing', 1],
    [['status', '--json', '-C', '/no/such/place'], 'file/missing', 6],
    [['status', '--json', '-C', '/'], 'repo/none', 6],
  ];
  for (const [args, code, exit] of cases) {
    const ran = await org.orgrepo(...args);
    assert.deepEqual([ran.code, ran.stderr], [exit, ''], args.join(' '));
    const answer = JSON.parse(ran.stdout) as { error: { code: string; message: string; hint: string } };
    assert.deepEqual(Object.keys(answer), ['error']);
    assert.equal(answer.error.code, code);
    assert.equal(answer.error.message.length > 0 && answer.error.hint.length > 0, true);
  }
});

test('an error names the file, the line and the column in JSON', async () => {
  const other = makeOrg({ 'program.md': '---\nmetric: loss\nmetrik: 3\n---\n', 'harness/x': '', 'sandbox/x': '' });
  try {
    const ran = await other.orgrepo('run', '--json');
    assert.equal(ran.code, 6);
    const { error } = JSON.parse(ran.stdout);
    assert.deepEqual(
      { code: error.code, file: error.file, line: error.line, column: error.column },
      { code: 'brief/key', file: 'program.md', line: 3, column: 1 },
    );
  } finally {
    other.remove();
  }
});

test('stdout carries data and stderr talk: with -q there is no talk', async () => {
  const ran = await org.orgrepo('submit', 'quiet please', '-q');
  assert.deepEqual([ran.code, ran.stderr], [0, '']);
  assert.match(ran.stdout, /^\d{4} {2}quiet please\n$/);
});

test('colour is for terminals and for those who ask: never with NO_COLOR, --no-color or TERM=dumb', () => {
  const coloured = (env: Readonly<Record<string, string>>, ...args: string[]): boolean => {
    const plain = { PATH: process.env.PATH, HOME: org.dir, LANG: 'C.UTF-8' };
    const ran = spawnSync(process.execPath, [bundle, 'log', ...args], {
      cwd: org.dir,
      env: { ...plain, ...env },
      encoding: 'utf8',
    });
    assert.equal(ran.status, 0, ran.stderr);
    return ran.stdout.includes('\u001b[');
  };
  assert.equal(coloured({}), false, 'a pipe');
  assert.equal(coloured({ FORCE_COLOR: '1' }), true);
  assert.equal(coloured({ FORCE_COLOR: '1', NO_COLOR: '1' }), false);
  assert.equal(coloured({ FORCE_COLOR: '1' }, '--no-color'), false);
  assert.equal(coloured({ FORCE_COLOR: '0' }), false);
});

test('where the terminal knows no Unicode the same is said in ASCII', () => {
  const ran = spawnSync(process.execPath, [bundle, 'log'], {
    cwd: org.dir,
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    encoding: 'utf8',
  });
  assert.equal(/^[\x00-\x7f]*$/.test(ran.stdout), true, ran.stdout);
});

test('the old names ab-test, morning and --note are accepted, and no help lists them', async () => {
  assert.equal((await org.orgrepo('help', 'ab-test')).stdout, (await org.orgrepo('compare', '--help')).stdout);
  assert.equal((await org.orgrepo('help', 'morning')).stdout, (await org.orgrepo('report', '--help')).stdout);
  for (const verb of ['approve', 'deny']) {
    const ran = await org.orgrepo(verb, 'A7', '--note', 'not now');
    assert.match(ran.stderr, /there is no request A7/, verb);
  }
  const pages = await Promise.all(
    [['help', '--all'], ...verbs.map((verb) => [verb, '--help'])].map((words) => org.orgrepo(...words)),
  );
  for (const { stdout } of pages) assert.equal(/ab-test|orgrepo morning|--note\b/.test(stdout), false, stdout);
});

test('the alias morning is report, and options may stand before the verb', async () => {
  assert.equal((await org.orgrepo('morning')).stdout, (await org.orgrepo('report')).stdout);
  assert.equal(JSON.parse((await org.orgrepo('--json', 'status')).stdout).schema, 'orgrepo/status@1');
});
