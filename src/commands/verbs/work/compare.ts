import { findVariant, howPaid } from '../../../compare/compare-ground.ts';
import { comparisonJson, formatComparison, leastWords, pairWords } from '../../../compare/compare-page.ts';
import { compareStarts, type PairedStart } from '../../../compare/compare-verdict.ts';
import {
  type CompareOptions,
  type Ground,
  prepareComparison,
  runPairs,
  timeStart,
} from '../../../compare/run-comparison.ts';
import type { Org } from '../../../records/org.ts';
import { countOf, usdWord } from '../../../report/words/numbers.ts';
import type { Command, VerbCall } from '../../kit/command.ts';
import { agreesTo, jailOption, readCountOption, textOption, yesOption } from '../../kit/options.ts';
import { listenForSignals, type Signals } from '../../kit/stop-signals.ts';
import { withOrg } from '../../kit/with-org.ts';

const usualRuns = 20;
/** Enough for a search to find something, and little enough for twenty nights of each. */
const usualMax = 10;

export const command: Command = {
  name: 'compare',
  summary: 'Two briefs, two ORG.md or two commits work the same specs; says which is better, or that none is.',
  arguments: ['<A>', '<B>'],
  options: {
    run: textOption('n', `paired starts: nights of A and of B with the same seed (${usualRuns})`),
    max: textOption('n', `experiments of each start (${usualMax}, or the brief's patience)`),
    seed: textOption('n', 'the seed of the first pair (1); each pair has the next'),
    ...yesOption('do not ask, whatever it may cost'),
    ...jailOption,
  },
  goesOnUnread: true,
  examples: [
    'orgrepo compare program.md@HEAD~1 program.md --run 20',
    'orgrepo compare ORG.md ORG-v2.md',
    'orgrepo compare HEAD~3 HEAD --max 30',
  ],
  run: (call) => withOrg(call, (org) => compare(call, org)),
};

async function compare(call: VerbCall, org: Org): Promise<number> {
  const runs = readCountOption(call, 'run', usualRuns) ?? usualRuns;
  const seed = readCountOption(call, 'seed', 7) ?? 1;
  const most = readCountOption(call, 'max', usualMax);
  const [typedA = '', typedB = ''] = call.words;
  const [one, other] = [await findVariant(org, call.dir, typedA), await findVariant(org, call.dir, typedB)];
  const signals = listenForSignals((message) => call.say(`${message}\n`));
  let ground: Ground | undefined;
  try {
    ground = await prepareComparison(org, one, other, signals.killNow);
    const [a, b] = [ground.a.pinned.brief, ground.b.pinned.brief];
    const max = most ?? Math.min(usualMax, a.budget.patience, b.budget.patience);
    const { metric, direction } = a;
    if (!(await agreesToCost(call, org, ground, runs))) return 0;
    const seconds = await timeStart(org, ground, signals.killNow);
    const slots = Math.min(a.slots, b.slots);
    const least = seconds === undefined ? '' : `; ${leastWords(seconds, { runs, max, slots })}`;
    call.say(
      `${countOf(runs, 'pair')} of nights, ${countOf(max, 'experiment')} each, in copies: nothing here is touched${least} …\n`,
    );
    const options: CompareOptions = { runs, seed, max, program: call.streams.program };
    const began = performance.now();
    const say = (pair: PairedStart, n: number): void =>
      call.say(`${pairWords(pair, n, runs, metric, (performance.now() - began) / n)}\n`);
    const pairs = await runPairs(org, ground, options, say, signals.killNow);
    if (pairs.length === 0) {
      call.say(`broken off before the first of ${runs} pairs was done\n`);
      return exitOf(signals);
    }
    const comparison = compareStarts(pairs, direction);
    const { warnings } = ground;
    const story = { a: typedA, b: typedB, metric, direction, seed, max, pairs, wanted: runs, comparison, warnings };
    call.answer(comparisonJson(story), formatComparison(story, call.look));
    return pairs.length < runs ? exitOf(signals) : 0;
  } catch (error) {
    if (signals.asked() === undefined) throw error;
    return exitOf(signals); // A person stopped it; any error that follows from that is not news to them.
  } finally {
    await ground?.remove();
    signals.stop();
  }
}

const exitOf = ({ asked }: Signals): number => (asked() === 'terminated' ? 143 : 130);

/** Money is never spent because nobody could be asked. */
async function agreesToCost(call: VerbCall, org: Org, { a, b }: Ground, runs: number): Promise<boolean> {
  const briefs = [a, b].map(({ pinned }) => pinned.brief);
  const ways = await Promise.all(briefs.map((brief) => howPaid(org, brief)));
  if (ways.every((way) => way === 'nothing')) return true;
  const caps = briefs.flatMap(({ budget }, side) => (ways[side] === 'money' ? [budget.usd] : []));
  const known = caps.filter((usd) => usd !== undefined);
  const most =
    caps.length === 0
      ? 'what your subscription has left'
      : known.length === caps.length
        ? `up to $${usdWord(runs * known.reduce((sum, usd) => sum + usd, 0))} (budget.usd of ${runs * caps.length} nights)`
        : 'money without a cap, as a brief has no budget.usd';
  const question = `Models are asked, and it may cost ${most}. Go on?`;
  return agreesTo(call, `models are asked, and it may cost ${most}`, question, 'nothing was run');
}
