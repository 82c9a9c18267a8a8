import assert from 'node:assert/strict';
import { ChildProcess, spawn, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { bundle } from '../support/org.ts';
import { branch, openBooks, type Verdict } from './books.ts';
import { checkOrg } from './checker.ts';
import { git, readHistory } from './history.ts';
import { lookAround, type Memory, newMemory } from './memory.ts';
import { makeScene, removeScene, type Scene } from './scene.ts';
import { start } from './victim.ts';

let honest: Scene;
/** A verdict with a score, the notebook it is in, and a number that is taken by another. */
let scored: { ref: string; verdict: string; tried: string; taken: string };
const isScored = ({ commit }: Verdict): boolean => commit.trailers.has('Org-Score');

before(async () => {
  honest = makeScene();
  const { code, said } = await start(honest, bundle, ['run', '--json', '--max', '7'], newMemory()).ended;
  assert.equal(code, 0, said);
  const history = readHistory(honest.org.dir);
  const { notebooks } = openBooks(honest.org.dir, history, new Map());
  const found = notebooks.flatMap(({ ref, verdicts }) => verdicts.map((verdict) => ({ ref, ...verdict })));
  const [first, second] = notebooks.flatMap(({ ref }) => found.find((one) => one.ref === ref && isScored(one)) ?? []);
  assert.ok(first && second, 'only one junior measured anything');
  const taken = second.commit.trailers.get('Org-Experiment') ?? '';
  scored = { ref: first.ref, verdict: first.commit.id, tried: first.tried?.id ?? '', taken };
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

/** Every object as a file of its own again: a run may have packed them. */
function unpack(gitDir: string): void {
  const dir = path.join(gitDir, 'objects/pack');
  for (const name of readdirSync(dir).filter((one) => one.endsWith('.pack'))) {
    const pack = readFileSync(path.join(dir, name)); // What is in a pack already is not unpacked.
    for (const end of ['.pack', '.idx', '.rev', '.bitmap'])
      rmSync(path.join(dir, name.replace('.pack', end)), { force: true });
    spawnSync('git', ['--git-dir', gitDir, 'unpack-objects', '-q'], { input: pack });
  }
}

const forgeries: readonly Forgery[] = [
  {
    what: 'a verdict that is cut off its notebook',
    word: 'lost',
    forge: ({ org }) => org.git('update-ref', scored.ref, `${scored.verdict}^`),
  },
  {
    what: 'a branch that is gone',
    word: 'lost',
    forge: ({ org }) => org.git('update-ref', '-d', scored.ref),
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
      amend(org.dir, scored.ref, scored.verdict, (text) =>
        text.replace(/^parent .*/m, `parent ${org.git('rev-parse', scored.ref).trim()}`),
      ),
  },
  {
    what: 'a number that is given twice',
    word: 'doubled',
    forge: ({ org }) =>
      amend(org.dir, scored.ref, scored.verdict, (text) =>
        text.replace(/^Org-Experiment: .*/m, `Org-Experiment: ${scored.taken}`),
      ),
  },
  {
    what: 'a score that the files do not give',
    word: 'score',
    forge: ({ org }) =>
      amend(org.dir, scored.ref, scored.verdict, (text) => text.replace(/^Org-Score: .*/m, 'Org-Score: 1.5')),
  },
  {
    what: 'a harness that is not the one in the tree',
    word: 'harness',
    forge: ({ org }) =>
      amend(org.dir, scored.ref, scored.verdict, (text) =>
        text.replace(/^Org-Harness: .*/m, `Org-Harness: ${'0'.repeat(40)}`),
      ),
  },
  {
    what: 'a candidate that got another draw',
    word: 'seeds',
    forge: ({ org }) =>
      amend(org.dir, scored.ref, scored.verdict, (text) => text.replace(/^Org-Seeds: .*/m, 'Org-Seeds: 12')),
  },
  {
    what: 'a best that nobody measured',
    word: 'best',
    forge: ({ org }) =>
      amend(org.dir, branch('best'), branch('best'), (text) =>
        text.replace(/^tree .*/m, `tree ${org.git('rev-parse', 'main^{tree}').trim()}`),
      ),
  },
  {
    what: 'a ledger that counts wrong',
    word: 'ledger',
    forge: ({ org }) =>
      amend(org.dir, branch('queue'), branch('queue'), (text) => text.replace(/^(Org-Ledger: .*)$/m, '$1 crash=3')),
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
    what: 'a temporary directory that is left',
    word: 'litter',
    forge: ({ home }) => mkdirSync(path.join(home, 'orgrepo-x')),
  },
  {
    what: 'a worktree that is half made',
    word: 'worktree',
    forge: ({ org }) => {
      const notes = path.join(org.dir, '.git/worktrees');
      rmSync(path.join(notes, readdirSync(notes)[0] ?? '', 'gitdir'));
    },
  },
  {
    what: 'an object that is damaged',
    word: 'git',
    forge: ({ org }) => {
      unpack(path.join(org.dir, '.git'));
      rmSync(path.join(org.dir, '.git/objects', scored.tried.slice(0, 2), scored.tried.slice(2)));
    },
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

/** Makes a ref end with a changed copy of a commit. */
function amend(dir: string, ref: string, from: string, change: (text: string) => string): void {
  const text = git(dir, ['cat-file', 'commit', from]).toString('utf8');
  const changed = change(text);
  assert.notEqual(changed, text);
  const id = git(dir, ['hash-object', '-t', 'commit', '-w', '--stdin'], changed).toString('utf8').trim();
  git(dir, ['update-ref', ref, id]);
}
