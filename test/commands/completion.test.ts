import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { commandNames, invoke } from '../../src/commands/invoke.ts';
import { type Command, commonOptions } from '../../src/commands/kit/command.ts';
import { offerForOption, offersForWords } from '../../src/commands/kit/offers.ts';
import { anOrg } from '../support/builders.ts';
import type { TestOrg } from '../support/org.ts';

const orgMd =
  '# Acme\n\n## Structure\n\n### Lead\n\n### Ops\n\n#### Nora Quill — Worker\n- **Level:** 3\n\n### Ada (Human)\n';
let org: TestOrg;
before(async () => {
  org = anOrg({ files: { 'ORG.md': orgMd } });
  await org.orgrepo('run', '--max', '2');
});
after(() => org.remove());

/** The words that a shell is given for a line, without what they stand for. */
async function offered(place: Pick<TestOrg, 'orgrepo'>, ...line: readonly string[]): Promise<readonly string[]> {
  const ran = await place.orgrepo('completion', 'fish', '--', ...line);
  assert.deepEqual([ran.code, ran.stderr], [0, ''], line.join(' '));
  return ran.stdout.split('\n').flatMap((one) => (one === '' ? [] : [one.split('\t')[0] ?? '']));
}

test('a line is completed with verbs, options and what the org has', async () => {
  const cases: readonly (readonly [line: readonly string[], words: readonly string[]])[] = [
    [['st'], ['status', 'stop']],
    [['--js'], ['--json']],
    [['-C', '.', 'stat'], ['status']],
    [['show', ''], ['2', '1', '0001']],
    [['show', '1', ''], []],
    [['replay', ''], ['2', '1']],
    [['show', '-C', org.dir, '0'], ['0001']],
    [['log', '--agent', ''], ['lead', 'nora-quill']],
    [['log', '--kept', '--spec', ''], ['0001']],
    [['log', '--format', ''], ['text', 'json', 'tsv']],
    [['log', '--format=t'], ['--format=text', '--format=tsv']],
    [['pause', ''], ['lead', 'nora-quill', 'ops']],
    [['approve', '--as', ''], ['ada']],
    [['run', '--from'], ['--from-trunk']],
    [['run', '--max', ''], []],
    [['run', '--jail', 'n'], ['namespaces', 'none']],
    [['help', 'exit'], ['exit-codes']],
    [['help', 'th'], ['thaw']],
    [['export', '--out', ''], [':files']],
    [['init', '--edit', ''], [':files']],
    [['demo', ''], [':directories']],
    [['compare', 'ORG.md', ''], [':files']],
    [['-C', ''], [':directories']],
    [['frobnicate', ''], []],
    [['submit', ''], []],
  ]; // biome-ignore format: a row each
  for (const [line, words] of cases) assert.deepEqual(await offered(org, ...line), words, line.join(' '));
  const wins = await offered(org, 'land', '');
  assert.ok(wins.length > 0 && wins.every((n) => ['1', '2'].includes(n)), wins.join());
});

test('bash gives the parts of --format=tsv as words of their own', async () => {
  const ran = await org.orgrepo('completion', 'bash', '--', 'log', '--format', '=', 'ts');
  assert.equal(ran.stdout, 'tsv\n');
  assert.equal((await org.orgrepo('completion', 'bash', '--', 'log', '--format', '=')).stdout, 'text\njson\ntsv\n');
});

test('each candidate says what it stands for, and JSON holds the same', async () => {
  const { stdout } = await org.orgrepo('completion', 'zsh', '--', 'show', '');
  assert.match(stdout, /^2\t(won|discard): .+\n1\t.+\n0001\tbring every number to where it should be\n$/);
  const { candidates } = JSON.parse((await org.orgrepo('completion', 'zsh', '--json', '--', 'show', '0')).stdout);
  assert.deepEqual(candidates, [{ value: '0001', about: 'bring every number to where it should be' }]);
});

test('completion says nothing where the org is missing or damaged', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-none-'));
  try {
    for (const place of [dir, '/no/such/place'])
      for (const verb of ['show', 'pause', 'land', 'approve'])
        assert.deepEqual(await offered(org, '-C', place, verb, ''), [], `${verb} in ${place}`);
    assert.deepEqual(await offered(org, '-C', dir, 'sta'), ['status']);
    const broken = anOrg();
    writeFileSync(path.join(broken.dir, '.git/HEAD'), 'nothing\n');
    for (const verb of ['show', 'pause']) assert.deepEqual(await offered(broken, verb, ''), [], verb);
    broken.remove();
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('completion writes nothing', async () => {
  const before = org.git('for-each-ref');
  for (const verb of ['show', 'pause', 'land', 'approve', 'log']) await offered(org, verb, '');
  assert.equal(org.git('for-each-ref'), before);
});

test('a shell that is not known is wrong usage', async () => {
  const ran = await org.orgrepo('completion', 'fisch');
  assert.equal(ran.code, 64);
  assert.match(ran.stderr, /there is no completion for "fisch"[\s\S]*Did you mean fish\?/);
});

test('a word that is offered for an option is in its help', async () => {
  const wrong: string[] = [];
  for (const command of await commands())
    for (const [option, { type, unlisted }] of Object.entries(command.options)) {
      const offer = offerForOption(command, option);
      if (type !== 'string' || unlisted === true || typeof offer === 'string') continue;
      if (offer.length === 0) {
        if (!writtenByPeople.includes(option)) wrong.push(`${command.name} --${option} offers nothing`);
        continue;
      }
      const refused = offer.filter((word) => !command.options[option]?.help.includes(word));
      if (refused.length > 0 && !listedElsewhere.includes(option))
        wrong.push(`${command.name} --${option} does not name ${refused.join(', ')}`);
    }
  assert.deepEqual(wrong, []);
  for (const command of await commands())
    assert.equal(offersForWords(command).length > 0 || !takesNames(command), true, command.name);
});

/** Values that no shell can know: numbers, times and texts. A new option is one of these, or has an offer. */
const writtenByPeople = ['attempts', 'branch', 'domain', 'grep', 'hours', 'max', 'metric', 'n', 'patience', 'pattern', 'rate', 'reason', 'recommendation', 'run', 'score', 'seed', 'since', 'tests', 'title', 'until', 'witness']; // biome-ignore format: a list

/** Whose help does not name each of their words. */
const listedElsewhere = ['culture', 'event'];

const takesNames = ({ name, arguments: known = [] }: Command): boolean => known.length > 0 && name !== 'submit';

async function commands(): Promise<readonly Command[]> {
  const found: Command[] = [];
  const { stdout, stderr, stdin } = process;
  const streams = { stdin, stdout, stderr, dir: org.dir, program: ['node'] as const, startedAs: () => 'orgrepo' };
  const mute = {
    look: { columns: 80, edge: 80, paint: undefined as never, ascii: true, typed: String },
    isTerminal: false,
    streams,
  };
  const silent = { ...mute, out: () => {}, say: () => {}, fail: () => 70 };
  for (const name of commandNames) await invoke([name, '--help'], silent, (command) => void found.push(command));
  return found;
}

test('every common option with a value has an offer', () => {
  for (const [option, { type }] of Object.entries(commonOptions))
    if (type === 'string') assert.notDeepEqual(offerForOption({ name: 'run' }, option), [], option);
});
