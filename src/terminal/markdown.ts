import { visible } from './visible.ts';
import { cut } from './width.ts';

/**
 * Anybody's text as plain words inside Markdown. A character reference can never open a link, a tag, a table cell or a
 * list. Mentions, addresses and numbers of issues are looked for in the finished text too, so a space of no width
 * breaks them.
 */
export function escapeMarkdown(text: string, most = 300): string {
  return cut(visible(text), most)
    .replace(/[&<\\`*[\]|~$]|^[-+>#=]|(?<![a-z0-9])_|_(?![a-z0-9])/gi, reference)
    .replace(/^(\d+)(?=[.)])/, `$1${noWidth}`)
    .replace(/@|:(?=\/\/|[\w+-]+:)|www(?=\.)|(?:(?<!&)#|gh-)(?=\d)/gi, (found) => found + noWidth);
}

const reference = (character: string): string => `&#${character.charCodeAt(0)};`;
const noWidth = '&#8203;';

/** A command to type, in a code span; what could end the span is left out. */
export const codeSpan = (text: string): string => `\`${visible(text).replaceAll('`', "'")}\``;

export const tableRow = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
