import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { AgentChoice } from '../domain/staff/staff.ts';
import { nowInSeconds } from '../process/pace.ts';
import type { Org } from '../records/org.ts';
import { keysFile, learnSecrets } from '../secrets/known-secrets.ts';
import { isoTime } from '../terminal/visible.ts';
import { orElse, Problem } from '../text/problem.ts';
import { parseJson } from './json-value.ts';
import { findKey } from './keys-file.ts';
import { jsonOf } from './programs/json-lines.ts';

/** A person's own login to a program. Their subscription pays, so what the program uses has tokens and no dollars. */
export interface Login {
  readonly program: 'claude' | 'codex';
  /** Its place, in words for people. */
  readonly from: string;
  /** What the program gets: a token, or a file of its own. */
  readonly given: string;
  /** When it ends, in seconds since 1970; undefined where it does not say. */
  readonly until: number | undefined;
}

/**
 * The login that a program works with. It is used in the place of a key, also where a key is set: that one is often there for something else,
 * and nobody should find a bill for what their subscription covers. A server of one's own never gets it.
 */
export async function loginOf(org: Org, choice: AgentChoice): Promise<Login | undefined> {
  if (choice.kind !== 'program' || choice.baseUrl !== undefined) return undefined;
  if (choice.program === 'claude') return claudeLogin(org);
  return choice.program === 'codex' ? codexLogin() : undefined;
}

async function claudeLogin(org: Org): Promise<Login | undefined> {
  const found = await findKey(org, [tokenOfClaude]);
  if (found === undefined) return undefined;
  learnSecrets([found]);
  const from = found.inFile ? `${tokenOfClaude} of ${keysFile}` : tokenOfClaude;
  return { program: 'claude', from, given: found.value, until: undefined };
}

const tokenOfClaude = 'CLAUDE_CODE_OAUTH_TOKEN';

/** From the file in which codex keeps it. One with an API key in it is not a subscription. */
function codexLogin(): Login | undefined {
  const file = path.join(process.env.CODEX_HOME || path.join(homedir(), '.codex'), 'auth.json');
  const text = orElse(() => (statSync(file).isFile() ? readFileSync(file, 'utf8') : ''), '');
  const kept = jsonOf(text === '' ? undefined : parseJson(text));
  const tokens = kept.at('tokens');
  const secrets = [...tokens.entries, ...kept.entries].filter(([name]) => /_(token|key|identity)$/i.test(name));
  learnSecrets(secrets.flatMap(([name, { text: value }]) => (value ? [{ name: `codex_${name}`, value }] : [])));
  const [access, id] = [tokens.at('access_token').text, tokens.at('id_token').text];
  const mode = kept.at('auth_mode').text ?? (kept.at('OPENAI_API_KEY').text === undefined ? 'chatgpt' : 'apikey');
  if (access === undefined || id === undefined || mode !== 'chatgpt') return undefined;
  const account = tokens.at('account_id').text;
  const given = codexFile({ access, id, account, renewed: kept.at('last_refresh').text });
  const own = `${homedir()}/`;
  const from = file.startsWith(own) ? `~/${file.slice(own.length)}` : file;
  return { program: 'codex', from, given, until: endOf(access) };
}

/**
 * The file that codex gets in its own home. What renews a login can be used once: an agent that did so would log the person out. So it is
 * not in there, and codex says that it could not renew a login which has ended.
 */
const codexFile = ({ access, id, account, renewed }: CodexTokens): string =>
  JSON.stringify({
    auth_mode: 'chatgpt',
    OPENAI_API_KEY: null,
    tokens: { id_token: id, access_token: access, refresh_token: 'none', account_id: account },
    last_refresh: renewed ?? '2026-01-01T00:00:00Z',
  });

interface CodexTokens {
  readonly access: string;
  readonly id: string;
  readonly account: string | undefined;
  /** When codex last renewed them, as it writes that. */
  readonly renewed?: string | undefined;
}

/** When a token ends that says so itself. */
function endOf(token: string): number | undefined {
  const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8');
  return jsonOf(parseJson(payload)).at('exp').number;
}

/** Something of the form of a login that opens nothing: to see how a program starts with one. */
export const notALogin: Readonly<Record<Login['program'], string>> = {
  claude: 'not-a-token',
  codex: codexFile({ access: 'e30.e30.bm90LWEtdG9rZW4', id: 'e30.e30.bm90LWEtdG9rZW4', account: 'nobody' }),
};

/** A login that has ended is renewed by the person's own program, and by nobody else. */
export function refuseEnded(login: Login): Login {
  if (login.until === undefined || login.until > nowInSeconds()) return login;
  const what = `the login of ${login.program} in ${login.from} ended at ${isoTime(login.until)}`;
  throw new Problem('credentials/refused', what, `${howToRenew(login.program)}. Or ${howToUseKey(login)}.`);
}

/** What a person can do whose login has ended. */
export const howToRenew = (program: string): string =>
  program === 'claude'
    ? 'Make another token: claude setup-token'
    : `Start ${program} once by hand: it renews its login, which orgrepo only reads`;

/** What a person can do who has no key for a program and a subscription. */
export function howToLogin(choice: AgentChoice): string {
  if (choice.kind !== 'program') return '';
  const ways = { claude: `claude setup-token, then export ${tokenOfClaude}=…`, codex: 'codex login' };
  return choice.program === 'claude' || choice.program === 'codex'
    ? ` Or use your subscription: ${ways[choice.program]}.`
    : '';
}

/** What a person can do to have a program work with a key although there is a login. */
export function howToUseKey({ program, from }: Login): string {
  const otherwise = from === tokenOfClaude ? `unset ${tokenOfClaude}` : `take ${from.replace(' of ', ' out of ')}`;
  return `${program === 'claude' ? otherwise : 'set CODEX_HOME to a directory without a login'} to pay with a key`;
}
