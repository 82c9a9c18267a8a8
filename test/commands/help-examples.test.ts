import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { commandNames } from '../../src/commands/invoke.ts';
import { anOrg } from '../support/builders.ts';
import type { TestOrg } from '../support/org.ts';

let org: TestOrg;
before(async () => {
  org = anOrg({ files: { 'idea.md': 'Try a table.\n' } });
  await org.orgrepo('run', '--max', '2');
});
after(() => org.remove());

/** The examples at the end of a verb's help, as words. What a shell does with the output is not orgrepo's. */
async function examplesOf(verb: string): Promise<readonly (readonly string[])[]> {
  const { stdout } = await org.orgrepo('help', verb);
  const last = stdout.trimEnd().split('\n\n').at(-1) ?? '';
  return last.split('\n').map((line) => {
    if (line.startsWith('  git ')) return wordsIn(line.trim());
    const typed = /^ {2}(?:npx )?orgrepo (.*)$/.exec(line)?.[1] ?? /"\$\(orgrepo ([^)]*)\)"/.exec(line)?.[1];
    assert.ok(typed !== undefined, `${verb}: ${line} is an example`);
    return wordsIn(typed.replace(/ (?:&&|[>|]) .*$/, ''));
  });
}

/** As a shell would read a line of words and quotes. */
const wordsIn = (line: string): readonly string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');

/** Nights, tricks against the harness, and what goes on for ever: their examples are only read. */
const long = ['attack', 'compare', 'demo', 'run', '--watch'];

for (const verb of commandNames)
  test(`the examples of ${verb} can be typed as they are`, async () => {
    for (const [name = '', ...words] of await examplesOf(verb)) {
      const line = [name, ...words].join(' ');
      if (name === 'git') {
        org.git(...words);
        continue;
      }
      assert.equal(name, verb, line);
      const read = await org.orgrepo(name, '--help', ...words);
      assert.equal(read.code, 0, `${line}: ${read.stderr}`);
      if ([name, ...words].some((word) => long.includes(word))) continue;
      const yes = read.stdout.includes('--yes') ? ['--yes'] : [];
      const ran = await org.orgrepo(name, '--json', ...yes, ...words);
      const { error } = ran.stdout.startsWith('{"error"') ? JSON.parse(ran.stdout) : { error: undefined };
      const isMistyped = error?.code === 'usage/option' && !/^there is no /.test(error.message);
      assert.equal(isMistyped, false, `${line}: ${error?.message}`);
      assert.notEqual(ran.code, 70, `${line}: ${error?.message}`);
    }
  });
