import { fromMarkdown } from 'mdast-util-from-markdown';
import { type Place, problemAt } from '../../text/problem.ts';
import { refuseSlowShapes } from './org-guards.ts';

/** A place whose line and column are known. */
export interface Spot extends Place {
  readonly line: number;
  readonly column: number;
}

/** A heading with what stands under it, up to the next one. */
export interface Section {
  /** 1 to 6; 0 for the file itself, which has no heading. */
  readonly depth: number;
  /** Without emphasis and the like. */
  readonly title: string;
  readonly place: Spot;
  /** The last line that is its own, blank ones included: the one before the next heading. */
  readonly end: number;
  readonly blocks: readonly Block[];
  readonly children: readonly Section[];
}

type Block =
  /** A paragraph, as it was written. */
  | { readonly kind: 'prose'; readonly text: string; readonly place: Spot }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly Item[] }
  /** Code and HTML: never metadata. */
  | { readonly kind: 'code'; readonly text: string };

export interface Item {
  /** Its first paragraph, on one line. */
  readonly head: string;
  /** Everything in it, without its marker and indentation. */
  readonly text: string;
  /** The items of lists in it, each on one line. */
  readonly nested: readonly string[];
  readonly marker: string;
  /** Of its text, behind the marker. */
  readonly place: Spot;
}

/**
 * A Markdown file as its headings in their order and nesting. Only blocks are parsed: what is inside a line is looked at
 * by the code that needs it, and half of the ways to keep a parser busy are gone. Headings in code, comments and lists do not count.
 */
export function readSections(source: string, firstLine: number, file: string): Section {
  refuseSlowShapes(source, firstLine, file);
  const page: Page = { source, file, firstLine, lastLine: firstLine - 1 + source.split('\n').length };
  const nodes = fromMarkdown(source, undefined, { extensions: [{ disable: { null: inline } }] }).children;
  const [root, ...rest] = flatten(page, nodes);
  return nest(root as Flat, rest); // The file itself is always there.
}

/** A title as it is compared: `## 🏗 Structure` is the structure. */
export const plainTitle = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** The section itself without those below it, and them. */
export const withChildren = (section: Section): readonly Section[] => [
  section,
  ...section.children.flatMap(withChildren),
];

type Node = ReturnType<typeof fromMarkdown>['children'][number];
type ListItem = Extract<Node, { type: 'list' }>['children'][number];

interface Page {
  readonly source: string;
  readonly file: string;
  readonly firstLine: number;
  readonly lastLine: number;
}

const inline = [
  ...['attention', 'autolink', 'characterEscape', 'characterReference', 'codeText', 'hardBreakEscape', 'htmlText'],
  ...['labelEnd', 'labelStartImage', 'labelStartLink', 'definition', 'blockQuote'],
];

const maxTitle = 300;

type Flat = Omit<Section, 'children'>;

function flatten(page: Page, nodes: readonly Node[]): readonly Flat[] {
  const flat: Flat[] = [];
  let open: { readonly depth: number; readonly title: string; readonly place: Spot; readonly blocks: Block[] } = {
    depth: 0,
    title: '',
    place: { file: page.file, line: page.firstLine, column: 1 },
    blocks: [],
  };
  for (const node of nodes) {
    if (node.type === 'heading') {
      const place = placeOf(page, node);
      flat.push({ ...open, end: place.line - 1 });
      open = { depth: node.depth, title: titleOf(page, node), place, blocks: [] };
    } else open.blocks.push(...blocksOf(page, node));
  }
  return [...flat, { ...open, end: page.lastLine }];
}

/** Each heading under the nearest one above it that is higher. */
function nest(root: Flat, rest: readonly Flat[]): Section {
  const children: Section[] = [];
  let at = 0;
  while (at < rest.length) {
    const head = rest[at];
    if (head === undefined) break;
    let end = at + 1;
    while ((rest[end]?.depth ?? 0) > head.depth) end += 1;
    children.push(nest(head, rest.slice(at + 1, end)));
    at = end;
  }
  return { ...root, children };
}

function blocksOf(page: Page, node: Node): readonly Block[] {
  switch (node.type) {
    case 'paragraph':
      return [{ kind: 'prose', text: sliceOf(page, node), place: placeOf(page, node) }];
    case 'list':
      return [{ kind: 'list', ordered: node.ordered === true, items: node.children.map((item) => itemOf(page, item)) }];
    case 'code':
      return [{ kind: 'code', text: codeOf(page, node) }];
    case 'html':
      return htmlOf(page, node);
    default:
      return []; // Lines across the page.
  }
}

function itemOf(page: Page, item: ListItem): Item {
  const [first] = item.children;
  const start = placeOf(page, item);
  const whole = sliceOf(page, item);
  const width = first === undefined ? whole.length : offset(first) - offset(item);
  // A first child on a later line, as after an empty first line, has no marker on its own.
  const marker = whole.slice(0, width).includes('\n') ? (whole.split(/\s/, 1)[0] ?? '-') : whole.slice(0, width);
  const place = { ...start, column: start.column + marker.length };
  const text = unindent(whole.slice(marker.length), place.column - 1);
  const nested = item.children.flatMap((child) =>
    child.type === 'list' ? child.children.map((one) => oneLine(unindent(textOf(page, one), 400))) : [],
  );
  const head = first?.type === 'paragraph' ? oneLine(sliceOf(page, first)) : '';
  // Code by its indentation is code only as long as it has it.
  const isIndented = first?.type === 'code' && !/^(?:```|~~~)/.test(sliceOf(page, first));
  return { head, text: `${isIndented ? '    ' : ''}${trimBlanks(text)}`, nested, marker: marker.trim(), place };
}

const textOf = (page: Page, item: ListItem): string => {
  const [first] = item.children;
  return first === undefined ? '' : sliceOf(page, item).slice(offset(first) - offset(item));
};

/** A fence without an end hides everything below it, which nobody means. */
function codeOf(page: Page, node: Node): string {
  const text = sliceOf(page, node);
  const fence = /^(`{3,}|~{3,})/.exec(text)?.[1];
  if (fence === undefined) return `    ${text}`;
  const last = text.slice(text.lastIndexOf('\n') + 1).trim();
  if (text.includes('\n') && last.startsWith(fence) && last.replaceAll(fence.charAt(0), '') === '') return text;
  const what = 'this code begins and never ends';
  throw problemAt('org/syntax', placeOf(page, node), what, `Put a line with ${fence} after the last line of code.`);
}

/** Comments are for people who edit the file. */
function htmlOf(page: Page, node: Node): readonly Block[] {
  const text = sliceOf(page, node);
  const [begins, ends, sign] = htmlForms.find(([begins]) => begins.test(text)) ?? [];
  if (ends !== undefined && !ends.test(text)) {
    const opening = begins?.exec(text)?.[0] ?? '';
    const what = `what begins with ${opening} never ends`;
    throw problemAt('org/syntax', placeOf(page, node), what, `Close it, such as with ${sign}.`);
  }
  return text.startsWith('<!--') && /-->\s*$/.test(text) ? [] : [{ kind: 'code', text }];
}

/** How each form of HTML that may hold empty lines begins and ends, and what closes it. */
const htmlForms: readonly (readonly [begins: RegExp, ends: RegExp, sign: string])[] = [
  [/^<!--/, /-->/, '--> after a comment'],
  [/^<\?/, /\?>/, '?> after an instruction'],
  [/^<!\[CDATA\[/, /\]\]>/, ']]> after CDATA'],
  [/^<!/, />/, '> after a declaration'],
  [/^<(?:script|pre|style|textarea)\b/i, /<\/(?:script|pre|style|textarea)>/i, 'its end tag, like </pre> after <pre>'],
];

function titleOf(page: Page, node: Extract<Node, { type: 'heading' }>): string {
  const [first] = node.children;
  const last = node.children.at(-1);
  const from = first?.position?.start.offset;
  // Nobody's name is longer, and code that looks at names need not fear long ones.
  return from === undefined ? '' : plainWords(page.source.slice(from, last?.position?.end.offset).slice(0, maxTitle));
}

/** Words without the signs that make them bold, code or a link. */
export const plainWords = (text: string): string =>
  text
    .replace(/\[([^[\]]{0,300})\]\([^()\s]{0,300}\)/g, '$1')
    .replace(/\*\*|__|`/g, '')
    .replace(/(^|\s)[*_](?=\S)|(?<=\S)[*_](?=\s|$)/g, '$1')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();

/** Without blanks and empty lines around it, and nothing else: what only looks like a blank can keep a # from being a heading. */
export function trimBlanks(text: string): string {
  const lines = text.split('\n').map(trimLineEnd);
  const first = lines.findIndex((line) => line !== '');
  const last = lines.findLastIndex((line) => line !== '');
  return first === -1
    ? ''
    : lines
        .slice(first, last + 1)
        .join('\n')
        .replace(/^[ \t]+/, '');
}

/** By hand: a pattern would look at a long row of blanks once for each of them. */
function trimLineEnd(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t')) end -= 1;
  return line.slice(0, end);
}

export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Lines after the first, without as many blanks before them as the first one's marker takes. */
const unindent = (text: string, width: number): string =>
  text
    .split('\n')
    .map((line, index) => (index === 0 ? line : line.slice(Math.min(width, line.search(/\S|$/)))))
    .join('\n');

const offset = ({ position }: Node | ListItem): number => position?.start.offset ?? 0;

const sliceOf = ({ source }: Page, { position }: Node | ListItem): string =>
  source.slice(position?.start.offset, position?.end.offset);

const placeOf = ({ file, firstLine }: Page, { position }: Node | ListItem): Spot => ({
  file,
  line: firstLine - 1 + (position?.start.line ?? 1),
  column: position?.start.column ?? 1,
});
