import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Clone, cloneOf, publish } from '../support/clone.ts';
import { forget, verify } from '../support/forge.ts';
import { factsIn, spawnNight } from '../support/night.ts';
import { aPaidOrg, tamperWithBooks } from '../support/tampering-ground.ts';

const holds = { code: 0, findings: [] };
const org = aPaidOrg();
after(() => org.remove());
before(async () => {
  const ran = await org.orgrepo('run', '--json', '--max', '3');
  assert.equal(ran.code, 0, ran.stderr);
});

test('verify finds what an outsider changes in the books and seals anew', async () => {
  const back = (ref: string): RegExp => new RegExp(`${ref} was moved back or taken away`);
  const wanted: Readonly<Record<string, RegExp>> = {
    nothing: /^$/,
    'the report is deleted': back('orgrepo/reports'),
    'the text of the report is replaced': back('orgrepo/reports'),
    'an approve names nothing': /its approve names nothing/,
    'the book of spending is moved back by two': /the book of spending holds less than was spent on its spec/,
    'the book of spending is deleted': back('refs/orgrepo/spend/\\S+'),
    'the trace is deleted': back('refs/orgrepo/trace/0001'),
    'the trace is replaced': back('refs/orgrepo/trace/0001'),
  };
  const said = await tamperWithBooks(org);
  assert.deepEqual([...said.keys()], Object.keys(wanted));
  for (const [name, what] of said) assert.match(what.join('; '), wanted[name] ?? /never/, name);
});

/** The clone takes up what its remote has, and goes on. */
async function goesOn(clone: Clone): Promise<void> {
  assert.deepEqual(await verify(clone), holds, 'before it is taken up');
  assert.equal((await clone.orgrepo('submit', 'one more')).code, 0);
  assert.deepEqual(await verify(clone), holds, 'once it is taken up');
  const ran = await clone.orgrepo('run', '--json', '--max', '1');
  assert.equal(ran.code, 0, ran.stdout);
  assert.deepEqual(await verify(clone), holds, 'after a run');
}

test('a clone is not accused of what nobody pushed', async () => {
  const branches = ['refs/heads/orgrepo/*'];
  await goesOn(cloneOf(publish(org, branches)));
  org.git('remote', 'remove', 'origin');

  const remote = publish(org); // All of it once, and later the branches alone.
  assert.equal((await org.orgrepo('run', '--json', '--max', '1')).code, 0);
  org.git('push', '--quiet', '--atomic', 'origin', ...branches);
  await goesOn(cloneOf(remote));
  org.git('remote', 'remove', 'origin');

  await goesOn(cloneOf(publish(org)));
  org.git('remote', 'remove', 'origin');
  await goesOn(cloneOf(publish(org, [...branches, 'refs/orgrepo/trace/*'])));
  org.git('remote', 'remove', 'origin');
});

test('an org that a version without tips has made holds, and goes on', async () => {
  const tips = org.git('for-each-ref', '--format=%(refname)', 'refs/orgrepo/tips').trim();
  org.git('update-ref', '-d', tips);
  org.git('gc', '--quiet', '--prune=now');
  forget(org);
  assert.deepEqual(await verify(org), holds);
});

test('a run that is killed at any moment is not accused', async () => {
  const killed = aPaidOrg();
  for (const at of ['experiment', 'run-start', 'run-stop']) {
    const run = spawnNight(killed, 'run', '--json', '--max', '1');
    run.child.stdout?.on('data', () => {
      if (factsIn(run.said()).some(({ fact }) => fact === at)) process.kill(-(run.child.pid ?? 0), 'SIGKILL');
    });
    await run.ended;
    assert.deepEqual(await verify(killed), holds, at);
  }
});
