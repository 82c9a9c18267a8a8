/** A spec that policies keep from everybody, by one of their decisions. */
export interface RefusedSpec {
  readonly spec: string;
  /** 12 is D12. */
  readonly n: number;
  /** What the decision says. */
  readonly words: string;
}

/** More than that nobody reads: whoever changes a policy changes it for all of them. */
const most = 20;

/** `0007 D12 a policy is against it: …`, a line for each, as the end of a run says it. */
export const formatRefused = (refused: readonly RefusedSpec[]): string =>
  refused
    .slice(0, most)
    .map(({ spec, n, words }) => `${spec} D${n} ${words.replaceAll(/\s+/g, ' ')}`)
    .join('\n');

export const parseRefused = (text: string): readonly RefusedSpec[] =>
  text.split('\n').flatMap((line) => {
    const [, spec, n, words] = /^([0-9]{4,9}) D([0-9]+) (.*)$/.exec(line) ?? [];
    return spec === undefined || n === undefined || words === undefined ? [] : [{ spec, n: Number(n), words }];
  });
