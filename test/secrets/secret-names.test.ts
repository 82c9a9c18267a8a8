import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSecretName, secretsIn } from '../../src/secrets/known-secrets.ts';

test('a variable is a secret by its name, and only by a word of it', () => {
  const yes = [
    'ANTHROPIC_API_KEY',
    'GITHUB_TOKEN',
    'AWS_SECRET_ACCESS_KEY',
    'PGPASSWORD',
    'DB_PASS',
    'npm_config__auth',
  ];
  const no = ['PATH', 'HOME', 'KEYBOARD', 'MONKEY', 'GIT_AUTHOR_NAME', 'COMPASS', 'ORGREPO_SEED', 'XAUTHORITY'];
  assert.deepEqual(yes.filter(isSecretName), yes);
  assert.deepEqual(no.filter(isSecretName), []);
});

test('what is called a key and is a plain word, a number or the name of a variable is no secret', () => {
  const found = secretsIn({
    OPENAI_API_KEY: 'onlyletters',
    OTHER_KEY: 'onlyletters',
    DB_PASSWORD: 'postgres',
    MAX_TOKENS: '12345678901234567890',
    KEY_NAME: 'AZURE_OPENAI_API_KEY_2',
    AZURE_OPENAI_API_KEY_2: ' azure-1234567890 ',
    PASSPHRASE: 'correct horse battery staple',
    SHORT_TOKEN: 'abc123',
    EMPTY_TOKEN: '',
    GONE_TOKEN: undefined,
    PATH: '/usr/bin1:/bin2345678',
    'odd token': 'token-1234',
  });
  assert.deepEqual(found, [
    { name: 'OPENAI_API_KEY', value: 'onlyletters' },
    { name: 'AZURE_OPENAI_API_KEY_2', value: 'azure-1234567890' },
    { name: 'PASSPHRASE', value: 'correct horse battery staple' },
    { name: 'in a variable', value: 'token-1234' },
  ]);
});

test('the password in an address is one, whatever the variable is called', () => {
  assert.deepEqual(
    secretsIn({
      DATABASE_URL: 'postgres://app:s3cret-pass@db.example:5432/app',
      HTTPS_PROXY: 'http://proxy:8080/a@b',
      REMOTE: 'https://user@github.com/a/b',
    }),
    [{ name: 'DATABASE_URL', value: 's3cret-pass' }],
  );
});
