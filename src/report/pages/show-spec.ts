import type { Experiment } from '../../domain/words/experiment.ts';
import type { PersonsPart, SpecStory } from '../../domain/words/spec.ts';
import type { WinPlace } from '../../domain/words/taken.ts';
import { cut, fit, fitRight, type Look, spell } from '../../terminal/look.ts';
import { visible, visibleLines } from '../../terminal/visible.ts';
import { changeWord, countOf, hanging, scoreWord, shortCommit } from '../words/numbers.ts';
import { takenJson, wordsFor } from '../words/verdict-words.ts';
import { experimentJson } from './log-page.ts';

/** One spec in full: its text, who has it, what was tried; and for a person what to do next. */
export function formatSpecStory(story: SpecStory, told: readonly string[], look: Look): string {
  const { spec, person, experiments } = story;
  const body = visibleLines(spec.body).trimEnd();
  const lines = [
    look.paint.bold(`${spec.id}  ${visible(spec.title)}`),
    ...paragraph('by', visible(spec.by), look.columns),
    ...paragraph('state', stateWords(story), look.columns),
    ...(spec.risk === undefined || spec.risk === 'low' ? [] : paragraph('risk', spec.risk, look.columns)),
    ...told,
    ...(person === undefined ? [] : personsLines(story, person, look)),
    ...(body === '' ? [] : ['', ...body.split('\n')]),
    ...(experiments.length === 0 ? [] : ['', look.paint.bold('notebook')]),
    ...experiments.map((one) => cut(experimentLine(one), look.edge)),
    '',
    look.paint.dim(
      story.agent === undefined
        ? `git show orgrepo/queue -- specs/`
        : `git log --first-parent orgrepo/work/${spec.id}${experiments.length === 0 ? '' : `   ·   orgrepo show ${experiments.at(-1)?.n}   ·   orgrepo show ${spec.id} --trace`}`,
    ),
  ];
  return spell(`${lines.join('\n')}\n`, look);
}

/** `orgrepo/spec@1`: what is not known is left out. */
export function specStoryJson(story: SpecStory, places: ReadonlyMap<number, WinPlace>): Record<string, unknown> {
  const { spec, agent, ended, used, attempts, score, person } = story;
  const { id, title, by, role, risk, body } = spec;
  return {
    schema: 'orgrepo/spec@1',
    ...{ id, title, by, role, risk, state: stateOf(story), agent, ended, used, attempts, score, body },
    ...(person === undefined ? {} : { ...person, left_behind: person.leftBehind, leftBehind: undefined }),
    experiments: story.experiments.map((one) => ({ ...experimentJson(one), ...takenJson(places.get(one.n)) })),
  };
}

function stateOf({ agent, ended, person }: SpecStory): 'open' | 'claimed' | 'waiting' | 'offered' | 'done' {
  if (ended !== undefined) return 'done';
  if (person?.said !== undefined) return 'offered';
  if (agent === undefined) return 'open';
  return person === undefined ? 'claimed' : 'waiting';
}

function stateWords(story: SpecStory): string {
  const { agent, ended, used, attempts, person, metric, score, best } = story;
  const who = agent === undefined ? '' : visible(agent);
  const tries = `${attempts === undefined ? countOf(used, 'attempt') : `${used} of ${countOf(attempts, 'attempt')}`} used`;
  const line =
    score === undefined || Number.isNaN(score) ? [] : [`its line scores ${visible(metric)} ${scoreWord(score)}`];
  const moved = best === undefined ? [] : [`best is at ${scoreWord(best)} by now`];
  if (ended !== undefined) return [`done by ${who}: ${visible(ended)}`, tries, ...line].join(' · ');
  if (agent === undefined)
    return person === undefined ? 'open: the next junior takes it' : 'for a person; no run has laid its bench yet';
  return [person === undefined ? `claimed by ${who}` : waitWords(person), tries, ...line, ...moved].join(' · ');
}

function waitWords({ said }: PersonsPart): string {
  if (said === 'close') return 'closed by a person; the next run takes it off the queue';
  if (said === undefined) return 'waits for you';
  return `offered as ${shortCommit(said.commit)}, "${visible(said.title)}"; a run measures it`;
}

/** Where to edit, what is there, and what to type. */
function personsLines({ spec }: SpecStory, part: PersonsPart, { columns, paint }: Look): readonly string[] {
  const { bench, edited, overstep, said, leftBehind } = part;
  if (said === 'close') return [];
  if (bench === undefined) return paragraph('next', 'npx orgrepo run   lays the bench', columns);
  const offers = edited.length === 0 ? 'nothing yet' : edited.map(visible).join(', ');
  const behind = `#${leftBehind} was taken in another form, and your files were left alone: git diff shows what you would undo`;
  const done = `npx orgrepo submit --done ${spec.id} --title "what you did"`;
  return [
    `bench     ${visible(bench)}`,
    ...paragraph('edited', offers, columns),
    ...(overstep === undefined ? [] : paragraph('', paint.red(`not allowed: ${visible(overstep)}`), columns)),
    ...(leftBehind === undefined ? [] : paragraph('', paint.yellow(behind), columns)),
    `next      edit in the bench, and look at it there: git diff`,
    ...(said === undefined ? [] : ['          npx orgrepo run']),
    `          ${done}`,
    `          npx orgrepo submit --close ${spec.id}   when you are through with it`,
  ];
}

function experimentLine(experiment: Experiment): string {
  const { n, score, best, title } = experiment;
  const { sign, word } = wordsFor(experiment);
  const change = score === undefined || best === undefined ? '' : changeWord(best, score);
  const number = score === undefined ? '–' : scoreWord(score);
  return `  ${fitRight(`#${n}`, 5)}  ${sign} ${fit(word, 12)}  ${fitRight(number, 9)}  ${fitRight(change, 8)}  ${visible(title)}`;
}

const paragraph = (name: string, words: string, columns: number): readonly string[] =>
  hanging(name.padEnd(10), words, columns);
