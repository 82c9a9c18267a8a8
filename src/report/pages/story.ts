import type { Experiment } from '../../domain/words/experiment.ts';
import { isoTime, timeWord } from '../../terminal/times.ts';
import { visible } from '../../terminal/visible.ts';
import { cut } from '../../terminal/width.ts';
import { verdictWords } from '../words/verdict-words.ts';

/** What somebody said of a spec: a plan, a critique, a review. */
export interface StoryStatement {
  readonly event: string;
  readonly agent: string;
  readonly text: string;
  readonly at: number;
  readonly cause: string | undefined;
  readonly approves: boolean | undefined;
  /** Why nothing was said, or what is waited for. */
  readonly reason?: string | undefined;
}

/** How a spec came to where it is: what was planned, challenged, tried and reviewed, a line each. None where nobody spoke. */
export function storyLines(
  talk: readonly StoryStatement[],
  experiments: readonly Experiment[],
  edge: number,
): readonly string[] {
  if (talk.length === 0) return [];
  const beats = [
    ...talk.filter(({ cause }) => cause === undefined).map((said) => ({ at: said.at, line: lineOf(said) })),
    ...experiments.flatMap((one) => [
      { at: one.at, line: { who: one.agent, what: `#${one.n}`, words: `${verdictOf(one, talk)}: ${one.title}` } },
      ...talk.filter(({ cause }) => cause === one.commit).map((said) => ({ at: said.at, line: lineOf(said) })),
    ]),
  ];
  const wide = {
    what: widest(beats.map(({ line }) => line.what)),
    who: widest(beats.map(({ line }) => visible(line.who))),
  };
  return beats.map(({ at, line: { who, what, words } }, index) => {
    const head = `${(index === 0 ? 'story' : '').padEnd(10)}${timeWord(at)}  ${what.padEnd(wide.what)}  ${visible(who).padEnd(wide.who)}  `;
    return head + cut(visible(words), Math.max(20, edge - head.length));
  });
}

const widest = (words: readonly string[]): number => Math.max(...words.map((word) => word.length));

const lineOf = ({ event, agent, text, approves, reason }: StoryStatement) => ({
  who: agent,
  what: event,
  words: `${approves === undefined ? '' : approves ? 'approved: ' : 'rejected: '}${firstWords(text) ?? reason ?? 'said nothing'}`,
});

/** Before anybody reviewed it, a rejected change was a win. */
const verdictOf = ({ event, commit }: Experiment, talk: readonly StoryStatement[]): string =>
  event === 'rejected' && talk.some(({ cause }) => cause === commit)
    ? verdictWords.keep.word
    : verdictWords[event].word;

/** The first line that is no heading. */
const firstWords = (text: string): string | undefined =>
  text.split('\n').find((line) => line.trim() !== '' && !/^#{1,6} /.test(line));

/** What was said, for a program. */
export const talkJson = ({ event, agent, text, at, approves }: StoryStatement): Readonly<Record<string, unknown>> => ({
  event,
  agent,
  at: isoTime(at),
  ...(approves === undefined ? {} : { approves }),
  text,
});
