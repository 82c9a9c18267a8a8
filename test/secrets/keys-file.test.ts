import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseKeys } from '../../src/secrets/known-secrets.ts';

test('a keys file is NAME=value lines, as a shell would read them', () => {
  const text = '# mine\n\nANTHROPIC_API_KEY=sk-ant-1=2\r\n export OPENAI_API_KEY = "sk 2" \nB=\'c\'\nC=\n';
  assert.deepEqual(Object.fromEntries(parseKeys(text)), {
    ANTHROPIC_API_KEY: 'sk-ant-1=2',
    OPENAI_API_KEY: 'sk 2',
    B: 'c',
    C: '',
  });
});

test('a line that is something else is named by its number, and never shown', () => {
  assert.throws(() => parseKeys('A=1\nsk-ant-12345678\n'), {
    code: 'credentials/file',
    message: '.orgrepo/keys:2: expected NAME=value',
  });
});
