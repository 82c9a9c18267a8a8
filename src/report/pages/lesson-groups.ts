import { type Experiment, isKept } from '../../domain/words/experiment.ts';

export type Group = ReturnType<typeof groupBy>[number];

/** Experiments that have something in common: a place, a spec, an agent, a reason. */
export function groupBy(experiments: readonly Experiment[], namesOf: (experiment: Experiment) => readonly string[]) {
  return [...byName(experiments, namesOf)].map(([name, all]) => ({
    ...{ name, all, kept: all.filter(isKept) },
    scored: all.filter(({ score }) => score !== undefined),
  }));
}

/** The same things by what they have in common, each as often as it has names. */
export function byName<One>(all: readonly One[], namesOf: (one: One) => readonly string[]): Map<string, One[]> {
  const groups = new Map<string, One[]>();
  for (const one of all)
    for (const name of new Set(namesOf(one))) {
      const group = groups.get(name);
      if (group === undefined) groups.set(name, [one]);
      else group.push(one);
    }
  return groups;
}

/** The places that an agent says it changed: `pack.mjs:12` or `pack.mjs:12-18`, from the title or else from the notes. */
export function placesChanged({ title, notes }: Experiment): readonly string[] {
  const inTitle = placesIn(title);
  return inTitle.length > 0 ? inTitle : placesIn(notes);
}

/** Word by word: a pattern that may start anywhere takes quadratic time on text made to slow it down. */
const placesIn = (text: string): readonly string[] =>
  text
    .slice(0, 2000)
    .split(/[\s,;()"'`]+/)
    .map((word) => word.replace(/[.:]$/, ''))
    .filter((word) => word.length < 200 && /^[\w@+./-]+\.\w{1,8}:\d{1,7}(?:-\d{1,7})?$/.test(word));

/** How large a step was, as a part of the old value, where the title says `46 -> 128`. */
export function stepSizeOf({ title }: Experiment): number | undefined {
  const step = /(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?) ?(?:->|→) ?(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)/i.exec(title.slice(0, 200));
  if (step === null) return undefined;
  const [from, to] = [Number(step[1]), Number(step[2])];
  return from === 0 ? undefined : Math.abs(to - from) / Math.abs(from);
}

/**
 * How likely it is that at least `hits` of `drawn` balls are red by luck alone, when `red` of `all` are. It keeps the
 * report from calling something a lesson that a shuffled notebook would show as well.
 */
export function chanceOfAtLeast(hits: number, drawn: number, red: number, all: number): number {
  let chance = 0;
  for (let count = hits; count <= Math.min(drawn, red); count++) {
    if (drawn - count > all - red) continue;
    chance += Math.exp(logChoose(red, count) + logChoose(all - red, drawn - count) - logChoose(all, drawn));
  }
  return Math.min(1, chance);
}

function logChoose(from: number, take: number): number {
  let sum = 0;
  for (let index = 1; index <= Math.min(take, from - take); index++) sum += Math.log((from - index + 1) / index);
  return sum;
}
