import type { Place, Problem } from '../text/problem.ts';
import type { Paint } from './look.ts';
import { visible, visibleLines } from './visible.ts';

/** What is wrong, where, and what to type. */
export function formatProblem(problem: Problem, paint: Paint): string {
  const [what = '', ...more] = visibleLines(problem.message).split('\n');
  const where = problem.place === undefined ? '' : placeWords(problem.place);
  const hints = visibleLines(problem.hint).split('\n');
  const lines = [
    `${paint.red('error')}  ${paint.bold(what)}  ${paint.dim(problem.code)}`,
    ...more.map((line) => `  ${line}`),
    ...(where === '' || problem.message.includes(where) ? [] : [`  ${where}`]),
    ...(problem.hint === '' ? [] : hints.map((hint, index) => `  ${index === 0 ? paint.bold('try') : '   '}  ${hint}`)),
  ];
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

/** The same for a program; what is not known is left out. */
export function problemJson({ code, message, hint, place }: Problem): Record<string, unknown> {
  return {
    error: {
      code,
      message,
      ...(place === undefined ? {} : { file: place.file }),
      ...(place?.line === undefined ? {} : { line: place.line }),
      ...(place?.column === undefined ? {} : { column: place.column }),
      hint,
    },
  };
}

function placeWords({ file, line, column }: Place): string {
  return [visible(file), ...[line, column].filter((part) => part !== undefined)].join(':');
}
