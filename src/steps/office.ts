import { checkScript, type Office, openOffice } from '../agents/choose.ts';
import type { Brief } from '../domain/brief.ts';
import type { Fact } from '../domain/fact.ts';
import type { Provider } from '../domain/model-id.ts';
import { Problem } from '../domain/problem.ts';
import type { Caps } from '../domain/spending.ts';
import { type AgentChoice, everybodyIn } from '../domain/staff.ts';
import { entryAt } from '../git/tree.ts';
import type { Org } from '../records/org.ts';
import { openSpendBook, type SpendBook } from '../records/spend.ts';
import { contentOf } from './files.ts';
import { readKey } from './keys.ts';
import { nowInSeconds } from './night.ts';

/** The variables that hold a provider's key. A server of one's own may need none. */
const variables: Readonly<Record<Exclude<Provider, 'scripted'>, readonly [string, ...string[]]>> = {
  anthropic: ['ANTHROPIC_API_KEY'],
  openai: ['OPENAI_API_KEY'],
  google: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
};

export interface NightOffice extends Office {
  /** When this returns, what was spent is on the books. */
  written(): Promise<void>;
}

/** How the models of a night are asked, with this org's keys and on its books. */
export function openNightOffice(
  org: Org,
  run: string,
  tree: string,
  brief: () => Brief,
  say: (fact: Fact) => void,
): NightOffice {
  let opened: Promise<SpendBook> | undefined;
  const book = (): Promise<SpendBook> => {
    opened ??= openSpendBook(org, run, () => capsOf(brief()));
    return opened;
  };
  const office = openOffice({
    reserve: async (payer, model, most) => (await book()).reserve({ ...payer, ...model, most }),
    access: async (choice) => ({ key: await keyFor(org, choice), baseUrl: choice.baseUrl }),
    script: (file) => readScript(org, tree, file),
    prices: new Map(),
    onWait: (provider, fault, ms) =>
      say({
        kind: 'warning',
        at: nowInSeconds(),
        message: `${provider}: ${fault.message}; asked again in ${(ms / 1000).toFixed(0)} s`,
      }),
  });
  return { ...office, written: async () => (opened === undefined ? undefined : (await opened).written()) };
}

/** What the brief allows: of a whole night so far. */
export function capsOf({ budget }: Brief): Caps {
  return { night: { usd: budget.usd, tokensIn: budget.tokensIn, tokensOut: budget.tokensOut } };
}

/** Refuses a night whose models have no key, or no script that can be played, before anything is begun. */
export async function refuseSilentModels(org: Org, tree: string, { staff }: Brief): Promise<void> {
  for (const choice of everybodyIn(staff)) {
    if (choice.kind !== 'api') continue;
    if (choice.model.provider !== 'scripted') await keyFor(org, choice);
    else checkScript(await readScript(org, tree, choice.model.id), choice.model.id);
  }
}

async function keyFor(org: Org, { model, baseUrl }: Extract<AgentChoice, { kind: 'api' }>): Promise<string> {
  if (model.provider === 'scripted') return '';
  const names = variables[model.provider];
  if (baseUrl === undefined) return readKey(org, names);
  // A server of one's own often wants no key, and never gets one that was meant for somebody else.
  return readKey(org, ['ORGREPO_MODEL_KEY']).catch((error) => {
    if (error instanceof Problem && error.code === 'credentials/missing') return 'none';
    throw error;
  });
}

async function readScript(org: Org, tree: string, file: string): Promise<string> {
  const entry = await entryAt(org.repo, tree, file);
  if (entry?.mode.startsWith('100') === true) return (await contentOf(org.repo, entry.oid)).toString('utf8');
  throw new Problem(
    'script/value',
    `model is scripted:${file}, and there is no such file in the last commit`,
    `Write ${file} and commit it.`,
    { file },
  );
}
