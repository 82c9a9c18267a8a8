/** What is known of the values at one place of an answer. */
interface Shape {
  /** How many values there were. */
  seen: number;
  /** `string`, `number`, `boolean` or `null`; for a schema its text. */
  readonly types: Set<string>;
  objects: number;
  readonly fields: Map<string, Shape>;
  items: Shape | undefined;
}

/** An org chooses the keys of these: the numbers of its harness, its departments. */
const named = /(^|\.)(guards|caps\.departments)$/;
/** A tool chooses the keys of this: its arguments. */
const foreign = /(^|\.)parts\[\]\.input$/;

/** The keys of some answers with their types, a line each: `agents[].spec?: string`. Some answers lack a key with a `?`. */
export function shapeOf(values: readonly unknown[]): readonly string[] {
  const shape = newShape();
  for (const value of values) add(shape, value, '');
  return linesOf(shape, '').sort();
}

const newShape = (): Shape => ({ seen: 0, types: new Set(), objects: 0, fields: new Map(), items: undefined });

function add(shape: Shape, value: unknown, path: string): void {
  shape.seen += 1;
  if (foreign.test(path)) shape.types.add(typeOf(value));
  else if (Array.isArray(value)) {
    shape.items ??= newShape();
    for (const one of value) add(shape.items, one, `${path}[]`);
  } else if (typeof value === 'object' && value !== null) {
    shape.objects += 1;
    for (const [name, inside] of Object.entries(value)) {
      const key = named.test(path) ? '<name>' : name;
      const field = shape.fields.get(key) ?? newShape();
      shape.fields.set(key, field);
      add(field, inside, path === '' ? key : `${path}.${key}`);
    }
  } else
    shape.types.add(typeof value === 'string' && /(^|\.)schema$/.test(path) ? JSON.stringify(value) : typeOf(value));
}

const typeOf = (value: unknown): string => (value === null ? 'null' : typeof value);

function linesOf({ types, objects, fields, items }: Shape, path: string): string[] {
  const plain = [...types].sort();
  if (objects > 0 && fields.size === 0) plain.push('{}');
  if (items?.seen === 0) plain.push('[]');
  return [
    ...(plain.length === 0 ? [] : [`${path}: ${plain.join(' | ')}`]),
    ...[...fields].flatMap(([key, field]) => {
      const mark = field.seen < objects && key !== '<name>' ? '?' : '';
      return linesOf(field, `${path === '' ? '' : `${path}.`}${key}${mark}`);
    }),
    ...(items === undefined || items.seen === 0 ? [] : linesOf(items, `${path}[]`)),
  ];
}
