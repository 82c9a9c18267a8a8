import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What stands in a codex login; nobody has such an account. */
export interface CodexLogin {
  readonly access: string;
  readonly refresh: string;
  readonly file: string;
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Logs codex in, in a directory that becomes its CODEX_HOME, with a token that ends in so many seconds. */
export function logCodexIn(dir: string, seconds = 864_000, rest: object = {}): CodexLogin {
  const claims = {
    exp: Math.floor(Date.now() / 1000) + seconds,
    'https://api.openai.com/auth': { chatgpt_account_id: 'account-1', chatgpt_plan_type: 'plus' },
  };
  const token = (kind: string): string =>
    `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ ...claims, kind })}.${part({ drawn: 'by-nobody-4711' })}`;
  const [access, refresh] = [token('access'), 'rt_once-and-never-again-4711'];
  const tokens = { id_token: token('id'), access_token: access, refresh_token: refresh, account_id: 'account-1' };
  const kept = { auth_mode: 'chatgpt', OPENAI_API_KEY: null, tokens, last_refresh: '2026-11-01T00:00:00Z', ...rest };
  mkdirSync(dir, { recursive: true });
  const file = path.join(dir, 'auth.json');
  writeFileSync(file, JSON.stringify(kept), { mode: 0o600 });
  process.env.CODEX_HOME = dir;
  return { access, refresh, file };
}
