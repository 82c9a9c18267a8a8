import assert from 'node:assert/strict';
import type { JailChoice } from '../../src/jail/jail.ts';
import { anOrg } from './builders.ts';
import { briefText } from './org.ts';

/** Something that a night would stumble over, and what is to be said of it. */
export interface Bad {
  readonly name: string;
  readonly brief?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  /** The key of the brief whose line is to be named. */
  readonly at: string;
  readonly words: RegExp;
  readonly hint: RegExp;
}

/** Wants it found by doctor, by plan and by run itself, each with the line of program.md, before anything is written. */
export async function assertFound(
  { brief = {}, files = {}, at, words, hint }: Bad,
  jail: JailChoice = 'none',
): Promise<void> {
  const text = briefText(brief);
  const org = anOrg({ files: { 'program.md': text, ...files }, jail });
  try {
    const line = text.split('\n').findIndex((each) => each.startsWith(`${at}:`)) + 1;
    const doctor = await org.orgrepo('doctor', '--json');
    const found = JSON.parse(doctor.stdout).findings.find(({ level }: { level: string }) => level === 'fail');
    assert.equal(doctor.code, 6);
    assert.equal(found?.line, line, JSON.stringify(found));
    assert.match(found.what, words);
    assert.match(found.what, new RegExp(`^program\\.md:${line}:\\d+: `));
    assert.match(found.fix, hint);
    for (const verb of ['plan', 'run']) {
      const ran = await org.orgrepo(verb, '--json');
      assert.equal(ran.code, 6, `${verb}: ${ran.stdout}${ran.stderr}`);
      const { error } = JSON.parse(ran.stdout);
      assert.deepEqual([error.file, error.line], ['program.md', line], verb);
      assert.match(error.message, words, verb);
      assert.match(error.hint, hint, verb);
    }
    assert.equal(org.git('for-each-ref', '--format=%(refname)').trim(), 'refs/heads/main', 'nothing was written');
  } finally {
    org.remove();
  }
}
