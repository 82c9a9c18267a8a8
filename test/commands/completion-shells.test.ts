import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { anOrg } from '../support/builders.ts';
import { bundle, type TestOrg } from '../support/org.ts';

/** The scripts in the shells that they are for: what somebody has on the line after the tab key. */

let org: TestOrg;
before(async () => {
  org = anOrg({
    files: { 'ORG.md': '# Acme\n\n## Structure\n\n### Nora Quill — Lead\n\n### Tom Ash — Baker\n- **Level:** 3\n' },
  });
  await org.orgrepo('run', '--max', '1');
  mkdirSync(path.join(org.dir, 'bin'));
  const program = path.join(org.dir, 'bin/orgrepo');
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${bundle}" "$@"\n`);
  chmodSync(program, 0o755);
});
after(() => org.remove());

/** What is typed before the tab key, and the line after it. */
const lines: readonly (readonly [typed: string, line: string])[] = [
  ['orgrepo stat', 'orgrepo status '],
  ['orgrepo run --from-t', 'orgrepo run --from-trunk '],
  ['orgrepo show 00', 'orgrepo show 0001 '],
  ['orgrepo replay ', 'orgrepo replay 1 '],
  ['orgrepo pause nor', 'orgrepo pause nora-quill '],
  ['orgrepo export --out prog', 'orgrepo export --out program.md '],
  ['orgrepo -C sandb', 'orgrepo -C sandbox/'],
  ['orgrepo -C / pause x', 'orgrepo -C / pause x'],
];

function inShell(shell: string, ...args: readonly string[]): string {
  const env = { PATH: `${org.dir}/bin:${process.env.PATH}`, HOME: org.dir, LANG: 'C.UTF-8', TERM: 'xterm' };
  const ran = spawnSync(shell, args, { cwd: org.dir, env, encoding: 'utf8', timeout: 120_000 });
  assert.equal(ran.status, 0, `${shell}: ${ran.stderr}${ran.stdout}`);
  assert.equal(ran.stderr, '', shell);
  return ran.stdout;
}

const missing = (shell: string): false | string =>
  spawnSync(shell, ['--version']).status === 0 ? false : `${shell} is not installed`;

/** Calls the function that `complete` names, as bash does for the tab key. */
const bashDriver = `
eval "$(orgrepo completion bash)"
complete -p orgrepo | grep -q -- '-F _orgrepo orgrepo' || exit 3
for line in "$@"; do
  read -ra COMP_WORDS <<< "$line"
  [[ $line == *" " ]] && COMP_WORDS+=("")
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  _orgrepo orgrepo "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD - 1]}"
  printf '%s\\n' "\${COMPREPLY[*]}"
done
`;

test('bash completes verbs, options, experiments, specs, agents and files', { skip: missing('bash') }, () => {
  const words = inShell('bash', '--norc', '-c', bashDriver, 'bash', ...lines.map(([typed]) => typed)).split('\n');
  const last = (line: string): string => line.trimEnd().replace(/\/$/, '').split(' ').at(-1) ?? '';
  assert.deepEqual(
    words.slice(0, -1),
    lines.map(([typed, line]) => (line === typed ? '' : last(line))),
  );
});

/** Types into a zsh of its own, on a terminal of its own, and reads the line that is there after the tab key. */
const zshDriver = `
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z 'PS1= ; unsetopt zle_bracketed_paste; stty -echo; fpath=($HOME/functions $fpath); autoload -Uz compinit; compinit -D -u
  if [[ $1 == eval ]]; then eval "$(orgrepo completion zsh)"; fi
  show() { print -r -- "[[$BUFFER]]"; BUFFER=; zle redisplay }; zle -N show
  bindkey "^X" show; bindkey "^I" complete-word; print REA""DY'
zpty -r z out '*READY*'
for line in "$@"; do
  zpty -w -n z "$line"$'\\t'$'\\x18'
  zpty -r z out '*\\]\\]*'
  print -r -- "\${\${out##*\\[\\[}%%\\]\\]*}"
done
zpty -d z
`;

for (const how of ['eval', 'fpath'])
  test(`zsh completes the same line, from ${how}`, { skip: missing('zsh') }, () => {
    const functions = path.join(org.dir, 'functions');
    mkdirSync(functions, { recursive: true });
    if (how === 'fpath') writeFileSync(path.join(functions, '_orgrepo'), inShell('orgrepo', 'completion', 'zsh'));
    const driver = zshDriver.replace('[[ $1 == eval ]]', how === 'eval' ? 'true' : 'false');
    const tried = how === 'eval' ? lines : lines.slice(0, 1);
    const found = inShell('zsh', '-f', '-c', driver, 'zsh', ...tried.map(([typed]) => typed)).split('\n');
    assert.deepEqual(
      found.slice(0, -1),
      tried.map(([, line]) => line),
    );
  });

test('fish completes the same words, and says what they stand for', { skip: missing('fish') }, () => {
  const driver =
    'orgrepo completion fish | source; for line in $argv; echo (complete -C $line | string join \\x1f); end';
  const found = inShell('fish', '--no-config', '-c', driver, ...lines.map(([typed]) => typed)).split('\n');
  assert.deepEqual(
    found.slice(0, -1).map((line) => line.split('\x1f').map((one) => one.split('\t')[0])),
    lines.map(([typed, line]) => [line === typed ? '' : line.trimEnd().split(' ').at(-1)]),
  );
  assert.match(found[2] ?? '', /^0001\tbring every number to where it should be$/);
});
