import type { Change, Plan } from '../domain/plan.ts';
import type { Problem } from '../domain/problem.ts';
import { formatDuration } from '../text/duration.ts';
import { type Look, spell } from './look.ts';
import { countOf, scoreWord, shortCommit } from './numbers.ts';
import { singleStageWords } from './single-stage.ts';
import { visible } from './visible.ts';
import { cut, fit, wrap } from './width.ts';

/** What a run would be, on one screen; a sign before each part says whether it is new since the last run. */
export function formatPlan(plan: Plan, look: Look): string {
  const since = plan.lastRun === undefined ? 'nothing has run yet' : `last run ${visible(plan.lastRun)}`;
  const lines = [
    look.paint.bold(cut(`Plan for ${visible(plan.name)} · ${since}`, look.columns)),
    '',
    ...[
      ...agentRows(plan),
      row('Harness', signOf(plan, 'harness'), visible(plan.brief.harness), harnessWords(plan)),
      row('Brief', signOf(plan, 'brief'), visible(plan.file), briefWords(plan)),
      ...keyChanges(plan).map((change) => row('', signs[change.kind], visible(change.what), fromTo(change))),
    ].map((line) => cut(line, look.columns)),
    ...paragraph('Measured', measuredWords(plan), look.columns),
    ...paragraph('Starts at', startWords(plan), look.columns),
    ...paragraph('Budget', budgetWords(plan), look.columns),
    ...plan.warnings.flatMap((warning) => ['', ...warningLines(warning, look)]),
    '',
    `${countWords(plan.changes)}   Start it: npx orgrepo run`,
  ];
  return spell(`${lines.join('\n')}\n`, look);
}

/** `orgrepo/plan@1`: what is not known is left out. */
export function planJson(plan: Plan): Record<string, unknown> {
  const { brief, harness, start } = plan;
  return {
    schema: 'orgrepo/plan@1',
    org: {
      name: plan.name,
      agents: plan.agents.map(({ id, level, reportsTo, agent }) => ({
        id,
        name: id,
        level,
        ...(reportsTo === undefined ? {} : { reports_to: reportsTo }),
        agent,
        domain: level === 'chief' ? ['specs/**'] : brief.sandbox,
      })),
      people: [],
      budget: budgetJson(plan),
    },
    brief: {
      file: plan.file,
      id: plan.briefId,
      metric: brief.metric,
      direction: brief.direction,
      ...(brief.target === undefined ? {} : { target: brief.target }),
      sandbox: brief.sandbox,
      ...(brief.run === undefined ? {} : { run: brief.run }),
      score: brief.score,
      stages: brief.run === undefined ? 1 : 2,
    },
    harness: { path: brief.harness, ...harness },
    ...(start === undefined
      ? {}
      : { start: { score: start.score, ...(start.seconds === undefined ? {} : { seconds: start.seconds }) } }),
    ...(plan.lastRun === undefined ? {} : { last_run: plan.lastRun }),
    changes: plan.changes,
    warnings: plan.warnings.map(({ message, hint, place }) => ({ ...place, message, hint })),
  };
}

function budgetJson({ brief: { budget } }: Plan): Record<string, unknown> {
  return {
    experiment_seconds: budget.experimentMs / 1000,
    agent_seconds: budget.agentMs / 1000,
    night_seconds: budget.nightMs / 1000,
    attempts: budget.attempts,
    patience: budget.patience,
    ...(budget.usd === undefined ? {} : { usd: budget.usd }),
    ...(budget.tokensIn === undefined ? {} : { tokens_in: budget.tokensIn }),
    ...(budget.tokensOut === undefined ? {} : { tokens_out: budget.tokensOut }),
  };
}

const signs = { add: '+', remove: '-', change: '~' } as const;

const signOf = ({ changes }: Plan, what: string): string => {
  const change = changes.find((one) => one.what === what);
  return change === undefined ? '=' : signs[change.kind];
};

const row = (part: string, sign: string, name: string, words: string): string =>
  `  ${part.padEnd(10)} ${sign} ${fit(name, Math.max(14, name.length))}  ${words}`;

/** Juniors that are alike are one row: `junior-1..3`. */
function agentRows(plan: Plan): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const { id, level, agent } of plan.agents) {
    const key = JSON.stringify([level, signOf(plan, `agents.${id}`), agent]);
    groups.set(key, [...(groups.get(key) ?? []), id]);
  }
  const rows = [...groups].map(([key, ids], index) => {
    const [level, sign, agent] = JSON.parse(key) as [string, string, string];
    const last = ids.length === 1 ? '' : `..${ids.at(-1)?.replace(/^.*-/, '')}`;
    const does = level === 'chief' ? 'writes specs' : ids.length === 1 ? 'one worktree' : 'one worktree each';
    const name = agent === 'search' ? 'search agent, no model' : visible(agent);
    return row(index === 0 ? 'Agents' : '', sign, `${ids[0]}${last}`, `${name} · ${does}`);
  });
  const gone = plan.changes.filter(({ kind, what }) => kind === 'remove' && what.startsWith('agents.'));
  return [...rows, ...gone.map(({ what, from }) => row('', '-', what.slice(7), visible(from ?? '')))];
}

/** What changed inside the brief, key by key. */
const keyChanges = ({ changes }: Plan): readonly Change[] =>
  changes.filter(({ what }) => what !== 'brief' && what !== 'harness' && !what.startsWith('agents.'));

const fromTo = ({ from, to }: Change): string =>
  [from, to]
    .filter((value) => value !== undefined)
    .map(visible)
    .join(' -> ');

const harnessWords = ({ harness }: Plan): string =>
  `pinned at ${shortCommit(harness.id)}, ${countOf(harness.files, 'file')}`;

function briefWords({ brief, changes, file }: Plan): string {
  const target = brief.target === undefined ? '' : `, target ${scoreWord(brief.target)}`;
  const changed = changes.find(({ what }) => what === 'brief')?.from;
  const look = changed === undefined ? '' : ` · git diff ${shortCommit(changed)} HEAD:${visible(file)}`;
  return `${visible(brief.metric)}, ${brief.direction}${target}${look}`;
}

function measuredWords({ brief }: Plan): string {
  const { run, score, slots, sandbox } = brief;
  return [
    run === undefined ? visible(score) : `${visible(run)}, then ${visible(score)}`,
    ...(run === undefined ? [singleStageWords] : []),
    `${slots === 1 ? 'one' : slots} at a time`,
    `agents may change ${sandbox.map(visible).join(', ')}`,
  ].join(' · ');
}

function startWords({ start, brief }: Plan): string {
  if (start === undefined) return 'not measured';
  const time =
    start.seconds === undefined ? 'the best so far' : `the trunk, measured just now in ${start.seconds.toFixed(1)} s`;
  return `${visible(brief.metric)} ${scoreWord(start.score)} (${time})`;
}

function budgetWords({ brief: { budget } }: Plan): string {
  return [
    `${formatDuration(budget.nightMs)} a night`,
    `${formatDuration(budget.experimentMs)} per experiment`,
    `${formatDuration(budget.agentMs)} per agent`,
    `${countOf(budget.attempts, 'try', 'tries')} per spec`,
    `stops after ${countOf(budget.patience, 'experiment')} without progress`,
    ...(budget.usd === undefined ? [] : [`$${budget.usd}`]),
  ].join(' · ');
}

function paragraph(part: string, words: string, columns: number): readonly string[] {
  const [first = '', ...more] = wrap(words, columns - 13);
  return [`  ${part.padEnd(10)} ${first}`, ...more.map((line) => `${' '.repeat(13)}${line}`)];
}

function warningLines({ message, hint }: Problem, look: Look): readonly string[] {
  const lines = wrap(visible(message), look.columns - 8);
  return [
    ...lines.map((line, index) => `  ${index === 0 ? look.paint.yellow('warn') : '    '}  ${line}`),
    `        fix: ${visible(hint)}`,
  ];
}

function countWords(changes: readonly Change[]): string {
  const count = (kind: Change['kind']): number => changes.filter((change) => change.kind === kind).length;
  if (changes.length === 0) return 'Nothing has changed since the last run.';
  return `${count('add')} to add, ${count('change')} to change, ${count('remove')} to remove.`;
}
