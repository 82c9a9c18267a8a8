import type { Brief } from '../../domain/words/brief.ts';
import type { Fields } from '../../text/field.ts';
import { readFrontMatter } from '../../text/front-matter.ts';
import { formatBrief } from './brief-text.ts';

/** What a brief enforces, key by key, as it would be written: `budget.night` is `8h`. For telling two briefs apart. */
export function briefValues(brief: Brief): ReadonlyMap<string, string> {
  const { fields } = readFrontMatter(formatBrief({ ...brief, prose: '' }), 'program.md', 'brief');
  return new Map(valuesIn(fields ?? new Map()));
}

function valuesIn(fields: Fields): readonly (readonly [string, string])[] {
  return [...fields.values()].flatMap(({ name, value }) => {
    if (value.kind === 'map') return valuesIn(value.fields);
    if (value.kind === 'list')
      return [[name, value.items.map((item) => (item.value.kind === 'scalar' ? item.value.text : '')).join(', ')]];
    return value.kind === 'scalar' ? [[name, value.text]] : [];
  });
}
