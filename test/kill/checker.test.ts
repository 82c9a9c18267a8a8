import assert from 'node:assert/strict';
import { ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, cpSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { bundle } from '../support/org.ts';
import { branch } from './books.ts';
import { checkOrg } from './checker.ts';
import { git, readHistory } from './history.ts';
import { lookAround, type Memory, newMemory } from './memory.ts';
import { makeScene, removeScene, type Scene } from './scene.ts';
import { start } from './victim.ts';

let honest: Scene;
/** A notebook whose last line is a verdict with a score. */
let open: { ref: string; tried: string };

before(async () => {
  honest = makeScene();
  const { code, said } = await start(honest, bundle, ['run', '--json', '--max', '7'], newMemory()).ended;
  assert.equal(code, 0, said);
  const history = readHistory(honest.org.dir);
  const found = [...history.refs].find(
    ([ref, id]) => ref.startsWith(branch('work/')) && history.commits.get(id)?.trailers.has('Org-Score') === true,
  );
  assert.ok(found, 'no notebook was left open');
  open = { ref: found[0], tried: history.commits.get(found[1])?.parents[1] ?? '' };
});
after(() => removeScene(honest));

test('nothing is found in an org that was left alone', () => {
  assert.deepEqual(checkOrg(honest, newMemory(), true).findings, []);
});

interface Forgery {
  readonly what: string;
  readonly word: string;
  /** Gives back the process that it started, if it did. */
  readonly forge: (scene: Scene) => unknown;
}

const forgeries: readonly Forgery[] = [
  {
    what: 'a verdict that is cut off its notebook',
    word: 'lost',
    forge: ({ org }) => org.git('update-ref', open.ref, `${open.ref}^`),
  },
  {
    what: 'a branch that is gone',
    word: 'lost',
    forge: ({ org }) => org.git('update-ref', '-d', open.ref),
  },
  {
    what: 'a measurement that nobody wrote down',
    word: 'lost',
    forge: ({ home }) => appendFileSync(path.join(home, 'witness'), '3 first 1;;;;\n'),
  },
  {
    what: 'a candidate that is judged twice',
    word: 'doubled',
    forge: ({ org }) =>
      amend(org.dir, open.ref, (text) =>
        text.replace(/^parent .*/m, `parent ${org.git('rev-parse', open.ref).trim()}`),
      ),
  },
  {
    what: 'a number that is given twice',
    word: 'doubled',
    forge: ({ org }) => amend(org.dir, open.ref, (text) => text.replace(/^Org-Experiment: .*/m, 'Org-Experiment: 1')),
  },
  {
    what: 'a score that the files do not give',
    word: 'score',
    forge: ({ org }) => amend(org.dir, open.ref, (text) => text.replace(/^Org-Score: .*/m, 'Org-Score: 1.5')),
  },
  {
    what: 'a harness that is not the one in the tree',
    word: 'harness',
    forge: ({ org }) =>
      amend(org.dir, open.ref, (text) => text.replace(/^Org-Harness: .*/m, `Org-Harness: ${'0'.repeat(40)}`)),
  },
  {
    what: 'a best that nobody measured',
    word: 'best',
    forge: ({ org }) =>
      amend(org.dir, branch('best'), (text) =>
        text.replace(/^tree .*/m, `tree ${org.git('rev-parse', 'main^{tree}').trim()}`),
      ),
  },
  {
    what: 'a ledger that counts wrong',
    word: 'ledger',
    forge: ({ org }) => amend(org.dir, branch('queue'), (text) => text.replace(/^(Org-Ledger: .*)$/m, '$1 crash=3')),
  },
  {
    what: 'a trunk that no person moved',
    word: 'trunk',
    forge: ({ org }) => org.git('commit', '--quiet', '--allow-empty', '-m', 'not a person'),
  },
  {
    what: 'a lock that is left',
    word: 'lock',
    forge: ({ org }) => writeFileSync(path.join(org.dir, '.git/refs/heads/orgrepo/best.lock'), ''),
  },
  {
    what: 'a worktree that is half made',
    word: 'worktree',
    forge: ({ org }) => rmSync(path.join(org.dir, '.git/worktrees/junior-1/gitdir')),
  },
  {
    what: 'an object that is damaged',
    word: 'git',
    forge: ({ org }) =>
      rmSync(path.join(org.dir, '.git/objects', open.tried.slice(0, 2), open.tried.slice(2)), { force: true }),
  },
  {
    what: 'a process that is left',
    word: 'process',
    forge: ({ org }) => spawn('sleep', ['60'], { cwd: org.dir, stdio: 'ignore' }),
  },
];

for (const { what, word, forge } of forgeries) {
  test(`the checker notices ${what}`, () => {
    const { scene, memory } = copyOf(honest);
    const child = forge(scene);
    try {
      const words = checkOrg(scene, memory, true).findings.map((finding) => finding.slice(0, finding.indexOf(':')));
      assert.ok(words.includes(word), `found ${JSON.stringify(words)}`);
    } finally {
      if (child instanceof ChildProcess) child.kill('SIGKILL');
      removeScene(scene);
    }
  });
}

/** The same org in a place of its own, and a memory of it as it was. */
function copyOf(scene: Scene): { scene: Scene; memory: Memory } {
  const dir = `${scene.org.dir}-copy`;
  cpSync(scene.org.dir, dir, { recursive: true });
  cpSync(scene.home, `${dir}-home`, { recursive: true });
  git(dir, [
    'worktree',
    'repair',
    ...['junior-1', 'junior-2', 'junior-3', 'chief'].map((name) => `.worktrees/${name}`),
  ]);
  const org = {
    ...scene.org,
    dir,
    git: (...args: string[]) => git(dir, args).toString('utf8'),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
  const memory = newMemory();
  assert.deepEqual(lookAround(dir, scene.trunk, memory), []);
  return { scene: { ...scene, org, home: `${dir}-home` }, memory };
}

/** Puts a changed copy of a ref's last commit in its place. */
function amend(dir: string, ref: string, change: (text: string) => string): void {
  const text = git(dir, ['cat-file', 'commit', ref]).toString('utf8');
  const changed = change(text);
  assert.notEqual(changed, text);
  const id = git(dir, ['hash-object', '-t', 'commit', '-w', '--stdin'], changed).toString('utf8').trim();
  git(dir, ['update-ref', ref, id]);
}
