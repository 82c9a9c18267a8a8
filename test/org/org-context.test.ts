import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orgContext } from '../../src/org/rules/org-context.ts';
import { aCharter } from '../support/builders.ts';

const orgMd = `# Acme

## Identity

We make walls.

## Culture

Say it at once.

## Structure

### Engineering

Owns the code.

#### Engineering Lead

Shares out the work.

#### Backend Worker

Owns the database.
`;

test('an agent is told what people wrote of the org, its culture, its department and its role, and nothing of others', () => {
  const charter = aCharter(orgMd);
  assert.equal(
    orgContext(charter, 'backend-worker'),
    [
      '## Acme\n\nWe make walls.',
      '## How we work\n\nSay it at once.',
      '## Engineering\n\nOwns the code.',
      '## You: Backend Worker\n\nOwns the database.',
    ].join('\n\n'),
  );
  assert.equal(orgContext(charter, 'nobody'), '## Acme\n\nWe make walls.\n\n## How we work\n\nSay it at once.');
});
