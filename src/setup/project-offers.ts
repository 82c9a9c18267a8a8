/** What a project offers for a brief, and where in it that was found. */
export interface Offered {
  readonly value: string;
  /** `package.json, script "bench"`. */
  readonly origin: string;
}

export interface ProjectOffers {
  /** Commands that may print a score. */
  readonly scores: readonly Offered[];
  /** Commands that run its tests. */
  readonly tests: readonly Offered[];
  /** What agents may edit. */
  readonly edits: readonly Offered[];
}

/** The files of the last commit, with the text of those that say how the project is built and tested. */
export interface Project {
  readonly paths: readonly string[];
  readonly texts: ReadonlyMap<string, string>;
}

/** Whether a file tells how a project is built or tested, so that its text is worth reading. */
export const isTelling = (file: string): boolean =>
  file === 'package.json' ||
  file === 'pyproject.toml' ||
  isMakefile(file) ||
  /(^|\/)(test_[^/]*|[^/]*_test)\.(py|go)$/.test(file);

const isMakefile = (file: string): boolean => /^(GNUm|M|m)akefile$/.test(file);

const scoring = 'bench|benchmark|eval|evaluate|evaluation|score|check|perf|measure';
const isScoring = (word: string): boolean => new RegExp(`^(${scoring})([:._-].*)?$`, 'i').test(word);

export function offersOf(project: Project): ProjectOffers {
  const scripts = Object.entries(npmScripts(project));
  const targets = makeTargets(project);
  const has = (file: string): boolean => project.paths.includes(file);
  return {
    scores: [
      ...scripts.flatMap(([name]) =>
        isScoring(name) ? [offer(`npm run ${name}`, `package.json, script "${name}"`)] : [],
      ),
      ...targets.flatMap(({ name, at }) => (isScoring(name) ? [offer(`make ${name}`, at)] : [])),
      ...scoringScripts(project.paths),
      ...(project.paths.some((file) => file.startsWith('benches/')) ? [offer('cargo bench', 'benches/')] : []),
      ...goBenchmarks(project),
    ],
    tests: [
      ...scripts.flatMap(([name, text]) =>
        name === 'test' && !text.includes('no test specified')
          ? [offer('npm test', 'package.json, script "test"')]
          : [],
      ),
      ...targets.flatMap(({ name, at }) => (name === 'test' ? [offer('make test', at)] : [])),
      ...pythonTests(project),
      ...(has('Cargo.toml') ? [offer('cargo test', 'Cargo.toml')] : []),
      ...(has('go.mod') ? [offer('go test ./...', 'go.mod')] : []),
    ],
    edits: editable(project.paths),
  };
}

const offer = (value: string, origin: string): Offered => ({ value, origin });

function npmScripts({ texts }: Project): Readonly<Record<string, string>> {
  try {
    const { scripts = {} } = JSON.parse(texts.get('package.json') ?? '{}') as { scripts?: Record<string, unknown> };
    return Object.fromEntries(Object.entries(scripts).map(([name, text]) => [name, String(text)]));
  } catch {
    return {}; // npm will say what is wrong with it.
  }
}

function makeTargets({ texts }: Project): readonly { readonly name: string; readonly at: string }[] {
  const [file, text] = [...texts].find(([name]) => isMakefile(name)) ?? ['', ''];
  return text.split('\n').flatMap((line, index) => {
    const name = /^([A-Za-z][\w.-]*)\s*:(?!=)/.exec(line)?.[1];
    return name === undefined
      ? []
      : [offer(name, `${file}:${index + 1}`)].map(({ value, origin }) => ({ name: value, at: origin }));
  });
}

const interpreters: Readonly<Record<string, string>> = {
  py: 'python3',
  js: 'node',
  mjs: 'node',
  cjs: 'node',
  sh: 'sh',
  rb: 'ruby',
};

/** Those that stand apart from the source come first: a module called score may be what is to be scored. */
const scoringScripts = (paths: readonly string[]): readonly Offered[] => [
  ...paths.filter(isApart).flatMap(scoringScript),
  ...paths.filter((file) => !isApart(file)).flatMap(scoringScript),
];

const isApart = (file: string): boolean => aside.test(file) || !file.includes('/');

function scoringScript(file: string): readonly Offered[] {
  const [, name = '', ending = ''] = /(?:^|\/)([^/]+)\.(\w+)$/.exec(file) ?? [];
  const program = interpreters[ending];
  return program === undefined || !isScoring(name) ? [] : [offer(`${program} ${file}`, file)];
}

function goBenchmarks({ texts }: Project): readonly Offered[] {
  const [file] = [...texts].find(([name, text]) => name.endsWith('_test.go') && /^func Benchmark/m.test(text)) ?? [];
  return file === undefined ? [] : [offer('go test -run ^$ -bench . ./...', file)];
}

function pythonTests({ paths, texts }: Project): readonly Offered[] {
  const found = [...texts].filter(([file]) => file.endsWith('.py'));
  const [plain] = found.find(([, text]) => /^\s*(import|from) unittest\b/m.test(text)) ?? [];
  const [first] = found[0] ?? [];
  const usesPytest =
    texts.get('pyproject.toml')?.includes('pytest') || found.some(([, text]) => text.includes('pytest'));
  if (first === undefined) return [];
  if (plain === undefined || usesPytest) return [offer('python3 -m pytest -q', first)];
  const dir = plain.includes('/') ? plain.slice(0, plain.lastIndexOf('/')) : undefined;
  const top = paths.includes(`${dir}/__init__.py`) ? ' -t .' : '';
  return [offer(`python3 -m unittest discover${dir === undefined ? '' : ` -s ${dir}${top}`}`, plain)];
}

const source = /\.(py|[mc]?[jt]sx?|go|rs|c|cc|cpp|h|hpp|java|kt|rb|php|swift|cs|jl|lua|zig|R)$/;
const aside =
  /(^|\/)(tests?|__tests__|spec|specs|bench|benches|benchmarks?|scripts|tools|docs?|examples?|harness|vendor|node_modules|dist|build)\/|(^|\/)(test_|conftest|setup\.)|[._](test|spec|bench|config)\.\w+$|_test\.\w+$/;

const text = /\.(txt|md|conf|cfg|ini|json|ya?ml|toml|csv|tsv)$/;
const isManifest = (file: string): boolean =>
  /^(package(-lock)?|tsconfig|deno|composer|biome)\.json$|^(pyproject|Cargo)\.toml$/.test(file);

/** The directory that most of the source is in; where there is no directory, the files themselves; else a text. */
function editable(paths: readonly string[]): readonly Offered[] {
  const own = paths.filter((file) => source.test(file) && !aside.test(file) && scoringScript(file).length === 0);
  const counts = new Map<string, number>();
  for (const file of own.filter((one) => one.includes('/'))) {
    const dir = file.slice(0, file.indexOf('/'));
    counts.set(dir, (counts.get(dir) ?? 0) + 1);
  }
  const dirs = [...counts].sort(([, one], [, other]) => other - one);
  const texts = paths.filter((file) => text.test(file) && !isAbout(file) && !isManifest(file) && !aside.test(file));
  const found = [
    ...dirs.map(([dir, count]) => offer(`${dir}/**`, `${count} source ${count === 1 ? 'file' : 'files'}`)),
    ...own.filter((file) => !file.includes('/')).map((file) => offer(file, 'a source file at the root')),
  ];
  return found.length > 0 ? found : texts.map((file) => offer(file, 'a text'));
}

/** Files about a project, and those of orgrepo, which no command needs. */
export const isAbout = (path: string): boolean =>
  /^(README|LICEN[CS]E|COPYING|CHANGELOG|CONTRIBUTING|SECURITY|CODE_OF_CONDUCT|AUTHORS|NOTICE)/i.test(path) ||
  /^(docs?|program\.md|orgrepo\.md|ORG\.md|org\.yaml|branches\.md|specs|inbox|policies|reports|harness|sandbox)(\/|$)/.test(
    path,
  ) ||
  path.startsWith('.');

/** Whether there is a project here that an example would only be in the way of. */
export const isProject = (paths: readonly string[]): boolean => paths.some((file) => !isAbout(file));
