/** Small projects as people have them, none of which knows of orgrepo. */
export interface SampleProject {
  readonly files: Readonly<Record<string, string>>;
  /** How init is called for it. */
  readonly flags: readonly string[];
}

const python: SampleProject = {
  files: {
    'README.md': '# spam\n',
    'spam/__init__.py': '',
    'spam/words.py': 'WORDS = {"free": 0, "win": 1, "money": 2, "meeting": 3}\n',
    'spam/score.py': `from spam.words import WORDS

WEIGHTS = [0.2, 0.1, 0.3, 0.4]
THRESHOLD = 0.9


def is_spam(text):
    return sum(WEIGHTS[WORDS[word]] for word in text.split() if word in WORDS) > THRESHOLD
`,
    'data/mails.tsv':
      'spam\tfree money\nspam\twin money\nspam\twin free\nham\tmeeting\nham\tmeeting money\nham\thello\n',
    'tests/evaluate.py': `import pathlib
import sys

root = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root))
from spam.score import is_spam

rows = [line.split("\\t") for line in (root / "data/mails.tsv").read_text().splitlines()]
wrong = sum((label == "spam") != is_spam(text) for label, text in rows)
print(f"checked {len(rows)} mails")
print(f"error_rate: {wrong / len(rows):.4f}")
`,
    'tests/test_score.py': `import unittest

from spam.score import is_spam


class TestScore(unittest.TestCase):
    def test_a_greeting_is_no_spam(self):
        self.assertFalse(is_spam("hello"))
`,
  },
  flags: [
    ...['--score', 'python3 tests/evaluate.py', '--metric', 'error_rate', '--minimize', '--edit', 'spam/score.py'],
    ...['--tests', 'python3 -m unittest discover -s tests'],
  ],
};

const javascript: SampleProject = {
  files: {
    'package.json': JSON.stringify({
      name: 'slugs',
      version: '1.0.0',
      type: 'module',
      scripts: { test: 'node --test', bench: 'node bench/bench.js' },
    }),
    'lib/slug.js': `const REPEAT = 40;

/** A slug of a title. */
export function slug(title) {
  let out = '';
  for (let round = 0; round < REPEAT; round++) out = title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return out;
}
`,
    'bench/bench.js': `import { slug } from '../lib/slug.js';

const title = 'The quick brown fox, and 12 lazy dogs: a story';
for (let i = 0; i < 200; i++) slug(title);
const begun = performance.now();
let count = 0;
while (performance.now() - begun < 60) {
  slug(title);
  count += 1;
}
const perSecond = Math.round((count / (performance.now() - begun)) * 1000);
console.log(\`slug x \${perSecond.toLocaleString('en')} ops/sec (\${count} runs sampled)\`);
`,
    'test/slug.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slug } from '../lib/slug.js';

test('a title becomes a slug', () => {
  assert.equal(slug('Hello, World 2'), 'hello-world-2');
});
`,
  },
  flags: [
    ...['--score', 'node bench/bench.js', '--metric', 'ops', '--maximize', '--edit', 'lib/slug.js'],
    ...['--tests', 'npm test'],
  ],
};

const make: SampleProject = {
  files: {
    Makefile: 'bench:\n\t@sh cmd/bench.sh\n\ntest:\n\t@sh cmd/test.sh\n\n.PHONY: bench test\n',
    'pack/limits.conf': '# boxes on a pallet\nwidth = 7\nheight = 3\nslack = 9\n',
    'cmd/read.sh': `width=$(sed -n 's/^width = \\(-*[0-9]*\\).*/\\1/p' pack/limits.conf)
height=$(sed -n 's/^height = \\(-*[0-9]*\\).*/\\1/p' pack/limits.conf)
slack=$(sed -n 's/^slack = \\(-*[0-9]*\\).*/\\1/p' pack/limits.conf)
`,
    'cmd/bench.sh': `set -e
. cmd/read.sh
echo "goos: linux"
echo "BenchmarkPack-2   \t     200\t      $(((width - 12) * (width - 12) * 100 + (height - 8) * (height - 8) * 10 + slack)) ns/op"
echo "PASS"
`,
    'cmd/test.sh': '. cmd/read.sh\n[ "$slack" -ge 2 ] || { echo "FAIL: slack must be 2 or more"; exit 1; }\n',
  },
  flags: [
    '--score',
    'make bench',
    '--metric',
    'ns_op',
    '--minimize',
    '--edit',
    'pack/limits.conf',
    '--tests',
    'make test',
  ],
};

const text: SampleProject = {
  files: {
    'letter.txt': `Dear neighbours,

It has come to our attention that the utilisation of the shared garden is in need of being improved by all of us.
The gate should be closed by everybody.
`,
    'check.sh': `#!/bin/sh
long=$(tr '\\n' ' ' < letter.txt | tr '.' '\\n' | awk 'NF > 12' | wc -l)
words=$(tr -cs 'A-Za-z' '\\n' < letter.txt | awk 'length > 10' | wc -l)
echo "Found $((long + words)) issues: $long long sentences, $words long words"
`,
  },
  flags: ['--score', 'sh check.sh', '--metric', 'issues', '--minimize', '--edit', 'letter.txt'],
};

export const sampleProjects = { python, javascript, make, text } as const;
