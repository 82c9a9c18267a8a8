import { countOf } from '../report/words/numbers.ts';
import { type Look, type Paint, spell } from '../terminal/look.ts';
import { visible } from '../terminal/visible.ts';
import { cut, fit } from '../terminal/width.ts';
import { type AttackReport, type AttackResult, attackExit } from './attack-outcome.ts';

const colours: Readonly<Record<AttackResult['end'], keyof Paint>> = {
  refused: 'green',
  'no gain': 'green',
  'as it should': 'dim',
  'none known': 'yellow',
  'not tried': 'yellow',
  'got through': 'red',
  'not as it should': 'red',
};

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
