// `npm run test:mutations -- --count 200000 --seed 7`: more damaged files than the suite has time for.
import { parseArgs } from 'node:util';
import { readDamaged } from './mutate.ts';

const { values } = parseArgs({
  options: { count: { type: 'string', default: '200000' }, seed: { type: 'string', default: '1' } },
});
const count = Number(values.count);
const batch = 10_000;
let [read, refused, slowest] = [0, 0, 0];
for (let done = 0; done < count; done += batch) {
  const tally = readDamaged(`${values.seed} ${done}`, Math.min(batch, count - done));
  read += tally.read;
  refused += tally.refused;
  slowest = Math.max(slowest, tally.slowest);
  console.log(
    `${read + refused} of ${count}: ${read} read, ${refused} refused, slowest ${slowest.toFixed(0)} ms for 10 KB`,
  );
}
