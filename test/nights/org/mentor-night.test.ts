import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrg } from '../../support/builders.ts';
import { runNight } from '../../support/night.ts';
import { unhurried } from '../../support/pace.ts';

/** Whoever is new has a mentor: it is told so, and the mentor looks at its work first. */

const call = (tool: string, input: object) => ({ calls: [{ tool, input }] });
const script = (...conversations: { when?: string[]; turns: object[] }[]): string => JSON.stringify({ conversations });
const senior = script(
  { when: ['# The change'], turns: [call('review', { decision: 'approve', summary: 'reads well', findings: [] })] },
  { turns: [call('finish', { text: 'sound' })] },
);

const chart = `# Org

## Structure

### Backend Senior
- **Domain:** backend
- **Model:** first

### Frontend Senior
- **Domain:** frontend
- **Model:** second

### Backend Worker
- **Level:** 3
- **Domain:** backend
- **Model:** own
`;

test('a newcomer is told of its mentor, who reviews what it kept before others do', async () => {
  const worker = script(
    {
      when: ['## Your mentor', 'Backend Senior (backend-senior) looks after you', 'try 1 of'],
      turns: [
        call('edit', { path: 'sandbox/numbers.txt', old: 'first 9', new: 'first 3' }),
        call('finish', { title: 'the first', notes: '' }),
      ],
    },
    { turns: [call('finish', { text: 'I bring the first to 3', title: 'nothing', notes: '' })] },
  );
  const org = anOrg({
    brief: {
      ...{ agent: '', chief: '{ agent: human }' },
      budget: '{ experiment: 20s, agent: 20s, night: 1h, attempts: 1, patience: 1000 }',
      models:
        '{ first: scripted:models/first.json, second: scripted:models/second.json, own: scripted:models/own.json }',
    },
    files: {
      'ORG.md': chart,
      'models/first.json': senior,
      'models/second.json': senior.replaceAll('reads well', 'reads fine'),
      'models/own.json': worker,
      'specs/0001-first.md': '---\ntitle: bring the backend to 3\nrisk: high\nby: people\n---\nx\n',
    },
  });
  const night = await unhurried(() => runNight(org, '--max', '1'));
  assert.equal(night.experiments[0]?.event, 'keep', night.stdout + night.stderr);
  assert.equal(org.git('log', '--grep=^review: ', '--format=%an', 'orgrepo/work/0001'), 'backend-senior\n');
  const status = JSON.parse((await org.orgrepo('status', '--json')).stdout) as {
    agents: { id: string; mentor?: string }[];
  };
  assert.equal(status.agents.find(({ id }) => id === 'backend-worker')?.mentor, 'backend-senior');
  assert.match((await org.orgrepo('status')).stdout, /probation, mentor backend-senior/);
  const plan = JSON.parse((await org.orgrepo('plan', '--json')).stdout) as {
    org: { agents: { id: string; mentor?: string }[] };
  };
  assert.equal(plan.org.agents.find(({ id }) => id === 'backend-worker')?.mentor, 'backend-senior');
  assert.equal((await org.orgrepo('verify')).code, 0, (await org.orgrepo('verify')).stdout);
});
