import { nearestName, shown } from '../../text/problem.ts';

/** One row of branches.md, the table that tells people who may write what. */
type BranchRow = ReturnType<typeof parseBranchesTable>[number];

/** The rows of the first table whose header begins with `ref` or `branch`; none when there is no such table. */
export function parseBranchesTable(text: string) {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n/);
  const top = lines.findIndex(
    (line, index) =>
      /^(?:ref|branch)$/i.test(cellsOf(line)[0] ?? '') &&
      /^[\s|:-]*$/.test(lines[index + 1] ?? '') &&
      lines[index + 1]?.includes('--'),
  );
  if (top === -1) return [];
  const header = cellsOf(lines[top] ?? '').map((cell) => cell.toLowerCase());
  const holds = header.indexOf('holds');
  const writtenBy = header.findIndex((cell) => /^(?:written|moved) by$/.test(cell));
  const below = lines.slice(top + 2);
  const end = below.findIndex((line) => !line.includes('|'));
  return below.slice(0, end === -1 ? undefined : end).map((line, index) => {
    const cells = cellsOf(line);
    const [ref = ''] = cells;
    return { line: top + 3 + index, ref, holds: cells[holds] ?? '', writtenBy: cells[writtenBy] ?? '' };
  });
}

/** Where the table says something else than what orgrepo enforces. Refs that are not orgrepo's are people's own affair. */
export function contradictions(rows: readonly BranchRow[], trunk = 'main') {
  return rows.flatMap(({ line, ref, writtenBy }) =>
    refsIn(ref, trunk).flatMap((each) => {
      const rule = rules.find(({ matches }) => matches.test(each));
      if (rule === undefined)
        return [{ line, message: `${shown(each)} is not a ref that orgrepo has${suggestion(each)}` }];
      const wrong = wrongWriter(writtenBy, rule);
      if (wrong === undefined) return [];
      const what = rule.name === 'the trunk' ? rule.name : shown(each);
      return [
        { line, message: `${what} is said to be written by ${shown(wrong)}, but only ${rule.says} may write it` },
      ];
    }),
  );
}

type Writer = 'people' | 'orgrepo' | 'chief' | 'junior' | 'agent' | 'holder';

interface Rule {
  readonly name: string;
  readonly matches: RegExp;
  readonly writers: readonly Writer[];
  readonly says: string;
}

/** A ref by its name, in which `<…>` stands for any part, and who may write it; orgrepo alone unless said otherwise. */
const ruleFor = (name: string, writers: readonly Writer[] = ['orgrepo'], says = 'orgrepo'): Rule => ({
  name,
  writers,
  says,
  matches: new RegExp(`^${name.replace(/<[^>]*>/, '[^/]+')}$`),
});

const rules: readonly Rule[] = [
  ruleFor('the trunk', ['people'], 'people'),
  ruleFor('orgrepo/queue', ['chief', 'people', 'orgrepo'], 'the chief, people and orgrepo'),
  ruleFor('orgrepo/work/<spec-id>', ['holder', 'junior', 'orgrepo'], 'the holder of the claim'),
  ruleFor('orgrepo/best'),
  ruleFor('orgrepo/reports'),
  ruleFor('orgrepo/recommendation/<key>', ['orgrepo', 'people'], 'orgrepo and people'),
  ruleFor('refs/orgrepo/wip/<spec-id>'),
  ruleFor('refs/orgrepo/spend/<host>'),
  ruleFor('refs/orgrepo/decisions'),
  ruleFor('refs/orgrepo/checkpoints'),
  ruleFor('refs/orgrepo/trace/<spec-id>'),
];

const writerWords: readonly (readonly [Writer, RegExp])[] = [
  ['holder', /\b(?:holders?|holds)\b/],
  ['orgrepo', /\borgrepo\b/],
  ['chief', /\bchiefs?\b/],
  ['junior', /\bjuniors?\b/],
  ['agent', /\b(?:agents?|checkers?|critics?|any(?:one|body)|every(?:one|body))\b/],
  ['people', /\b(?:people|persons?|humans?|maintainers?|you)\b/],
];

function suggestion(ref: string): string {
  // Compared without what all of them begin with, which would make any two of them look alike.
  const stem = (name: string): string => name.replace(/^(?:refs\/)?orgrepo\//, '');
  const nearest = nearestName(
    stem(ref),
    rules.map(({ name }) => stem(name)),
  );
  const rule = rules.find(({ name }) => stem(name) === nearest);
  return rule === undefined ? '' : `; did you mean ${rule.name}?`;
}

/** The refs a cell names that are the trunk's or orgrepo's, in the short form. */
function refsIn(cell: string, trunk: string): readonly string[] {
  const names = [...cell.matchAll(/[^\s`,;()|]+/g)].map(([word]) =>
    word.replace(/^\*\*|\*\*$/g, '').replace(/^refs\/heads\//, ''),
  );
  if (/\btrunk\b/i.test(cell) || names.includes(trunk)) return ['the trunk'];
  return names.filter((name) => /^(?:refs\/)?orgrepo(?:\/|$)/.test(name));
}

/** The first part of the cell that names somebody the rule does not; parts that say who may not write are no claim. */
function wrongWriter(cell: string, rule: Rule): string | undefined {
  const parts = cell
    .replace(/[`*]/g, '')
    .replace(/\borgrepo land\b/gi, 'land') // A command that a person runs.
    .split(/;|\.\s/)
    .filter((part) => !/\b(?:never|not|no|nobody)\b/i.test(part))
    .flatMap((part) => (part.split(/\bexcept\b/i)[0] ?? '').split(/,|\band\b|\bor\b|&/))
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const named = parts.map((part) => ({ part, writer: writerIn(part) }));
  const wrong = named.find(({ writer }) => writer !== undefined && !rule.writers.includes(writer));
  if (wrong !== undefined) return wrong.part;
  const nobodyKnown = named.length > 0 && named.every(({ writer }) => writer === undefined);
  return nobodyKnown && !rule.writers.includes('people') ? named[0]?.part : undefined;
}

const writerIn = (part: string): Writer | undefined =>
  writerWords.find(([, words]) => words.test(part.toLowerCase()))?.[0];

function cellsOf(line: string): readonly string[] {
  if (!line.includes('|')) return [];
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.replace(/\\\|/g, '|').trim());
}
