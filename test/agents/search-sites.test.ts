import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSites } from '../../src/agents/search/search-sites.ts';

const cases: readonly {
  readonly what: string;
  readonly file: string;
  readonly text: string;
  /** `line:place kind text label` */
  readonly sites: readonly string[];
}[] = [
  {
    what: 'the numbers of a JavaScript table, named by the comment behind them',
    file: 'pack.mjs',
    text: 'const near = [\n  100, // gap 0\n  -99.5, // gap 1\n];\n',
    sites: ['2:1 cell 100 gap 0', '3:1 cell -99.5 gap 1'],
  },
  {
    what: 'a table in one line',
    file: 'a.ts',
    text: 'const weights: number[] = [1, -2, 3e-4];\n',
    sites: ['1:1 cell 1', '1:2 cell -2', '1:3 cell 3e-4'],
  },
  {
    what: 'numbers, choices and operators in JavaScript code, not those in comments, strings, patterns and templates',
    file: 'a.js',
    text: 'if (a + 10 <= b) return /x{2}/; /* 5 */\nlet on = true; // 3\nconst s = "7" + `8`;\nconst n = x /2;',
    sites: ['1:1 choice +', '1:2 code 10', '1:3 choice <=', '2:1 choice true on', '4:1 code 2'],
  },
  {
    what: 'settings in Python, and nothing of its comments, documentation and imports',
    file: 'train.py',
    text: '"""Trains for 10 epochs."""\nimport torch2 as t\nfrom x3 import y\nlr = 0.01  # was 0.1\nuse_bias = True\nf(lr=3e-4, n=1_000)\n',
    sites: ['4:1 setting 0.01 lr', '5:1 choice True use_bias', '6:1 setting 3e-4 lr', '6:2 setting 1_000 n'],
  },
  {
    what: 'values in YAML, not dates, times, versions, names or quoted text',
    file: 'conf.yaml',
    text: "# 12 things\nrate: 0.5\nday: 2024-01-31\nat: 12:30:00\nversion: 1.2.3\nname: gpt4\nquoted: '5'\nit's: 6 # six\nlist:\n  - 7\n  - 8\ndeep: false\n",
    sites: ['2:1 setting 0.5 rate', '8:1 setting 6 s', '10:1 cell 7', '11:1 cell 8', '12:1 choice false deep'],
  },
  {
    what: 'values in JSON',
    file: 'conf.json',
    text: '{\n  "lr": 1e-3,\n  "deep": { "layers": 4 },\n  "text": "9"\n}',
    sites: ['2:1 setting 1e-3 lr', '3:1 setting 4 layers'],
  },
  {
    what: 'C with its suffixes and definitions, not hexadecimal numbers and includes',
    file: 'a.c',
    text: '#include <int16.h>\n#define SIZE 64\nfloat f = 0.5f; long n = 10L;\nint mask = 0xFF;\nint v1 = a[2] - 1;\n',
    sites: ['2:1 setting 64', '3:1 setting 0.5 f', '3:2 setting 10 n', '5:1 code 2', '5:2 choice -', '5:3 code 1'],
  },
  {
    what: 'sizes in a style sheet, not its colours',
    file: 'a.css',
    text: 'a { color: #102030; margin: 10px; width: 50%; }\n',
    sites: ['1:1 setting 10 margin', '1:2 setting 50 width'],
  },
  {
    what: 'lines that end in a carriage return',
    file: 'a.py',
    text: 'a = 1\r\nb = [\r\n 2,\r\n 3,\r\n]\r\n',
    sites: ['1:1 setting 1 a', '3:1 cell 2', '4:1 cell 3'],
  },
  { what: 'nothing where there is nothing', file: 'a.py', text: 'print("hello")\n', sites: [] },
  { what: 'nothing in an empty file', file: 'a.py', text: '', sites: [] },
];

for (const { what, file, text, sites } of cases) {
  test(`the search finds ${what}`, () => {
    const found = findSites(file, text);
    assert.deepEqual(
      found.map((site) => `${site.line}:${site.place} ${site.kind} ${site.text} ${site.label}`.trimEnd()),
      sites,
    );
    for (const site of found) assert.equal(text.slice(site.start, site.start + site.text.length), site.text);
  });
}

test('a line of a megabyte is searched as far as it is of use, and its numbers are still a table', () => {
  const sites = findSites('a.js', `const t = [${'1,'.repeat(500_000)}];`);
  assert.equal(sites.length, 10_000);
  assert.deepEqual([...new Set(sites.map((site) => site.kind))], ['cell']);
});
