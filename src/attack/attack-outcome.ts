import type { Direction } from '../domain/words/brief.ts';
import type { Outcome } from '../domain/words/experiment.ts';
import { gainOver } from '../domain/words/score.ts';
import { countOf } from '../report/words/numbers.ts';
import { cut, fit, type Look, type Paint, spell } from '../terminal/look.ts';
import { visible } from '../terminal/visible.ts';

/** What became of an attempt to cheat, or of a control. */
export interface AttackResult {
  readonly name: string;
  readonly control: boolean;
  readonly end: keyof typeof colours;
  /** How one knows. */
  readonly how: string;
}

/** What the base of the attacks scores, measured several times. */
export interface AttackBase {
  readonly scores: readonly number[];
  readonly direction: Direction;
  readonly minEffect: number;
}

/** Whether a score is better than the base by more than its own measurements differ. */
export function isTooGood(score: number, { scores, direction, minEffect }: AttackBase): boolean {
  const best = scores.reduce((one, other) => (gainOver(other, one, direction) > 0 ? other : one));
  const spread = Math.max(...scores) - Math.min(...scores);
  return gainOver(score, best, direction) > Math.max(minEffect, 2 * spread);
}

/** Whether a score is neither better nor worse than that. */
export const isLike = (score: number, base: AttackBase): boolean =>
  !isTooGood(score, base) &&
  !isTooGood(score, { ...base, direction: base.direction === 'minimize' ? 'maximize' : 'minimize' });

/** A score so good that nobody reaches it honestly. */
export function wonderfulScore({ scores, direction }: AttackBase): number {
  const [score = 0] = scores;
  const step = Math.abs(score) * 0.9 + (score === 0 ? 1 : 0);
  return Number((direction === 'minimize' ? score - step : score + step).toPrecision(4));
}

/** How an outcome reads in a table. */
export function outcomeInWords(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'scored':
      return `scored ${outcome.score}`;
    case 'timed-out':
      return `timeout after ${(outcome.afterMs / 1000).toFixed(1)} s`;
    case 'crashed':
      return `crash: ${outcome.reason}`;
    case 'void':
      return `void: ${outcome.reason}`;
  }
}

export interface AttackReport {
  readonly harness: string;
  readonly jail: string;
  readonly base: AttackBase;
  readonly results: readonly AttackResult[];
  /** Files of the sandbox without an attack. */
  readonly untouched: readonly string[];
}

/** 5 when anything came through, 1 when the controls say that the attacks themselves are worth nothing. */
export function attackExit({ results }: AttackReport): number {
  if (results.some(({ end }) => end === 'got through')) return 5;
  if (results.some(({ end }) => end === 'not as it should')) return 1;
  return results.some(({ end }) => end === 'refused' || end === 'no gain') ? 0 : 1;
}

const colours = {
  refused: 'green',
  'no gain': 'green',
  'as it should': 'dim',
  'none known': 'yellow',
  'not tried': 'yellow',
  'got through': 'red',
  'not as it should': 'red',
} as const satisfies Readonly<Record<string, keyof Paint>>;

/** One row of the table: what was tried, what became of it, and how one knows. */
export function formatAttackRow({ name, control, end, how }: AttackResult, look: Look): string {
  const word = end === 'got through' ? 'GOT THROUGH' : end;
  const row = `  ${fit(control ? `(control) ${name}` : name, 32)}  ${fit(word, 16)}  ${visible(how)}`;
  const short = colours[end] === 'red' ? row : cut(row, look.edge); // What must be put right is said in full.
  return spell(look.paint[colours[end]](short.trimEnd()), look);
}

/** The last lines: what it comes to. */
export function formatAttackEnd(report: AttackReport, look: Look): string {
  const count = (end: AttackResult['end']): number => report.results.filter((one) => one.end === end).length;
  const tried = count('refused') + count('no gain') + count('got through');
  const lines = [
    `${countOf(tried, 'attack')}: ${count('refused')} refused, ${count('no gain')} without gain, ${count('got through')} got through; jail: ${report.jail}`,
    ...(report.untouched.length === 0
      ? []
      : [`not tried: no attack for ${report.untouched.slice(0, 5).map(visible).join(', ')}`]),
    ...(attackExit(report) === 1 ? ['the controls are not as they should be, so this proves nothing'] : []),
  ];
  return `${lines.map((line) => spell(line, look)).join('\n')}\n`;
}

export const attackJson = (report: AttackReport): unknown => ({
  schema: 'orgrepo/attack@1',
  harness: report.harness,
  jail: report.jail,
  base: report.base.scores,
  through: report.results.filter(({ end }) => end === 'got through').length,
  results: report.results,
  not_tried: report.untouched,
});
