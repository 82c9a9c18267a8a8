import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NightStory } from '../../src/report/facts/overview.ts';
import { formatReportMarkdown } from '../../src/report/pages/report-markdown.ts';
import { buildReport, reportJson } from '../../src/report/pages/report-page.ts';
import { formatReport, resultWords } from '../../src/report/pages/report-text.ts';
import { anExperiment } from '../support/builders.ts';
import { ascii, assertAscii, assertFits, plain } from '../support/look.ts';
import { longNight, night, nightWith } from '../support/night-story.ts';
import { printed } from '../support/printed.ts';

const report = buildReport(night);

const empty: NightStory = {
  ...night,
  endedAt: undefined,
  baseline: undefined,
  best: undefined,
  holdout: undefined,
  target: undefined,
  ...nightWith([]),
  needsYou: [],
};

test('the morning report says first what needs a person and last what to type', () => {
  assert.equal(
    formatReport(report, plain(100)),
    `acme-lab · night of 15 Nov · 22:41 to 22:46 (5 m 0 s) · stopped: 25 tries without progress

NEEDS YOU
  ! merging #7 with #11 conflicts in sandbox/pack.mjs   orgrepo show 7
  ! junior-3 changed what it may not, once. Refused, not measured: harness/score.mjs is not in the
    sandbox
      orgrepo show 9

RESULT   waste_pct 14.435 -> 3.475 (-75.9 %) · held out 14.400 -> 3.525 (-75.5 %) · target 3 not
         reached
         12 tried: 3 won, 3 taken, 4 discarded, 1 crashed, 1 timed out, 1 blocked, 1 unchanged, 1
         confounded
  4.089 ┤▴───────────────────╮      ▴      ▴
        │                    │
        │                    │
  3.846 ┤                    ●──────────────────────────╮
        │                                               │
  3.683 ┤                                               ●──────────────────────────╮
        │                                                                    ·     │
        │                                                                          │
  3.439 ┤                                                                          ●───────
        └──────────────×──────────────────────────×────────────×──────×──────────────────── 12 tries
         ● taken   ─ best   · tried   × no score   ▴ above the scale, up to 40.200

TAKEN
  #3     14.435 -> 3.861  -73.3 %  sandbox/pack.mjs:12 0 -> 2                     junior-1   c00003e
  #7      3.861 -> 3.712   -3.9 %  sandbox/pack.mjs:13 0 -> 46                    junior-1   c00007e
  #11     3.712 -> 3.475   -6.4 %  sandbox/pack.mjs:12 2 -> 4                     junior-1   c0000be

LEARNED   from the numbers and the agents' own titles, each with its experiments
  ? sandbox/pack.mjs:12 gave 2 of 3 wins in 2 of 12 tries, which may be luck (#3 #11)
  - nothing won at sandbox/pack.mjs:30, 5 tries (#1 #4 #5 #10 #12)
  + spec 0001 gave 3 of 3 wins in 3 of 12 tries (#3 #7 #11)
  - 1 gain came with a broken guard: lines is 90, the guard allows at most 80 (#10)
  - 2 of 12 tries gave no score, for one because: score printed no waste_pct (#2)
  - 1 of 12 tries offered nothing new (#6)

SPEND   no model, nothing spent · 5 m 0 s · 12 experiments · 2.4 a minute · 3.0 s measuring

NEXT
    look at the last change on best, #11   orgrepo show 11
    read all that is better now            git diff HEAD...orgrepo/best
    add an idea of your own                orgrepo submit "what to try"
    go on from here                        orgrepo run
`,
  );
});

test('the report as Markdown says the same, for whoever reads it in the repository', () => {
  assert.equal(
    formatReportMarkdown(report),
    `# acme-lab: night of 2026-11-15

2026-11-15T22:41:00Z to 2026-11-15T22:46:00Z, 5 m 0 s. Stopped: 25 tries without progress.

## Needs you

- merging #&#8203;7 with #&#8203;11 conflicts in sandbox/pack.mjs: \`orgrepo show 7\`
- junior-3 changed what it may not, once. Refused, not measured: harness/score.mjs is not in the sandbox: \`orgrepo show 9\`

## Result

- waste_pct 14.435 -> 3.475 (-75.9 %)
- held out 14.400 -> 3.525 (-75.5 %)
- target 3 not reached

12 tried: 3 won, 3 taken, 4 discarded, 1 crashed, 1 timed out, 1 blocked, 1 unchanged, 1 confounded.

![progress](progress.svg)

## Taken

| # | waste_pct before | after | change | what | agent | spec | commit |
| ---: | ---: | ---: | ---: | --- | --- | --- | --- |
| 3 | 14.435 | 3.861 | -73.3 % | sandbox/pack.mjs:12 0 -> 2 | junior-1 | 0001 | \`c00003e\` |
| 7 | 3.861 | 3.712 | -3.9 % | sandbox/pack.mjs:13 0 -> 46 | junior-1 | 0001 | \`c00007e\` |
| 11 | 3.712 | 3.475 | -6.4 % | sandbox/pack.mjs:12 2 -> 4 | junior-1 | 0001 | \`c0000be\` |

## Learned

- Open: sandbox/pack.mjs:12 gave 2 of 3 wins in 2 of 12 tries, which may be luck (#&#8203;3 #&#8203;11)
- No gain: nothing won at sandbox/pack.mjs:30, 5 tries (#&#8203;1 #&#8203;4 #&#8203;5 #&#8203;10 #&#8203;12)
- Helped: spec 0001 gave 3 of 3 wins in 3 of 12 tries (#&#8203;3 #&#8203;7 #&#8203;11)
- No gain: 1 gain came with a broken guard: lines is 90, the guard allows at most 80 (#&#8203;10)
- No gain: 2 of 12 tries gave no score, for one because: score printed no waste_pct (#&#8203;2)
- No gain: 1 of 12 tries offered nothing new (#&#8203;6)

## Spend

No model, nothing spent · 5 m 0 s · 12 experiments · 2.4 a minute · 3.0 s measuring.

## Next

- look at the last change on best, #&#8203;11: \`orgrepo show 11\`
- read all that is better now: \`git diff HEAD...orgrepo/best\`
- add an idea of your own: \`orgrepo submit "what to try"\`
- go on from here: \`orgrepo run\`
`,
  );
});

const winJson = (n: number, before: number, score: number, title: string): unknown => ({
  ...{ n, won: n, title, agent: 'junior-1', taken: true, before, score },
  commit: `c0000${n.toString(16)}e`.padEnd(40, '0'),
});

test('the report as JSON has the names of the contract', () => {
  const { learned, next, ...rest } = printed(reportJson(report));
  assert.deepEqual(rest, {
    schema: 'orgrepo/report@1',
    name: 'acme-lab',
    run: '2026-11-15',
    started_at: '2026-11-15T22:41:00Z',
    ended_at: '2026-11-15T22:46:00Z',
    stopped: '25 tries without progress',
    metric: 'waste_pct',
    direction: 'minimize',
    target: 3,
    baseline: 14.435,
    best: { score: 3.475, n: 11, commit: 'c0000be000000000000000000000000000000000' },
    holdout: { from: 14.4, to: 3.525 },
    tried: 12,
    kept: 3,
    taken: 3,
    tally: {
      keep: 3,
      rejected: 0,
      discard: 4,
      inconclusive: 0,
      crash: 1,
      timeout: 1,
      tampered: 1,
      unchanged: 1,
      failed: 0,
      confounded: 1,
      void: 0,
    },
    wins: [
      winJson(3, 14.435, 3.861, 'sandbox/pack.mjs:12 0 -> 2'),
      winJson(7, 3.861, 3.712, 'sandbox/pack.mjs:13 0 -> 46'),
      winJson(11, 3.712, 3.475, 'sandbox/pack.mjs:12 2 -> 4'),
    ],
    needs_you: [
      { what: 'merging #7 with #11 conflicts in sandbox/pack.mjs', command: 'orgrepo show 7' },
      {
        what: 'junior-3 changed what it may not, once. Refused, not measured: harness/score.mjs is not in the sandbox',
        command: 'orgrepo show 9',
      },
    ],
    spend: { seconds: 300, measured_seconds: 3, usd: 0, tokens_in: 0, tokens_out: 0 },
  });
  assert.deepEqual((learned as readonly unknown[])[0], {
    sign: '?',
    text: 'sandbox/pack.mjs:12 gave 2 of 3 wins in 2 of 12 tries, which may be luck (#3 #11)',
    experiments: [3, 11],
  });
  assert.deepEqual((next as readonly unknown[])[0], {
    what: 'look at the last change on best, #11',
    command: 'orgrepo show 11',
  });
});

test('a night that has only begun has a report too', () => {
  assert.equal(
    formatReport(buildReport(empty), plain(100)),
    `acme-lab · night of 15 Nov · since 22:41 · still running

NEEDS YOU   nothing

RESULT   waste_pct: no score yet
         nothing was tried

LEARNED   from the numbers and the agents' own titles, each with its experiments
  nothing yet that the counts support

SPEND   no model, nothing spent · 0 experiments · 0 ms measuring

NEXT
    add an idea of your own   orgrepo submit "what to try"
    see how it stands         orgrepo status
`,
  );
  assert.equal(
    formatReportMarkdown(buildReport(empty)),
    `# acme-lab: night of 2026-11-15

Since 2026-11-15T22:41:00Z. Still running.

## Needs you

Nothing.

## Result

- waste_pct: no score yet

Nothing was tried.

![progress](progress.svg)

## Taken

Nothing was taken.

## Learned

Nothing yet that the counts support.

## Spend

No model, nothing spent · 0 experiments · 0 ms measuring.

## Next

- add an idea of your own: \`orgrepo submit "what to try"\`
- see how it stands: \`orgrepo status\`
`,
  );
});

test('a later night says what it added itself', () => {
  const later = { ...night, ...nightWith(night.experiments.slice(6)), agent: './agent.sh' };
  const text = formatReport(buildReport(later), plain(120));
  assert.match(
    text,
    /RESULT {3}waste_pct 14\.435 -> 3\.475 \(-75\.9 %\) · this night 3\.861 -> 3\.475 \(-10\.0 %\) · /,
  );
  assert.match(text, /SPEND {3}money unknown: /);
});

test('odd nights are told without odd words', () => {
  const odd: readonly Partial<NightStory>[] = [
    { baseline: 0, best: { score: 0, n: 0, commit: 'abc' }, ...nightWith([anExperiment({ n: 1, score: 1, best: 0 })]) },
    nightWith([anExperiment({ n: 1, event: 'crash' }), anExperiment({ n: 2, event: 'timeout' })]),
    { direction: 'maximize', baseline: -2, best: { score: -1, n: 1, commit: 'abc' }, target: -1 },
    nightWith(night.experiments.map((one) => ({ ...one, seconds: undefined, best: undefined }))),
    { endedAt: 1e13 },
    { stopped: '' },
  ];
  for (const given of odd) {
    const one = buildReport({ ...night, ...given });
    for (const text of [
      formatReport(one, plain(100)),
      formatReportMarkdown(one),
      JSON.stringify(printed(reportJson(one))),
    ]) {
      assert.doesNotMatch(text, /undefined|Infinity|\bnull\b/);
    }
  }
});

test('the next steps follow from the night', () => {
  const stepsOf = (given: Partial<NightStory>): readonly string[] =>
    buildReport({ ...night, ...given }).next.map(({ command }) => command);
  assert.deepEqual(stepsOf(nightWith([anExperiment({ n: 1, event: 'crash' })])), [
    'orgrepo doctor',
    '$EDITOR program.md',
    'orgrepo submit "what to try"',
    'orgrepo run',
  ]);
  assert.deepEqual(stepsOf({ target: 3.5 }), [
    'orgrepo show 11',
    'git diff HEAD...orgrepo/best',
    '$EDITOR program.md',
    'orgrepo submit "what to try"',
    'orgrepo run',
  ]);
});

test('the report fits the terminal and needs no Unicode', () => {
  for (const columns of [50, 60, 80, 100, 140]) {
    assertFits(formatReport(report, plain(columns)), columns);
    assertFits(formatReport(buildReport(longNight(3000)), plain(columns)), columns);
  }
  assertAscii(formatReport(report, ascii(100)));
});

test('an agent cannot write Markdown, HTML or escapes into a report', () => {
  const title = '</svg><script>alert(1)</script> | x | [a](http://e.example) `c` @everyone\n# h \u001b[2J';
  const hostile = buildReport({
    ...night,
    name: title,
    metric: 'm|<b>',
    stopped: title,
    needsYou: [{ what: title, command: 'orgrepo `x`' }],
    ...nightWith([
      anExperiment({ n: 1, event: 'keep', score: 1, best: 2, title, agent: title, spec: title }),
      anExperiment({ n: 2, event: 'tampered', title, agent: title, reason: title }),
      anExperiment({ n: 3, event: 'crash', title, reason: title }),
    ]),
  });
  const markdown = formatReportMarkdown(hostile);
  assert.doesNotMatch(markdown, /<|\u001b|@everyone|\]\(http|http:\/\//);
  const row = markdown.split('\n').find((line) => line.startsWith('| 1 |'));
  assert.equal(row?.match(/\|/g)?.length, 9);
  assert.doesNotMatch(formatReport(hostile, plain(100)), /\u001b|\n# h/);
});

test('three thousand experiments are reported in no time', () => {
  const long = longNight(3000);
  const started = process.cpuUsage();
  const one = buildReport(long);
  assert.ok(formatReport(one, plain(100)).length < 10_000);
  assert.ok(formatReportMarkdown(one).length < 20_000);
  assert.ok(process.cpuUsage(started).user < 2000_000);
});

test('a noisy night is told by its last pairs, a deterministic one by its scores', () => {
  const pairs = [
    [3.4, 14.5],
    [3.6, 14.3],
  ] as const;
  const told = (of: Partial<typeof night>): readonly string[] => resultWords(buildReport({ ...night, ...of }));
  const noisy = told({ gain: { pairs, mean: 10.9, low: 10.7, high: 11.1 } });
  assert.deepEqual(noisy.slice(0, 2), [
    'waste_pct 14.400 -> 3.500 (-75.7 %) this night, measured again',
    "this night's gain +10.900, between +10.700 and +11.100 (95 %, 2 fresh pairs)",
  ]);
  const doubtful = told({ gain: { pairs, mean: 0.1, low: -0.2, high: 0.4 } });
  assert.equal(
    doubtful[1],
    "this night's gain +0.1000, between -0.2000 and +0.4000 (95 %, 2 fresh pairs): it may be none",
  );
  const exact = told({ gain: { pairs: [[3.475, 14.435]], mean: 10.96, low: 10.96, high: 10.96 } });
  assert.deepEqual(exact.slice(0, 2), [
    'waste_pct 14.435 -> 3.475 (-75.9 %)',
    "this night's gain +10.960, measured once more",
  ]);
});

test('what could be landed is a step of its own, and none where there is nothing', () => {
  const said = (ready: number): string[] =>
    buildReport({ ...night, ready }).next.flatMap(({ what, command }) =>
      command.startsWith('orgrepo land') ? [`${what} | ${command}`] : [],
    );
  assert.deepEqual(
    [said(0), said(1), said(3)],
    [
      [],
      ['land  1 win on best is ready | orgrepo land --dry-run'],
      ['land  3 wins on best are ready | orgrepo land --dry-run'],
    ],
  );
});
