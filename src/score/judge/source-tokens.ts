/** A piece of source text in any language: just enough of it to tell a number from its name. */
export interface Token {
  readonly kind: 'number' | 'name' | 'text' | 'mark' | 'line';
  readonly text: string;
}

/**
 * Text as tokens, without blanks. A string that holds nothing but a number is a number; a sign belongs to the number
 * where it cannot be an operator. Linear in the length of the text, whatever it holds.
 */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  for (const [text] of source.matchAll(pieces)) {
    const last = tokens.at(-1);
    if (/^\s/.test(text)) {
      if (text.includes('\n') && last !== undefined && last.kind !== 'line') tokens.push({ kind: 'line', text: '\n' });
    } else if (/^[0-9]|^\.[0-9]/.test(text)) {
      if (last?.text === '-' && isNoOperand(tokens.at(-2))) tokens.pop();
      tokens.push({ kind: 'number', text: last !== undefined && tokens.at(-1) !== last ? `-${text}` : text });
    } else if (/^["'`]./.test(text)) {
      const inner = text.slice(1, -1);
      tokens.push(/^-?[0-9][\w.]*$/.test(inner) ? { kind: 'number', text: inner } : { kind: 'text', text });
    } else tokens.push({ kind: /^[\p{L}_$]/u.test(text) ? 'name' : 'mark', text });
  }
  return tokens;
}

const isNoOperand = (token: Token | undefined): boolean =>
  token === undefined || token.kind === 'line' || (token.kind === 'mark' && !/[)\]}]/.test(token.text));

const pieces = new RegExp(
  [
    String.raw`\s+`,
    String.raw`(?:0[xXbBoO][0-9a-fA-F_]+|[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9]+)?|\.[0-9][0-9_]*(?:[eE][+-]?[0-9]+)?)[\w]*`,
    String.raw`"(?:[^"\\\n]|\\.){0,500}"|'(?:[^'\\\n]|\\.){0,500}'`,
    '`(?:[^`\\\\\\n]|\\\\.){0,500}`',
    String.raw`[\p{L}_$][\p{L}\p{N}_$]*`,
    '[=!<>]=+|:=|->|=>|::|[-+*/%&|^~]=',
    '[^]',
  ].join('|'),
  'gu',
);
