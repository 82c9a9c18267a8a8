import type { TrickLanguage } from './trick.ts';

/** The tricks that have to be played inside the candidate's own process, in each language. */
export const inProcess = { leave, rewriteAtEnd, slowClock };

/** Says something on both streams and ends the process. */
function leave(words: string, code: number, language: TrickLanguage): string {
  const line = JSON.stringify(`${words}\n`);
  const say = words !== '';
  if (language === 'shell') return `${say ? `echo '${words}'; echo '${words}' >&2\n` : ''}exit ${code}\n`;
  if (language === 'python')
    return `${say ? `__import__('os').write(1, b${line}); __import__('os').write(2, b${line})\n` : ''}__import__('os')._exit(${code})\n`;
  const write = `(process.getBuiltinModule ?? require)('fs').writeSync`;
  return `${say ? `${write}(1, ${line}); ${write}(2, ${line});` : ''} process.exit(${code});\n`;
}

/** When everything is written, each number in it becomes this one. */
function rewriteAtEnd(wonderful: number, language: TrickLanguage): string {
  if (language === 'shell')
    return `trap 'sed -i -E "s/-?[0-9]+([.][0-9]+)?/${wonderful}/g" "$ORGREPO_OUT"/* 2>/dev/null' EXIT\n`;
  if (language === 'python')
    return `def __rewrite():
    import os, re
    for __dir, _, __names in os.walk(os.environ.get('ORGREPO_OUT', '/nowhere')):
        for __name in __names:
            __path = os.path.join(__dir, __name)
            __text = open(__path, encoding='latin1').read()
            open(__path, 'w', encoding='latin1').write(re.sub(r'-?[0-9]+([.][0-9]+)?', '${wonderful}', __text))
__import__('atexit').register(__rewrite)
`;
  return `process.on('exit', () => { const fs = (process.getBuiltinModule ?? require)('fs'); const out = process.env.ORGREPO_OUT; if (!out) return; for (const name of fs.readdirSync(out)) { try { const file = out + '/' + name; fs.writeFileSync(file, fs.readFileSync(file, 'latin1').replace(/-?[0-9]+([.][0-9]+)?/g, '${wonderful}'), 'latin1'); } catch {} } });\n`;
}

/** A candidate that is given so many seconds has twice as many of these. */
function slowClock(language: TrickLanguage): readonly string[] | { readonly notTried: string } {
  if (language === 'shell') return { notTried: 'a shell has no clock of its own' };
  if (language === 'python')
    return [
      `def __slow(name):
    import time
    real = getattr(time, name)
    begun = real()
    setattr(time, name, lambda: begun + (real() - begun) / 2)
for __name in ('time', 'monotonic', 'perf_counter', 'process_time'): __slow(__name)
`,
    ];
  return [
    `{ const slow = (owner, name) => { const real = owner[name].bind(owner), begun = real(); Object.defineProperty(owner, name, { value: () => begun + (real() - begun) / 2, configurable: true, writable: true }); }; slow(Date, 'now'); slow(performance, 'now'); const real = process.hrtime.bigint, begun = real(); process.hrtime.bigint = () => begun + (real() - begun) / 2n; }\n`,
  ];
}
