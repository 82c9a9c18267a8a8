import { type Decision, formatReasons, formatResult } from '../domain/rules/act.ts';
import { changeWord, citations, countOf, scoreWord, shortCommit } from '../report/words/numbers.ts';
import { type Look, spell } from '../terminal/look.ts';
import { visible } from '../terminal/visible.ts';
import type { LandScore } from './land-checks.ts';
import type { LandRules } from './land-rules.ts';
import type { Landing } from './plan-land.ts';

/** A landing for people: what, where to, and what it is worth. `branch` is the one it goes to, where that is not the trunk itself. */
export const landStory = (
  { trunk, kept, files, pinned }: Landing,
  rules: LandRules,
  branch: string | undefined,
  score: LandScore,
  policy: Decision | undefined,
) => ({
  way: branch === undefined ? rules.way : ('branch' as const),
  trunk: trunk.name,
  to: branch ?? trunk.name,
  kept: kept.map(({ experiment }) => experiment),
  files,
  metric: pinned.brief.metric,
  score: score.score,
  /** The trunk's own score. */
  before: score.before,
  recorded: score.recorded,
  warnings: [...rules.warnings, ...score.doubts],
  gates: rules.gates,
  forYou: rules.forYou,
  policy: policy && policyWords(policy),
});

export type LandStory = ReturnType<typeof landStory>;

/** `allow; policies/default.cedar:18 ordinary-landing`. */
const policyWords = ({ result, reasons }: Decision): string =>
  [formatResult(result), formatReasons(reasons)].filter((part) => part !== '').join('; ');

/** Once it is done: the commit, and what a person may type next. */
interface LandEnd {
  readonly commit: string;
  readonly next: readonly string[];
}

export function formatLandPlan(story: LandStory, look: Look): string {
  const { way, trunk, to, kept, warnings, gates, forYou } = story;
  const [first, ...more] = story.files.map(
    ({ path, added, deleted }) => `${visible(path)} +${added ?? '?'} -${deleted ?? '?'}`,
  );
  const rest = more.length === 0 ? '' : ` and ${countOf(more.length, 'more file')}`;
  const landed = kept.map(({ n }) => n);
  const row = [to, citations(landed, 8), `${first}${rest}`, scoresIn(story)];
  const lines = [
    way === 'branch' ? `1 branch from ${trunk}, with one commit` : `1 commit on ${trunk} itself`,
    `  ${row.join('   ')}   re-measured after squashing`,
    ...warnings.map((words) => labelled('note', visible(words), look.paint.yellow)),
    ...gates.map(({ words, command }) =>
      labelled('must pass', `${visible(command)}${words === command ? '' : `   ${visible(words)}`}`),
    ),
    ...forYou.map((words) => labelled('for you to check', visible(words))),
    ...(story.policy === undefined ? [] : [labelled('policies say', visible(story.policy))]),
  ];
  return spell(`${lines.join('\n')}\n`, look);
}

const labelled = (label: string, words: string, paint = (text: string): string => text): string =>
  `  ${paint(label.padEnd(16))}  ${words}`;

export function formatLanded({ to }: LandStory, { commit, next }: LandEnd, look: Look): string {
  const lines = [
    `${look.paint.green('landed')} on ${to}: ${shortCommit(commit)}`,
    ...next.map((typed, index) => `${index === 0 ? 'next' : '    '}  ${typed}`),
  ];
  return spell(`${lines.join('\n')}\n`, look);
}

/** `orgrepo/land@1`: what is not known is left out. */
export const landJson = (story: LandStory, end: LandEnd | undefined): Record<string, unknown> => ({
  schema: 'orgrepo/land@1',
  did: end === undefined ? 'dry-run' : 'land',
  way: story.way,
  trunk: story.trunk,
  to: story.to,
  ...end,
  metric: story.metric,
  score: story.score,
  before: story.before,
  recorded: story.recorded,
  experiments: story.kept.map(({ n, commit, spec, agent, title, score, best }) => ({
    n,
    commit,
    spec,
    agent,
    title,
    score,
    best,
  })),
  files: story.files,
  warnings: story.warnings,
  gates: story.gates,
  for_you: story.forYou,
  policy: story.policy,
});

/** A longer list is in git anyway, and a message has an end. */
const mostListed = 60;

/** What the commit says: the change in the title, and below it each experiment with what it gained and who made it. */
export function landMessage(story: LandStory): { readonly title: string; readonly body: string } {
  const { kept } = story;
  const [only] = kept;
  const what = kept.length === 1 && only !== undefined ? only.title : countOf(kept.length, 'win');
  const short = what.length > 80 ? `${what.slice(0, 79)}…` : what;
  const rows = kept
    .slice(0, mostListed)
    .map(
      ({ n, best, score, agent, commit, title }) =>
        `- #${n} ${scoreWord(best)} -> ${scoreWord(score)} (${changeWord(best, score)}), ${agent}, ${shortCommit(commit)}: ${title.slice(0, 100)}`,
    );
  const rest = kept.length > mostListed ? [`- and ${kept.length - mostListed} more`] : [];
  return { title: `land: ${short} (${scoresIn(story)})`, body: [...rows, ...rest].join('\n') };
}

const scoresIn = ({ metric, before, score }: LandStory): string =>
  `${visible(metric)} ${before === undefined ? '' : `${scoreWord(before)} -> `}${scoreWord(score)}`;
