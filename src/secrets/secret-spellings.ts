/** The ways in which a value is usually written: as it is, and as people, tools and protocols encode it. No lone surrogates. */
export function spellingsOf(value: string): Uint8Array[] {
  const bytes = new TextEncoder().encode(value);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0'));
  const texts = [
    value,
    ...base64Cores(bytes),
    hex.join(''),
    hex.join('').toUpperCase(),
    ...percentEncodings(value, hex),
    ...jsonEscapes(value),
    value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`),
    value.replace(/[&<>"']/g, (character) => entities[character] ?? character),
  ];
  const spelled = [...new Set(texts)].map((text) => new TextEncoder().encode(text));
  return [...spelled, utf16(value, true), utf16(value, false)];
}

/**
 * What is sure to stand in base64 of anything that holds these bytes, however many stand before them: the characters
 * that are made of these bits alone, for each of the three places in a group. Padding is never among them. In both
 * alphabets, where they differ.
 */
function base64Cores(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((before) => {
    const padded = new Uint8Array(before + bytes.length);
    padded.set(bytes, before);
    const first = Math.ceil((before * 8) / 6);
    const core = btoa(latin1(padded)).slice(first, Math.floor((padded.length * 8) / 6));
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Each byte as a character. */
export function latin1(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

function percentEncodings(value: string, hex: readonly string[]): string[] {
  const full = hex.map((pair) => `%${pair}`).join('');
  const least = encodeURIComponent(value);
  const lower = least.replace(/%../g, (code) => code.toLowerCase());
  return [full, full.toUpperCase(), least, lower, encodeURI(value), least.replaceAll('%20', '+')];
}

function jsonEscapes(value: string): string[] {
  const quoted = JSON.stringify(value).slice(1, -1);
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const full = value.replace(/[\s\S]/g, escaped);
  const ascii = quoted.replace(/[^\x20-\x7e]/g, escaped);
  const upper = full.replace(/\\u..../g, (code) => `\\u${code.slice(2).toUpperCase()}`);
  const twice = JSON.stringify(quoted).slice(1, -1); // A line of JSON that is quoted in another, as logs do.
  return [twice, quoted, quoted.replaceAll('/', '\\/'), ascii, ascii.replaceAll('/', '\\/'), full, upper];
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

function utf16(value: string, little: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(value.length * 2));
  for (let at = 0; at < value.length; at++) view.setUint16(at * 2, value.charCodeAt(at), little);
  return new Uint8Array(view.buffer);
}
