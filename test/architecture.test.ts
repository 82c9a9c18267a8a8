import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { root } from './support/org.ts';

/** The house's rules, read off the source: who may import whom, and what is nowhere to be found. */

const src = path.join(root, 'src');

interface Source {
  /** From src/, with slashes: `git/refs.ts`. */
  readonly file: string;
  /** The folder it is in, or the file itself at the top. */
  readonly room: string;
  readonly text: string;
  /** The same without comments and strings: what the program does, not what it says. */
  readonly code: string;
  readonly imports: readonly string[];
}

const sources: readonly Source[] = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
  .sort()
  .map((file) => {
    const text = readFileSync(path.join(src, file), 'utf8');
    const imports = [...text.matchAll(/(?:\bfrom\s+|\bimport\(\s*|^import\s+)'([^']+)'/gm)].map(
      (match) => match[1] ?? '',
    );
    return { file, room: roomOf(file), text, code: withoutWords(text), imports };
  });

/** What a room may import besides itself. Nobody imports upwards. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  'cli.ts': ['commands'],
  commands: [
    'loop.ts',
    'audit',
    'steps',
    'records',
    'govern',
    'views',
    'git',
    'text',
    'jail',
    'process.ts',
    'secrets.ts',
    'domain',
  ],
  'loop.ts': ['steps', 'records', 'domain'],
  steps: [
    'agents',
    'attacks',
    'records',
    'govern',
    'git',
    'text',
    'jail',
    'launcher.ts',
    'neighbours.ts',
    'process.ts',
    'used-directory.ts',
    'regular-file.ts',
    'secrets.ts',
    'pace.ts',
    'domain',
  ],
  attacks: [],
  audit: ['steps', 'records', 'govern', 'git', 'text', 'domain'],
  agents: [
    'models',
    'text',
    'jail',
    'launcher.ts',
    'alarms.ts',
    'neighbours.ts',
    'process.ts',
    'used-directory.ts',
    'regular-file.ts',
    'secrets.ts',
    'domain',
  ],
  models: ['text', 'domain'],
  records: ['git', 'text', 'process.ts', 'secrets.ts', 'domain'],
  govern: ['git', 'text', 'process.ts', 'domain'],
  views: ['text', 'domain'],
  git: ['pace.ts', 'process.ts', 'regular-file.ts', 'used-directory.ts', 'secrets.ts', 'domain'],
  text: ['domain'],
  jail: ['launcher.ts', 'process.ts', 'used-directory.ts', 'domain'],
  'launcher.ts': ['launcher-pipes.ts', 'launcher-words.ts', 'process.ts'],
  'launcher-pipes.ts': ['process.ts', 'voice.ts'],
  'launcher-words.ts': ['process.ts'],
  'process.ts': ['alarms.ts', 'voice.ts'],
  'alarms.ts': ['voice.ts'],
  'neighbours.ts': ['cpu-count.ts', 'process-tree.ts'],
  'cpu-count.ts': ['process-tree.ts'],
  'process-tree.ts': [],
  'voice.ts': [],
  'pace.ts': [],
  'used-directory.ts': [],
  'regular-file.ts': [],
  'secrets.ts': ['domain'],
  domain: [],
};

test('every room of the house imports only what is below it', () => {
  const wrong = sources.flatMap((source) =>
    ownImports(source)
      .filter((to) => roomOf(to) !== source.room && !mayImport[source.room]?.includes(roomOf(to)))
      .map((to) => `${source.file} imports ${to}`),
  );
  assert.deepEqual(wrong, []);
});

test('there is no room that the table does not know', () => {
  assert.deepEqual(new Set(sources.map(({ room }) => room)), new Set(Object.keys(mayImport)));
});

test("steps know of agents only their contract and who chooses one: no model's SDK comes near a ref", () => {
  const known = ['agents/contract.ts', 'agents/choose.ts'];
  const wrong = sources
    .filter(({ room }) => room === 'steps')
    .flatMap((source) => ownImports(source).map((to) => ({ from: source.file, to })))
    .filter(({ to }) => roomOf(to) === 'agents' && !known.includes(to));
  assert.deepEqual(wrong, []);
});

test('a verb calls no other verb: what two of them share is a file that is no verb', () => {
  const verbs = new Set(verbFiles());
  const allowed = new Map([
    ['commands/index.ts', [...verbs]],
    ['commands/demo.ts', ['commands/run.ts', 'commands/report.ts']], // By its definition: init, run and report in one.
  ]);
  const wrong = sources
    .filter(({ room }) => room === 'commands')
    .flatMap((source) => ownImports(source).map((to) => ({ from: source.file, to })))
    .filter(({ from, to }) => verbs.has(to) && !allowed.get(from)?.includes(to));
  assert.deepEqual(wrong, []);
});

test('every verb is in the index', () => {
  const index = sources.find(({ file }) => file === 'commands/index.ts');
  assert.deepEqual(
    index === undefined
      ? []
      : ownImports(index)
          .filter((to) => verbFiles().includes(to))
          .sort(),
    verbFiles(),
  );
});

test('each package has one home', () => {
  const homes: Readonly<Record<string, readonly string[]>> = {
    '@anthropic-ai/sdk': ['models/anthropic.ts'],
    '@cedar-policy/cedar-wasm/nodejs': ['govern/cedar.ts'],
    '@google/genai': ['models/google.ts'],
    '@pydantic/genai-prices': ['models/prices.ts'],
    chokidar: ['commands/status.ts'],
    execa: ['process.ts'],
    'gray-matter': ['text/front-matter.ts'],
    'mdast-util-from-markdown': ['text/org-sections.ts'],
    openai: ['models/openai.ts'],
    'p-queue': ['loop.ts', 'steps/night.ts', 'steps/start.ts'], // The lanes, and the slots and the gate they share.
    picomatch: ['text/globs.ts'],
    'simple-git': ['git/person.ts'],
    yaml: ['text/yaml-fields.ts'],
  };
  const found: Record<string, string[]> = {};
  for (const { file, imports } of sources) {
    for (const name of new Set(imports.filter((name) => !name.startsWith('.') && !name.startsWith('node:')))) {
      found[name] = [...(found[name] ?? []), file];
    }
  }
  assert.deepEqual(found, homes);
});

test('what a provider needs is loaded with the first question to it, and no sooner', () => {
  const loaded = (room: string): RegExp => new RegExp(`^import (?!type).*'${room}'`, 'm');
  const sdks = ['@anthropic-ai/sdk', '@google/genai', 'openai', './anthropic.ts', './google.ts', './openai.ts'];
  assert.deepEqual(
    filesWhere(({ room, text }) => room === 'models' && sdks.some((name) => loaded(name).test(text))),
    [],
  );
});

test('the engine of policies is loaded with the first policy, and no sooner', () => {
  const loaded = /^(import|export) (?!type).*'@cedar-policy/m;
  assert.deepEqual(
    filesWhere(({ text }) => loaded.test(text)),
    [],
  );
});

test('only process.ts starts processes, so that every one of them has a deadline and a group', () => {
  assert.deepEqual(
    filesWhere(({ imports }) => imports.includes('node:child_process')),
    ['process.ts'],
  );
});

test('nothing ends the process but cli.ts', () => {
  assert.deepEqual(
    // What attacks/ holds is text that candidates run.
    filesWhere(
      ({ room, code }) => room !== 'attacks' && /\bprocess\s*\.\s*(exit|abort|reallyExit)\b(?!Code)/.test(code),
    ),
    ['cli.ts'],
  );
});

test('the domain asks no clock, draws no lots and touches nothing', () => {
  const worldly =
    /\b(Date|performance|process|console|Buffer|fetch|setTimeout|setInterval|globalThis)\b|\bMath\.random\b/;
  assert.deepEqual(
    filesWhere(({ room, code }) => room === 'domain' && worldly.test(code)),
    [],
  );
  assert.deepEqual(
    filesWhere(({ room, imports }) => room === 'domain' && imports.some((name) => !name.startsWith('./'))),
    [],
  );
});

test('text and views read no file, start nothing and ask no clock', () => {
  const pure = (room: string): boolean => room === 'text' || room === 'views';
  assert.deepEqual(
    filesWhere(({ room, imports }) => pure(room) && imports.some((name) => name.startsWith('node:'))),
    [],
  );
  const worldly = /\bDate\.now\b|\bnew Date\(\)|\bperformance\b|\bprocess\b|\bconsole\b|\bMath\.random\b/;
  assert.deepEqual(
    filesWhere(({ room, code }) => pure(room) && worldly.test(code)),
    [],
  );
});

test('chance in agents comes from the seed alone, so that the same seed gives the same night', () => {
  assert.deepEqual(
    filesWhere(({ room, code }) => room === 'agents' && /\bMath\.random\b|\brandomBytes\b|\bDate\.now\b/.test(code)),
    [],
  );
});

test('about 250 lines is where a file starts to be two files', () => {
  const long = [...sources.map(({ file, text }) => [file, text.split('\n').length - 1] as const)].filter(
    ([, lines]) => lines > 250,
  );
  assert.deepEqual(long, []);
});

test('the story fits on one page', () => {
  const loop = sources.find(({ file }) => file === 'loop.ts')?.text.split('\n').length ?? 0;
  assert.equal(loop > 0 && loop <= 80, true, `loop.ts has ${loop} lines`);
});

test('files are kebab-case nouns that say what is in them', () => {
  const wrong = sources
    .map(({ file }) => path.posix.basename(file, '.ts'))
    .filter(
      (name) =>
        !/^[a-z]+(-[a-z]+)*$/.test(name) || /\b(utils?|helpers?|managers?|handlers?|data|misc|common)\b/.test(name),
    );
  assert.deepEqual(wrong, []);
});

test('exports have names, and enums, namespaces and inheritance are not used', () => {
  assert.deepEqual(
    filesWhere(({ code }) => /^export default\b|\bexport\s*\{[^}]*\bas default\b/m.test(code)),
    [],
  );
  assert.deepEqual(
    filesWhere(({ code }) => /^(export )?(declare )?(const )?(enum|namespace) /m.test(code)),
    [],
  );
  assert.deepEqual(
    filesWhere(({ code }) => /\bclass \w+ extends (?!Error\b)/.test(code)),
    [],
  );
});

test('the map of the house names every room', () => {
  const map = readFileSync(path.join(src, 'README.md'), 'utf8');
  const missing = Object.keys(mayImport).filter((room) => !map.includes(room.endsWith('.ts') ? room : `${room}/`));
  assert.deepEqual(missing, []);
});

function roomOf(file: string): string {
  return file.split('/')[0] ?? '';
}

function ownImports({ file, imports }: Source): readonly string[] {
  return imports
    .filter((name) => name.startsWith('.'))
    .map((name) => path.posix.join(path.posix.dirname(file), name))
    .filter((name) => !name.endsWith('.d.ts'));
}

function verbFiles(): readonly string[] {
  return filesWhere(({ room, text }) => room === 'commands' && /^export const command\b/m.test(text));
}

function filesWhere(matches: (source: Source) => boolean): string[] {
  return sources.filter(matches).map(({ file }) => file);
}

function withoutWords(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/.*$/gm, '$1')
    .replace(/'(?:[^'\\\n]|\\.)*'/g, "''");
}
