/** What a harness most likely ran into, from what it printed before it gave up; undefined when nothing tells. */
export function hintFrom(printed: string): string | undefined {
  return clues.find(({ signs }) => signs.test(printed))?.hint;
}

const clues: readonly { readonly signs: RegExp; readonly hint: string }[] = [
  {
    signs:
      /\b(?:ENOTFOUND|EAI_AGAIN|EAI_NONAME|ENETUNREACH|EHOSTUNREACH)\b|name resolution|Network is unreachable|Could not resolve host|Name or service not known|nodename nor servname|No route to host/i,
    hint: 'It needs the network, and a measurement must not: put what it fetches into the harness, or name it in include.',
  },
  {
    signs: /\bEROFS\b|Read-only file system/i,
    hint: 'It writes where nothing can be written: only $ORGREPO_OUT and $TMPDIR are for that.',
  },
  {
    signs:
      /\b(?:EACCES|EPERM)\b[^\n]*\b(?:open|mkdir|unlink|rename|rmdir|copyfile|symlink)\b|(?:open|create|write|remove|mkdir|touch|rm|cp)[^\n]{0,200}Permission denied|PermissionError/i,
    hint: 'It has no right to a file that it opens: only $ORGREPO_OUT and $TMPDIR are there to be written to.',
  },
];
