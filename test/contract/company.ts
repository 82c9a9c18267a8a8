import { anOrg } from '../support/builders.ts';
import { briefText, quadratic } from '../support/org.ts';
import { ask, type Observed, observeRepository } from './observed.ts';

/** Orgs with a chart, in which scripted models work. */

const call = (tool: string, input: object) => ({ calls: [{ tool, input }] });
const script = (...conversations: { when?: string[]; turns: object[] }[]): string => JSON.stringify({ conversations });
const change = (old: string, now: string) => [
  call('edit', { path: 'sandbox/numbers.txt', old, new: now }),
  call('finish', { title: now, notes: 'as planned', text: 'a plan' }),
];
const approves = call('review', { decision: 'approve', summary: 'reads well', findings: [] });

const chart = `---
models: { boss: "scripted:models/boss.json", hand: "scripted:models/hand.json" }
---
# Acme

## Identity
We make numbers small.

## Culture
preset: startup

- **Ack required:** yes — we confirm

## SDLC
preset: standard

- **Branch naming:** \`<role>/<feature>\`
- **Target:** \`main\`
- **Max size:** 500 lines (soft), 1000 lines (hard)
- **Pre-merge:** tests pass (\`true\`), docs are true

## Structure

### Ada (Human Principal)
- **Approves:** board
- **Git:** person@example.invalid

### Lab
- **Goal:** small numbers
- **Cap:** 9

#### Lab Lead
- **Level:** 7
- **Model:** boss
- **Domain:** numbers

#### Worker
- **Level:** 3
- **Model:** hand
- **Domain:** numbers

## Policies

### Budget
- **Per-agent limit:** $50/week
- **Total limit:** $500/week
- **Alert threshold:** 80%
- **Overage behavior:** warn only
- **Single act:** 10
- **Tools:** 5

### Department Caps
- No department can exceed 15 agents without human approval

### Working Hours
- **Active hours:** 24/7

## Playbooks

### Escalation: BLOCKED
1. Ask the archive.
`;
const policies = `@id("ordinary") permit (principal, action, resource);
@id("board-first") @message("critical work is for the board to begin") @approval("board")
forbid (principal, action == Action::"claim", resource) when { resource.risk == "critical" };
`;
const spec = (title: string, more = ''): string => `---\ntitle: ${title}\nby: people\ndomain: numbers\n${more}---\nx\n`;

/** Everything that ORG.md can say, policies, and people who are asked. */
export async function playCompany(observed: Observed): Promise<void> {
  const org = anOrg({
    brief: {
      ...{ agent: '', chief: '{ agent: human }', log_every_tool_call: 'true' },
      budget:
        '{ experiment: 30s, agent: 60s, night: 1h, usd: 5, tokens_in: 900k, tokens_out: 90k, attempts: 1, patience: 1000 }',
      caps: '{ call: { usd: 1 }, attempt: { tokens_out: 9k }, day: { tokens_in: 900k } }',
    },
    files: {
      'ORG.md': chart,
      'policies/a.cedar': policies,
      'models/boss.json': script(
        { when: ['# The change'], turns: [approves] },
        { turns: [call('finish', { text: 'go on' })] },
      ),
      'models/hand.json': script(
        { when: ['the first number', 'try 1 of'], turns: change('first 9', 'first 3') },
        {
          when: ['where are the data', 'try 1 of'],
          turns: [call('finish', { title: 'no', notes: '', escalate: { reason: 'BLOCKED', words: 'NO DATA' } })],
        },
        { when: ['for the board', 'try 1 of'], turns: change('second 7', 'second 3') },
        { turns: [call('finish', { title: 'nothing', notes: '', text: 'a plan' })] },
      ),
      'specs/0001-first.md': spec('the first number', 'risk: high\n'),
      'specs/0002-second.md': spec('where are the data'),
      'specs/0003-third.md': spec('for the board', 'risk: critical\n'),
    },
  });
  const type = (...words: readonly [string, ...string[]]) => ask(observed, org, ...words);
  for (const verb of ['plan', 'status']) await type(verb);
  await type('run', '--max', '9');
  await type('report');
  await type('approve');
  await type('approve', 'A1');
  await type('approve', 'A1', '--as', 'ada');
  await type('run', '--max', '1');
  for (const verb of ['status', 'report', 'log', 'verify']) await type(verb);
  await type('show', '2');
  await type('approve', '2');
  await type('deny', 'E1', '--reason', 'not now', '--as', 'ada');
  await type('pause', 'Lab', '--as', 'ada');
  await type('pause', 'worker', '--rate', '6/h', '--as', 'ada');
  await type('status');
  for (const what of ['1', '0001', '0002']) await type('show', what);
  await type('show', '1', '--trace');
  await type('replay', 'D1');
  await type('land', '--dry-run');
  await type('export', '--format', 'json');
  org.write('ORG.md', chart.replace('- **Cap:** 9', '- **Cap:** 8').replace('Ask the archive.', 'Ask the library.'));
  org.commit('another playbook, and fewer agents');
  await type('plan');
  await type('apply', '--yes');
  observeRepository(observed, org);
}

const small = `# Org

## Structure

### Lab

#### Lab Lead
- **Level:** 8
- **Model:** boss
`;
const noted =
  '# try 3\n\nHypothesis: it helps.\nPrediction: loss 90.\nControl: best.\nHeld fixed: the rest.\nWrong if: no gain.\n';

/** A lead that gets itself another agent. */
export async function playSpawn(observed: Observed): Promise<void> {
  const { 'specs/0001-first.md': _none, ...ground } = quadratic;
  const wish = [
    call('spawn', { role: 'Helper', domain: 'data' }),
    call('write', { path: 'specs/first.md', content: noted }),
    call('finish', { title: 'specs', notes: 'one' }),
  ];
  const org = anOrg({
    ground: {
      ...ground,
      'program.md': briefText({
        ...{ agent: '', junior: '{ agent: search }', chief: '{ model: scripted:models/boss.json }' },
        models: '{ boss: scripted:models/boss.json }',
      }),
      'ORG.md': small,
      'models/boss.json': script({ turns: wish }),
    },
  });
  await ask(observed, org, 'run', '--max', '1');
  await ask(observed, org, 'plan');
  observeRepository(observed, org);
}
