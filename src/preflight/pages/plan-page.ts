import type { SearchReach } from '../../agents/search/search-reach.ts';
import type { Charter, Setting } from '../../domain/staff/charter.ts';
import type { Budget } from '../../domain/words/brief.ts';
import { type Cap, type Scope, scopes } from '../../domain/words/spending.ts';
import { defaultCharter } from '../../org/read/org-file.ts';
import type { ShownSetting } from '../../org/settings/org-settings.ts';
import { settingsOf } from '../../org/write/charter-values.ts';
import { countOf, hanging, scoreWord, shortCommit, singleStageWords } from '../../report/words/numbers.ts';
import { cut, fit, type Look, spell } from '../../terminal/look.ts';
import { visible } from '../../terminal/visible.ts';
import type { Problem } from '../../text/problem.ts';
import { formatCount, formatDuration } from '../../text/quantity.ts';
import { isOrgChange, loginInWords, type Plan, type PlannedChange } from '../org-plan.ts';
import { agentRows, row, signOf, signs } from './plan-agents.ts';

/** What a run would be, on one screen; a sign before each part says whether it is new since the last run. */
export function formatPlan(plan: Plan, look: Look): string {
  const since = plan.lastRun === undefined ? 'nothing has run yet' : `last run ${visible(plan.lastRun)}`;
  const lines = [
    look.paint.bold(cut(`Plan for ${visible(plan.name)} · ${since}`, look.edge)),
    '',
    ...[
      ...agentRows(plan),
      row(
        'Harness',
        signOf(plan, 'harness'),
        visible(plan.brief.harness),
        `pinned at ${shortCommit(plan.harness.id)}, ${countOf(plan.harness.files, 'file')}`,
      ),
      row('Brief', signOf(plan, 'brief'), visible(plan.file), briefWords(plan)),
      ...keyChanges(plan).map(changeRow),
      ...orgRows(plan, look),
    ].map((line) => cut(line, look.edge)),
    ...paragraph('Measured', measuredWords(plan), look.columns),
    ...(plan.search === undefined ? [] : paragraph('Search', searchWords(plan.search), look.columns)),
    ...paragraph('Starts at', startWords(plan), look.columns),
    ...paragraph('Budget', budgetWords(plan), look.columns),
    ...paragraph('Paid', plan.logins.map((login) => visible(loginInWords(login))).join(' · '), look.columns),
    ...plan.warnings.flatMap((warning) => ['', ...warningLines(warning, look)]),
    '',
    `${countWords(plan.changes)}   ${look.typed('Start it: orgrepo run')}`,
  ];
  return spell(`${lines.join('\n')}\n`, look);
}

/** What changed inside the brief, key by key. */
const keyChanges = ({ changes }: Plan): readonly PlannedChange[] =>
  changes.filter((change) => change.what !== 'brief' && change.what !== 'harness' && !isOrgChange(change));

const changeRow = (change: PlannedChange): string => row('', signs[change.kind], visible(change.what), fromTo(change));

/** The organisation's file, its presets, and what changed in it beside its agents. */
function orgRows(plan: Plan, { typed }: Look): readonly string[] {
  const changed = plan.changes.filter((change) => isOrgChange(change) && !change.what.startsWith('agents.'));
  const { charter } = plan;
  if (charter === undefined && changed.length === 0) return [];
  const differs = changed.some(({ what }) => !/^(?:policies|signers)/.test(what));
  if (charter === undefined && !differs)
    // There was no file before either.
    return [row('Org', '=', 'no file', 'no ORG.md: the default organisation'), ...changed.map(changeRow)];
  const sign = differs ? '~' : plan.lastRun === undefined ? '+' : '=';
  const words = charter === undefined ? 'no ORG.md any more' : typed(presetWords(charter));
  return [row('Org', sign, visible(charter?.file ?? 'no file'), words), ...changed.map(changeRow)];
}

function presetWords({ culture, sdlc }: Charter): string {
  const preset = (name: string, { value, from }: Setting<string | undefined>): string =>
    value === undefined ? `${name} by default` : `${name} ${value} (${visible(from)})`;
  return `${preset('culture', culture.preset)} · ${preset('SDLC', sdlc.preset)} · each value: orgrepo plan --settings`;
}

const fromTo = ({ from, to }: PlannedChange): string =>
  [from, to]
    .filter((value) => value !== undefined)
    .map(visible)
    .join(' -> ');

function briefWords({ brief, changes, file }: Plan): string {
  const target = brief.target === undefined ? '' : `, target ${scoreWord(brief.target)}`;
  const changed = changes.find(({ what }) => what === 'brief')?.from;
  const look = changed === undefined ? '' : ` · git diff ${shortCommit(changed)} HEAD:${visible(file)}`;
  return `${visible(brief.metric)}, ${brief.direction}${target}${look}`;
}

function measuredWords({ brief }: Plan): string {
  const { run, score, tests, slots, sandbox } = brief;
  return [
    run === undefined ? visible(score) : `${visible(run)}, then ${visible(score)}`,
    ...(run === undefined ? [singleStageWords] : []),
    `${slots === 1 ? 'one' : slots} at a time`,
    ...(tests === undefined ? [] : [`a win must pass ${visible(tests)}`]),
    `agents may change ${sandbox.map(visible).join(', ')}`,
  ].join(' · ');
}

function startWords({ start, brief }: Plan): string {
  if (start === undefined) return 'not measured';
  const what = start.fromBest || start.seconds === undefined ? 'the best so far' : 'the trunk';
  const again = start.fromBest ? ' again on the new trunk' : '';
  const time = start.seconds === undefined ? '' : `, measured${again} just now in ${start.seconds.toFixed(1)} s`;
  return `${visible(brief.metric)} ${scoreWord(start.score)} (${what}${time})`;
}

const searchWords = ({ words }: SearchReach): string =>
  `search agents change ${visible(words)}; they do not read prose, a model does`;

/** `$0.5`, `50k tokens in`. */
const capParts = ({ usd, tokensIn, tokensOut }: Cap): readonly string[] => [
  ...(usd === undefined ? [] : [`$${usd}`]),
  ...(tokensIn === undefined ? [] : [`${formatCount(tokensIn)} tokens in`]),
  ...(tokensOut === undefined ? [] : [`${formatCount(tokensOut)} tokens out`]),
];

function capWords(scope: Scope, cap: Cap = {}): readonly string[] {
  const [parts, bytes] = [capParts(cap), cap.requestBytes];
  return [
    ...(parts.length === 0 ? [] : [`${parts.join(', ')} per ${scope}`]),
    ...(bytes === undefined ? [] : [`requests up to ${formatCount(bytes)} bytes`]),
  ];
}

function budgetWords({ brief: { budget, caps } }: Plan): string {
  return [
    `${formatDuration(budget.nightMs)} a night`,
    `${experimentWords(budget)} per experiment`,
    `${formatDuration(budget.agentMs)} per agent`,
    `${countOf(budget.attempts, 'try', 'tries')} per spec`,
    `stops after ${countOf(budget.patience, 'experiment')} without progress`,
    ...capParts(budget),
    ...scopes.flatMap((scope) => capWords(scope, scope === 'night' ? undefined : caps[scope])),
  ].join(' · ');
}

const experimentWords = ({ experimentMs, experimentTimes }: Budget): string =>
  experimentTimes === undefined
    ? formatDuration(experimentMs)
    : `${experimentTimes} times what the start takes, at most ${formatDuration(experimentMs)},`;

const paragraph = (part: string, words: string, columns: number): readonly string[] =>
  hanging(`  ${part.padEnd(10)} `, words, columns);

/** What a person should know, and how it is put right. */
export const warningLines = ({ message, hint }: Problem, { columns, paint, typed }: Look): readonly string[] => [
  ...hanging('  warn  ', visible(message), columns, (heading) => heading.replace('warn', paint.yellow)),
  `        fix: ${typed(visible(hint))}`,
];

function countWords(changes: readonly PlannedChange[]): string {
  const count = (kind: PlannedChange['kind']): number => changes.filter((change) => change.kind === kind).length;
  if (changes.length === 0) return 'Nothing has changed since the last run.';
  return `${count('add')} to add, ${count('change')} to change, ${count('remove')} to remove.`;
}

/** Every value of culture, SDLC and policies, and where it was said. */
export function formatSettings(charter: Charter | undefined, look: Look): string {
  const settings = settingsOf(charter ?? defaultCharter());
  const widest = (of: (one: ShownSetting) => string): number =>
    Math.max(...settings.map((one) => visible(of(one)).length));
  const name = widest(({ what }) => what);
  const value = widest((one) => one.value);
  const lines = settings.map(({ what, value: said, from, why }) => {
    const words = `${fit(visible(what), name)}  ${fit(visible(said), Math.max(Math.min(40, value), visible(said).length))}`;
    return cut(`  ${words}  ${visible(from)}${why === undefined ? '' : ` · ${visible(why)}`}`, look.edge).trimEnd();
  });
  return spell(`\n${look.paint.bold('Settings, and where each was said')}\n\n${lines.join('\n')}\n`, look);
}
