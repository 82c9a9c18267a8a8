import { appendFileSync } from 'node:fs';
import { openOrg } from '../../src/records/org.ts';
import { openSpendBook, type PaidCall } from '../../src/spend/books/spend-book.ts';
import { recover } from '../../src/steps/recover/recover.ts';
import { randomFrom } from '../../src/text/random.ts';

// Agents that call a model that costs for as long as they may: `spender <dir> <usd> <log> <seed> <calls> <how>`.
// What a call really used is in the log before anybody settles it, whatever happens to this process.
const [dir = '', usdCap = '', log = '', seed = '', calls = '0', how = ''] = process.argv.slice(2);
const org = await openOrg(dir);
if (how === 'alone') await recover(org);
const cap = { usd: Number(usdCap), tokensIn: 200_000, tokensOut: 50_000 };
const book = await openSpendBook(org, 'n1', () => ({
  night: cap,
  day: { usd: 25 },
  agent: { usd: 15 },
  spec: { usd: 9 },
}));
const random = randomFrom(seed);
process.stdout.write('ready\n');
if (how !== 'alone') await new Promise((resolve) => process.stdin.once('data', resolve));

async function work(agent: string): Promise<void> {
  for (let left = Number(calls); left > 0; left--) {
    const most = { usd: random.below(100_000_000) / 1e9, tokensIn: random.below(900), tokensOut: random.below(200) };
    const call: PaidCall = {
      agent,
      spec: `000${random.below(5)}`,
      attempt: '1',
      provider: 'test',
      model: 'costly',
      most,
    };
    const said = await book.reserve(call);
    process.stdout.write('.');
    if (said.kind === 'refused') {
      appendFileSync(log, `refused ${said.scope}\n`);
      continue;
    }
    const used = { tokensIn: random.below(most.tokensIn + 1), tokensOut: random.below(most.tokensOut + 1) };
    const usd = random.below(Math.round(most.usd * 1e9) + 1) / 1e9;
    if (random.below(10) === 0) {
      said.release();
      continue;
    }
    appendFileSync(log, `used ${said.commit} ${Math.round(usd * 1e9)} ${used.tokensIn} ${used.tokensOut}\n`);
    said.settle(used, usd);
  }
}

await Promise.all(['junior-1', 'junior-2', 'junior-3'].map(work));
await book.written();
await org.repo.close();
