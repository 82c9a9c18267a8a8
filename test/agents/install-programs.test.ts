import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { root } from '../support/org.ts';

const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-install-'));
after(() => rmSync(dir, { recursive: true, force: true }));

/** In the place of the registry: programs that start, but for codex, which asks for another Node; and that Node. */
const npm = `#!/bin/sh
put() { mkdir -p ".programs/node_modules/$(dirname "$1")"; cat > ".programs/node_modules/$1"; chmod +x ".programs/node_modules/$1"; }
for word in "$@"; do
  case $word in
    @anthropic-ai/*) printf '#!/bin/sh\\necho 2\\n' | put @anthropic-ai/claude-code-here/claude ;;
    claude-of-node-20@*) printf '#!/bin/sh\\necho 1\\n' | put claude-of-node-20/node_modules/@anthropic-ai/claude-code-here/claude ;;
    opencode-*) printf '#!/bin/sh\\necho 5\\n' | put "\${word%@*}/bin/opencode" ;;
    @openai/*) printf '#!/usr/bin/env node\\nif (process.env.NODE24 !== "yes") process.exit(1);\\nconsole.log("codex", ...process.argv.slice(2));\\n' | put @openai/codex/bin/codex.js ;;
    @agentclientprotocol/*) printf '#!/bin/sh\\necho 6\\n' | put @agentclientprotocol/codex-acp/dist/index.js ;;
    @google/*) printf '#!/bin/sh\\necho 3\\n' | put @google/gemini-cli/bundle/gemini.js ;;
    @earendil-works/*) printf '#!/bin/sh\\necho 4\\n' | put @earendil-works/pi-coding-agent/dist/cli.js ;;
    node-*@24*) printf '#!/bin/sh\\nNODE24=yes exec "${process.execPath}" "$@"\\n' | put "\${word%@*}/bin/node" ;;
  esac
done
`;

test('a program that does not start on this Node is started by the Node 24 of the registry, and named', () => {
  mkdirSync(path.join(dir, 'scripts'));
  mkdirSync(path.join(dir, 'fakes'));
  cpSync(path.join(root, 'scripts/install-programs.sh'), path.join(dir, 'scripts/install-programs.sh'));
  writeFileSync(path.join(dir, 'fakes/npm'), npm, { mode: 0o755 });
  const env = {
    ...process.env,
    PATH: [path.join(dir, 'fakes'), path.dirname(process.execPath), process.env.PATH].join(':'),
  };
  const ran = spawnSync('bash', [path.join(dir, 'scripts/install-programs.sh')], { encoding: 'utf8', env });
  assert.equal(ran.status, 0, ran.stderr);
  assert.equal(readFileSync(path.join(dir, '.programs/under-node-24'), 'utf8'), 'codex\n');
  const codex = spawnSync(path.join(dir, '.programs/bin/codex'), ['exec', 'a b'], { encoding: 'utf8', env });
  assert.equal(codex.stdout, 'codex exec a b\n', codex.stderr);
  assert.equal(existsSync(path.join(dir, '.programs/installed')), true);
});
