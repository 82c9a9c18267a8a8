import { rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { SearchReach } from '../../agents/search/search-reach.ts';
import type { Direction } from '../../domain/words/brief.ts';
import { benchesDir, excludeOwn } from '../../git/worktree.ts';
import { quote } from '../../process/run-process.ts';
import { type Org, openOrg } from '../../records/org.ts';
import { plainNumber } from '../../report/words/numbers.ts';
import { closeOrg } from '../../score/arena/measuring-room.ts';
import { levelOf } from '../../score/measure/trial.ts';
import { fileForBrief } from '../../setup/adopt-autoresearch.ts';
import type { Wishes } from '../../setup/check-wishes.ts';
import { hasNoise, nightInWords, noiseInWords, spreadOfRuns } from '../../setup/night-estimate.ts';
import type { Offered, ProjectOffers } from '../../setup/project-offers.ts';
import { type Chooser, numbersInWords, type SetUp, setUp } from '../../setup/set-up.ts';
import { isProblem, orElse, Problem } from '../../text/problem.ts';
import { describeDuration } from '../../text/quantity.ts';
import type { VerbCall } from './command.ts';
import { readText } from './options.ts';

/** Writes a brief for the project that is here, and nothing else. */
export async function setUpHere(call: VerbCall): Promise<number> {
  const wishes = readWishes(call);
  const org = await openHere(call);
  excludeOwn(org.repo); // Before the command is tried in .worktrees, which git must not show.
  try {
    const file = fileForBrief(org.repo.root);
    const mayAsk = call.mayAsk && !call.json && call.streams.stdin.isTTY === true;
    const choose = mayAsk ? (await import('./ask-set-up.ts')).askChoices(call) : refuseChoices;
    const done = await setUp(org, wishes, choose, call.say);
    writeFileSync(path.join(org.repo.root, file), done.text, { flag: 'wx' });
    call.answer(setUpJson(org, file, done), `${await summaryOf(org, done)}wrote  ${file}\n`);
    for (const warning of done.warnings) call.say(`${call.look.paint.yellow('warn')}   ${warning}\n`);
    call.say(`\n${nextSteps(file, done)}`);
    return 0;
  } finally {
    await closeOrg(org);
    orElse(() => rmdirSync(path.join(org.repo.root, benchesDir)), undefined); // Benches of a night may be there.
  }
}

async function openHere(call: VerbCall): Promise<Org> {
  try {
    return await openOrg(call.dir, call.jail());
  } catch (error) {
    if (!isProblem(error) || error.code !== 'repo/none') throw error;
    throw new Problem(error.code, error.message, 'Make it one: git init && git add -A && git commit -m "start"');
  }
}

function readWishes(call: VerbCall): Wishes {
  const text = (option: string, example: string) => readText(call, option, `For example: --${option} ${example}`);
  if (call.flag('minimize') && call.flag('maximize'))
    throw new Problem('usage/option', '--minimize and --maximize say opposite things', 'Give one of them.');
  const direction: Direction | undefined = call.flag('minimize')
    ? 'minimize'
    : call.flag('maximize')
      ? 'maximize'
      : undefined;
  const edit = text('edit', 'src/rank.py')
    ?.split(',')
    .map((one) => one.trim());
  return {
    score: text('score', '"python3 tests/evaluate.py"'),
    edit: edit?.filter((one) => one !== ''),
    harness: text('harness', 'tests'),
    metric: text('metric', 'error_rate'),
    pattern: call.value('pattern'),
    direction,
    tests: text('tests', '"npm test"'),
  };
}

/** Without a terminal, a missing value is refused with what to type. */
const refuseChoices: Chooser = {
  asks: false,
  score: async (offered) => {
    throw unsaid('the command that prints the score', 'score', offered.scores, example(offered));
  },
  edit: async (offered) => {
    throw unsaid('the files that agents may edit', 'edit', offered.edits);
  },
  metric: async (printed) => {
    const [first] = printed;
    if (printed.length === 1 && first !== undefined) return first;
    throw new Problem('usage/option', `${printed.length} numbers could be the metric`, numbersInWords(printed));
  },
  direction: async (metric, likely) => {
    const hint = likely === undefined ? '--minimize where lower is better, --maximize where higher is' : `--${likely}`;
    throw new Problem('usage/option', `nothing says which way ${metric} is better`, `Say it: ${hint}`);
  },
  tests: async () => undefined,
};

function unsaid(what: string, option: string, offered: readonly Offered[], otherwise = ''): Problem {
  const found = offered.slice(0, 5).map(({ value, origin }) => `  --${option} ${typed(value)}   (${origin})`);
  const hint = found.length === 0 ? `Say it: --${option} …` : `Found here:\n${found.join('\n')}`;
  return new Problem('usage/option', `init needs ${what}: --${option}`, `${hint}${otherwise}`);
}

/** The whole command line, as it would be for this project. */
function example({ scores, edits, tests }: ProjectOffers): string {
  const [score, edit, test] = [scores[0], edits[0], tests[0]].map((one) => one && typed(one.value));
  const parts = [
    `--score ${score ?? '"…"'} --metric <name> --minimize --edit ${edit ?? '<files>'}`,
    ...(test === undefined ? [] : [`--tests ${test}`]),
  ];
  return `\nFor example: orgrepo init ${parts.join(' ')}\nFor an example org instead: orgrepo init --template blank`;
}

const typed = (value: string): string =>
  /^[\w./-]+$/.test(value) ? value : value.includes('"') ? quote(value) : `"${value}"`;

async function summaryOf(org: Org, { brief, runs, testsSeconds, reach, forPeople }: SetUp): Promise<string> {
  const { metric, pattern, direction, score, tests, budget } = brief;
  const way = direction === 'minimize' ? 'lower is better' : 'higher is better';
  const rows = [
    ['command', `${score}   ${describeDuration(runs.seconds * 1000)}, jail: ${await levelOf(org)}`],
    [
      'metric',
      `${metric} ${plainNumber(runs.scores[0])}, ${way}${pattern === undefined ? '' : `; found by ${pattern}`}`,
    ],
    ['noise', noiseInWords(runs)],
    ...(tests === undefined
      ? []
      : [['tests', `${tests} passes, ${describeDuration((testsSeconds ?? 0) * 1000)} for each win`]]),
    ['agents', agentsInWords(reach, forPeople)],
    ['a night', nightInWords(runs, budget.nightMs, budget.patience)],
  ];
  return rows.map(([name = '', words = '']) => `${name.padEnd(9)}${words}\n`).join('');
}

const agentsInWords = ({ words }: SearchReach, forPeople: boolean): string =>
  forPeople
    ? `the search agent reads no prose and finds ${words} to change: the brief says agent: human, which is you, or name a model`
    : `the search agent changes ${words}; it reads no prose, a model does`;

function nextSteps(file: string, { forPeople }: SetUp): string {
  const submit = forPeople ? '  orgrepo submit "what to try first"\n' : '';
  return `Nothing is committed yet. Look at ${file}, then:\n  git add ${file} && git commit -m "orgrepo"\n${submit}  orgrepo run\n`;
}

/** `orgrepo/init@1` */
const setUpJson = (
  org: Org,
  file: string,
  { brief, runs, testsSeconds, warnings }: SetUp,
): Record<string, unknown> => ({
  schema: 'orgrepo/init@1',
  root: org.repo.root,
  written: [file],
  kept: [],
  metric: brief.metric,
  pattern: brief.pattern,
  direction: brief.direction,
  sandbox: brief.sandbox,
  harness: brief.harness,
  include: brief.include,
  score: brief.score,
  tests: brief.tests,
  samples: runs.scores,
  seconds: runs.seconds,
  deterministic: runs.scores.length > 1 ? !hasNoise(runs) : undefined,
  spread: runs.scores.length > 1 ? spreadOfRuns(runs) : undefined,
  tests_seconds: testsSeconds,
  warnings,
});
