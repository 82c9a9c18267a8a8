import type { Field } from '../../text/field.ts';
import { readFrontMatter } from '../../text/front-matter.ts';
import type { Place } from '../../text/problem.ts';
import { pricedModel } from './brief-caps.ts';
import { readAliases } from './brief-models.ts';

/**
 * Where a brief says something, for a Problem that is only found when the harness has run: `score`, `guards` and the
 * name of one, or `holdout` and which of them it is, from 0 on. What it leaves to a default stands nowhere, so the file's beginning is named, or the key around it.
 */
export function placeIn(text: string, file: string, ...path: readonly [string, ...string[]]): Place {
  const { fields } = readFrontMatter(text, file, 'brief');
  if (fields === undefined) return placeInProse(text, file, path[0]);
  let within = fields;
  let place: Place = { file, line: 1, column: 1 };
  for (const [depth, key] of path.entries()) {
    const field: Field | undefined = within.get(key);
    if (field === undefined) break;
    place = depth === 0 && path.length === 1 ? field.place : field.keyPlace;
    const item = field.value.kind === 'list' ? field.value.items[Number(path[depth + 1])] : undefined;
    if (item !== undefined) return item.place;
    if (field.value.kind !== 'map') break;
    within = field.value.fields;
  }
  return place;
}

/** The name by which a brief gives the price of a model, as it is written there, and where. */
export function priceIn(text: string, file: string, id: string): { readonly name: string; readonly place: Place } {
  const { fields } = readFrontMatter(text, file, 'brief');
  const prices = fields?.get('prices')?.value;
  const names = prices?.kind === 'map' ? [...prices.fields.keys()] : [];
  const name = (fields && names.find((one) => pricedModel(one, readAliases(fields)) === id)) ?? id;
  return { name, place: placeIn(text, file, 'prices', name) };
}

/** The words that a plain brief has for a key. */
const plainWords: Readonly<Record<string, RegExp>> = {
  metric: /^\s*(?:[-*+]\s+)?scalar\s*:/i,
  target: /^\s*(?:[-*+]\s+)?target\s*:/i,
  direction: /^\s*(?:[-*+]\s+)?target\s*:|\b(?:lower|higher) is better\b|\b(?:mini|maxi)mi[sz]e\b/i,
  sandbox: /^\s*(?:[-*+]\s+)?write\b/i,
  budget: /\b(?:in|out)put tokens\b/i,
  model: /^\s*(?:[-*+]\s+)?model\s*:/i,
};

function placeInProse(text: string, file: string, key: string): Place {
  const words = plainWords[key];
  const line = words === undefined ? -1 : text.split(/\r\n?|\n/).findIndex((each) => words.test(each.slice(0, 1000)));
  return { file, line: Math.max(line, 0) + 1, column: 1 };
}
