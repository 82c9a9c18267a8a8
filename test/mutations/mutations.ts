// `npm run test:mutations -- --count 200000 --seed 7`: more damaged files than the suite has time for. With --resume the campaign
// that was interrupted last goes on.
import { parseArgs } from 'node:util';
import { openCampaign } from '../support/campaign.ts';
import { readDamaged, type Tally } from './mutate.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200000' },
    seed: { type: 'string', default: '1' },
    resume: { type: 'boolean', default: false },
  },
});
const count = Number(values.count);
const batch = 10_000;
const campaign = openCampaign<Tally>('mutations', Number(values.seed), values.resume);
let [read, refused, slowest] = [0, 0, 0];
for (let done = 0; done < count; done += batch) {
  const known = campaign.before[done / batch];
  const tally = known ?? readDamaged(`${campaign.seed} ${done}`, Math.min(batch, count - done));
  if (known === undefined) campaign.add(tally);
  read += tally.read;
  refused += tally.refused;
  slowest = Math.max(slowest, tally.slowest);
  console.log(
    `${read + refused} of ${count}: ${read} read, ${refused} refused, slowest ${slowest.toFixed(0)} ms for 10 KB`,
  );
}
campaign.end();
