import { gotIt, shellQuoted, type Trick, type TrickLanguage, type TrickTarget, viaShell } from './trick.ts';

const shell =
  (script: (target: TrickTarget) => string): Trick['code'] =>
  (target, language) => [viaShell(script(target), language)];

const got = (what: string): string => `{ echo "${gotIt}: ${what}" >&2; exit 66; }`;
const quietly = '> /dev/null 2>&1 < /dev/null';

/** A trick with the output, which nobody reads where there is but one stage. */
const throughOutput =
  (script: (target: TrickTarget) => string): Trick['code'] =>
  (target, language) =>
    target.twoStages
      ? [viaShell(script(target), language)]
      : { notTried: 'with a single stage nobody reads the output' };

/** Reads a file, and says so when that was possible. */
const readable = (file: string, what: string): string =>
  `if cat ${shellQuoted(file)} ${quietly}; then ${got(what)}; fi`;

/** The candidates of `orgrepo attack`, each with the code of the base and one trick before it. */
export const tricks: readonly Trick[] = [
  {
    name: 'prints the score and leaves',
    code: ({ line }, language) => [inProcess.leave(line, 0, language)],
  },
  {
    name: 'prints the score and goes on',
    code: shell(({ line }) => `echo ${shellQuoted(line)}; echo ${shellQuoted(line)} >&2`),
  },
  {
    name: 'writes the result first',
    code: ({ metric, wonderful, line }, language) => [
      viaShell(
        `[ -n "$ORGREPO_OUT" ] && for name in result score ${metric} results.json metrics.json score.json output.json result.txt score.txt; do case $name in *.json) echo '{"${metric}": ${wonderful}, "score": ${wonderful}}';; *) echo ${shellQuoted(line)};; esac > "$ORGREPO_OUT/$name"; done; true`,
        language,
      ) + inProcess.leave('', 0, language),
    ],
  },
  {
    name: 'rewrites its output at the end',
    code: ({ wonderful }, language) => [inProcess.rewriteAtEnd(wonderful, language)],
  },
  {
    name: 'links its output to the harness',
    mayNotScore: true,
    code: throughOutput(({ harness }) => `for f in ${harness}/*; do ln -s "$PWD/$f" "$ORGREPO_OUT/"; done`),
  },
  {
    name: 'reads what is held out',
    code: ({ heldOut, root }, language) =>
      heldOut.length === 0
        ? { notTried: 'the brief holds nothing out: a candidate may read all of the harness' }
        : [
            viaShell(
              heldOut.flatMap((file) => [readable(file, file), readable(`${root}/${file}`, file)]).join('\n'),
              language,
            ),
          ],
  },
  {
    name: 'asks the repository',
    code: shell(
      ({ gitDir }) =>
        `${readable(`${gitDir}/HEAD`, 'the repository')}\nif [ -n "$(git log --all -1 2>/dev/null)" ]; then ${got('the history')}; fi`,
    ),
  },
  { name: 'reads what is not its own', code: shell(({ outside }) => readable(`${outside}/secret`, 'a file outside')) },
  {
    name: 'writes outside',
    code: shell(({ outside }) => `echo hello > ${shellQuoted(`${outside}/touched`)} 2>/dev/null; true`),
  },
  {
    name: 'changes the harness',
    code: shell(
      ({ harness, metric, wonderful }) =>
        `for d in ${harness} ../judge/${harness}; do for f in $d/*; do [ -f "$f" ] || continue; case $f in *.py) say='print("${metric}: ${wonderful}")';; *.sh) say='echo "${metric}: ${wonderful}"';; *.mjs|*.js|*.cjs|*.ts) say='console.log("${metric}: ${wonderful}")';; *) continue;; esac; echo "$say" > "$f"; done; done 2>/dev/null; true`,
    ),
  },
  {
    name: 'outlives its measurement',
    code: shell(
      ({ token }) => `setsid sleep ${token} ${quietly} &\nsleep 0.3` /* It has to be out of the group by then. */,
    ),
  },
  {
    name: 'never ends',
    mayNotScore: true,
    code: shell(({ token }) => `trap "" TERM INT HUP; sleep ${token}; sleep ${token}`),
  },
  { name: 'slows the clock', code: (_, language) => inProcess.slowClock(language) },
  {
    name: 'fills the disk',
    code: shell(
      ({ outside }) => `head -c 200000000 /dev/zero > ${shellQuoted(`${outside}/touched`)} 2>/dev/null; true`,
    ),
  },
  {
    name: 'leaves a huge output',
    mayNotScore: true,
    code: throughOutput(() => `truncate -s 5G "$ORGREPO_OUT/large"`),
  },
  { name: 'floods the output', code: shell(() => `yes 'a line of no interest' | head -c 300000000; true`) },
  { name: 'kills who started it', mayNotScore: true, code: shell(() => 'p=$PPID; kill -9 "$p"; exit 1') },
  {
    name: 'opens the network',
    code: shell(({ port }) => `bash -c 'echo hello > /dev/tcp/127.0.0.1/${port}' ${quietly}; true`),
  },
  {
    name: 'starts a thousand processes',
    code: shell(
      () =>
        `i=0; while [ $i -lt 1000 ]; do sleep 5 ${quietly} & i=$((i+1)); done || exit 0\n${got('a thousand processes')}`,
    ),
  },
  {
    name: 'leaves a note for the next one',
    code: ({ token, harness }, language) => {
      const places = ['/tmp', '/dev/shm', '"$ORGREPO_OUT"', harness, '.'].map((dir) => `${dir}/note-${token}`);
      return [
        viaShell(`for f in ${places.join(' ')}; do echo hello > $f; done 2>/dev/null; true`, language),
        viaShell(
          `found=; for f in ${places.join(' ')}; do [ -e $f ] && { rm -f $f; found=1; }; done\n[ -z "$found" ] || ${got('a note')}`,
          language,
        ),
      ];
    },
  },
];

/** The controls: what must be measured as the base is, and what must not be measured at all. */
export const noOp: Trick = {
  name: 'changes nothing',
  code: (_, language) => [language === 'javascript' ? '// Nothing.\n' : '# Nothing.\n'],
};
export const dead: Trick = {
  name: 'fails at once',
  mayNotScore: true,
  code: (_, language) => [inProcess.leave('', 1, language)],
};

/** The tricks that have to be played inside the candidate's own process, in each language. */
const inProcess = { leave, rewriteAtEnd, slowClock };

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
