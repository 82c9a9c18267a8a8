import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NightStory } from '../../src/report/facts/overview.ts';
import { formatProgressSvg } from '../../src/report/words/svg.ts';
import { anExperiment } from '../support/builders.ts';
import { longNight, night, nightWith } from '../support/night-story.ts';

test('the drawing says in words what it shows, for readers who do not see it', () => {
  const svg = formatProgressSvg(night);
  assert.deepEqual(
    [/<title id="title">(.*)<\/title>/.exec(svg)?.[1], /<desc id="desc">(.*)<\/desc>/.exec(svg)?.[1]],
    [
      'acme-lab: waste_pct 14.435 to 3.475 (-75.9 %), lower is better',
      'Run 2026-11-15: 12 experiments, 3 won, 3 taken, 5 did not win, 4 without a score. The line of steps is the best waste_pct so far: from 14.435 to 3.475. The dashed line is its held-out value: from 14.400 to 3.525. 3 scores outside the scale drawn on its edge. The target is 3.',
    ],
  );
});

test('kept changes carry their number and words, cut to thirty characters', () => {
  const labels = [...formatProgressSvg(night).matchAll(/<text class="label"[^>]*>([^<]*)</g)].map((found) => found[1]);
  assert.deepEqual(labels, [
    'from 14.435, off this scale',
    '#3 pack.mjs:12 0 -&#62; 2',
    '#7 pack.mjs:13 0 -&#62; 46',
    '#11 pack.mjs:12 2 -&#62; 4',
  ]);
});

test('labels never lie over each other', () => {
  const boxes = [
    ...formatProgressSvg(longNight(400)).matchAll(
      /class="label" x="([\d.]+)" y="([\d.]+)" text-anchor="(\w+)">([^<]*)</g,
    ),
  ].map(([, x, y, anchor, text = '']) => {
    const width = text.replace(/&#\d+;/g, '_').length * 6;
    const left = anchor === 'end' ? Number(x) - width : Number(x);
    return { left, right: left + width, top: Number(y) - 9, bottom: Number(y) };
  });
  assert.ok(boxes.length > 4);
  for (const [index, a] of boxes.entries()) {
    for (const b of boxes.slice(index + 1)) {
      assert.ok(a.left >= b.right || b.left >= a.right || a.top >= b.bottom || b.top >= a.bottom);
    }
  }
});

test('nothing an agent writes becomes an element, a script or an address', () => {
  const hostile = [
    '</svg><script>alert(1)</script>',
    '"><image href="http://evil.example/x"/>',
    '\u001b[2J\u0000\ufffe',
    '| x | ]]> <!-- &amp; <?xml',
  ];
  const svg = formatProgressSvg({
    ...night,
    name: '</title><script>x</script>',
    metric: '<m>',
    run: '"&',
    ...nightWith(
      hostile.map((title, index) =>
        anExperiment({ n: index + 1, event: 'keep', score: 10 - index, best: 11 - index, title, agent: title }),
      ),
    ),
  });
  const names = new Set([...svg.matchAll(/<([^\s/>]+)/g)].map((found) => found[1]));
  assert.deepEqual([...names].sort(), ['circle', 'desc', 'g', 'path', 'rect', 'style', 'svg', 'text', 'title']);
  assert.deepEqual(svg.match(/="http[^"]*"/g), ['="http://www.w3.org/2000/svg"']);
  assert.doesNotMatch(svg, /href=["']|url\(|@import|[\u0000-\u0008\u000b-\u001f\ufffe]/);
});

test('the drawing has its own colours for the dark and asks for nothing from outside', () => {
  const svg = formatProgressSvg(night);
  assert.match(svg, /@media\(prefers-color-scheme:dark\)\{/);
  assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 960 440" role="img"/);
  assert.doesNotMatch(svg, /<script|href|url\(|@import|@font-face/);
});

test('three thousand experiments weigh less than 200 KB, whatever became of them', () => {
  const long = longNight(3000);
  const allKept = long.experiments.map((one, index) => ({
    ...one,
    event: 'keep' as const,
    score: 4.2 - index / 1000,
    best: 4.2 - (index - 1) / 1000,
  }));
  const wild = long.experiments.map((one, index) => ({
    ...one,
    event: 'discard' as const,
    score: (index * 7919) % 3001,
  }));
  const started = process.cpuUsage();
  for (const experiments of [long.experiments, allKept, wild]) {
    const bytes = Buffer.byteLength(formatProgressSvg({ ...long, ...nightWith(experiments) }));
    assert.ok(bytes < 200_000, `${bytes} bytes`);
  }
  assert.ok(process.cpuUsage(started).user < 3000_000);
});

test('every odd night gives numbers, never NaN', () => {
  const odd: readonly Partial<NightStory>[] = [
    { ...nightWith([]) },
    { ...nightWith([]), baseline: undefined, best: undefined, holdout: undefined },
    {
      ...nightWith([anExperiment({ n: 1, event: 'crash' })]),
      baseline: undefined,
      best: undefined,
      holdout: undefined,
    },
    {
      ...nightWith([anExperiment({ n: 1, score: 0, best: 0 })]),
      baseline: 0,
      best: { score: 0, n: 0, commit: '' },
      target: 0,
    },
    { ...nightWith([anExperiment({ n: 1, event: 'keep', score: 5, best: undefined })]), baseline: undefined },
    { ...nightWith([anExperiment({ n: 1, event: 'keep', score: -2, best: -1 })]), baseline: -1, direction: 'minimize' },
    {
      ...nightWith([anExperiment({ n: 1, event: 'keep', score: 1e300, best: 1 })]),
      baseline: 1,
      direction: 'maximize',
    },
    { ...nightWith([anExperiment({ n: 1, event: 'keep', score: 1e-12, best: 2e-12 })]), baseline: 2e-12 },
  ];
  for (const given of odd) {
    const svg = formatProgressSvg({ ...night, ...given });
    assert.doesNotMatch(svg, /NaN|Infinity|undefined/);
    assert.ok(svg.endsWith('</svg>\n'));
  }
});
