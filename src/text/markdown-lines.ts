/** A text as lines that still have their ends: put together again they are the text, to the byte. */
export const linesWithEnds = (text: string): readonly string[] => text.split(/(?<=\n)/).filter((line) => line !== '');

/** How a text ends its lines. */
export const lineEndOf = (text: string): string => /\r?\n/.exec(text)?.[0] ?? '\n';

interface Heading {
  readonly index: number;
  readonly depth: number;
  readonly title: string;
}

/** Headings of a Markdown text. Those in front matter, in fences or in comments do not count. */
export function headingsIn(lines: readonly string[]): readonly Heading[] {
  return proseOf(lines).flatMap(({ text, index }) => {
    const [, signs = '', title = ''] = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$/.exec(text) ?? [];
    if (signs !== '') return [{ index, depth: signs.length, title }];
    const under = /^ {0,3}(=+|-+)[ \t]*$/.exec(bare(lines[index + 1] ?? ''))?.[1] ?? '';
    return under !== '' && isParagraph(text)
      ? [{ index, depth: under.startsWith('=') ? 1 : 2, title: text.trim() }]
      : [];
  });
}

/** What two people would call the same: `Data & Analytics` and `data-analytics`. */
export const comparableWords = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{Mark}+/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

interface Prose {
  readonly text: string;
  readonly index: number;
}

/** The lines that are Markdown of their own. */
function proseOf(lines: readonly string[]): readonly Prose[] {
  const found: Prose[] = [];
  let fence: string | undefined;
  let inComment = false;
  for (let index = afterFrontMatter(lines); index < lines.length; index++) {
    const text = bare(lines[index] ?? '');
    const [, mark = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(text) ?? [];
    if (fence !== undefined) {
      if (mark.startsWith(fence) && text.trim() === mark) fence = undefined;
    } else if (inComment) inComment = !text.includes('-->');
    else if (mark !== '') fence = mark;
    else if (/^ {0,3}<!--/.test(text)) inComment = !text.includes('-->');
    else found.push({ text, index });
  }
  return found;
}

function afterFrontMatter(lines: readonly string[]): number {
  if (bare(lines[0] ?? '').trimEnd() !== '---') return 0;
  const end = lines.findIndex((line, index) => index > 0 && bare(line).trimEnd() === '---');
  return end + 1;
}

const isParagraph = (text: string): boolean => text.trim() !== '' && !/^ {0,3}(?:[-*+>|#]|[0-9]+[.)]| {4})/.test(text);

const bare = (line: string): string => line.replace(/^\ufeff/, '').replace(/\r?\n$/, '');
