/** An output with what differs from run to run replaced, so that the rest can be compared whole. */
export function mask(text: string, org: { readonly dir: string }): string {
  return text
    .replaceAll(org.dir, '<dir>')
    .replaceAll(org.dir.slice(org.dir.lastIndexOf('/') + 1), '<org>')
    .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z\b/g, '<time>')
    .replace(/\b\d{4}-\d\d-\d\d\b/g, '<day>')
    .replace(/\b\d\d? [A-Z][a-z]{2}\b/g, '<date>')
    .replace(/\b\d\d:\d\d\b/g, '<clock>')
    .replace(/\b[0-9a-f]{7,64}\b/g, (id) => (/[a-f]/.test(id) || id.length === 7 || id.length >= 40 ? '<id>' : id))
    .replace(/\bpid[= ]\d+/g, (words) => `${words.slice(0, 4)}<pid>`)
    .replace(/\b\d+(\.\d+)? ?(ms|s|m|h)\b( \d+ ?(s|m)\b)?/g, '<span>')
    .replace(/\b\d+(\.\d+)? a minute/g, '<rate> a minute')
    .replace(/[ \t]+$/gm, '');
}
