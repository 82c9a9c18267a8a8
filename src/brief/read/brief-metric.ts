import { isMetricName, whyNoMetricPattern } from '../../domain/words/printed-numbers.ts';
import { type Field, readLine, readMap, wrongValue } from '../../text/field.ts';

export const readMetric = (field: Field): string => readMetricName(metricParts(field)?.get('name') ?? field);

function readMetricName(field: Field): string {
  const expected = 'a name such as waste_pct';
  const hint = 'Use the name that the harness prints: letters, digits, _ . and -, at most 64 of them.';
  const name = readLine(field, expected, hint);
  if (!isMetricName(name)) throw wrongValue(field, expected, hint);
  return name;
}

const metricHint = "Write metric: waste_pct, or metric: { name: ops, pattern: 'x ([\\d,.]+) ops/sec' }.";

const metricParts = (field: Field) =>
  field.value.kind === 'map' ? readMap(field, 'a name', metricHint, ['name', 'pattern']) : undefined;

/** What finds the metric where the harness prints no line `name: number`: one pair of parentheses, around the number. */
export function readPattern(field: Field): string | undefined {
  const parts = metricParts(field);
  if (parts === undefined) return undefined;
  const pattern = parts.get('pattern');
  if (!parts.has('name') || pattern === undefined) throw wrongValue(field, `a map with name and pattern`, metricHint);
  readLine(pattern, 'a regular expression', metricHint);
  const text = pattern.value.kind === 'scalar' ? pattern.value.text : ''; // Blanks at its ends are part of it.
  const why = whyNoMetricPattern(text);
  if (why === undefined) return text;
  throw wrongValue(pattern, why, metricHint);
}
