#!/usr/bin/env bash
# Installs the command-line agents and the servers of tools that the tests start, from the npm registry, into .programs/: pinned, and once.
set -euo pipefail
cd "$(dirname "$0")/.."

# Two of claude: the newest, and the last one that npm installs on Node 20.
wanted='@anthropic-ai/claude-code@2.1.327 claude-of-node-20@npm:@anthropic-ai/claude-code@2.1.197 @openai/codex@0.166.0 @google/gemini-cli@0.61.0 @earendil-works/pi-coding-agent@0.74.2'
wanted="$wanted opencode-$(node -p 'process.platform + "-" + process.arch')@1.18.33"
# An adapter with which codex speaks ACP.
wanted="$wanted @agentclientprotocol/codex-acp@2.6.0"
node24=24.21.0
# Official servers of tools, and the SDK whose servers have no sessions.
wanted="$wanted @modelcontextprotocol/server-everything@2026.8.31 @modelcontextprotocol/server-filesystem@2026.8.31"
wanted="$wanted @modelcontextprotocol/server@2.4.0 @modelcontextprotocol/node@2.1.2"
installed="$wanted with $(node --version)"
if [ "$(cat .programs/installed 2> /dev/null)" = "$installed" ]; then exit 0; fi

rm -rf .programs
mkdir -p .programs/bin .programs/bin-of-node-20
echo '{ "private": true }' > .programs/package.json
install() { npm install --prefix .programs --ignore-scripts --omit=dev --no-audit --no-fund --loglevel=error "$@"; }
# shellcheck disable=SC2086
install $wanted

# What claude's script after the installation would do: its program is in the package for this machine.
link_native() {
  native=$(find "$1" -maxdepth 2 -name "$2" -type f | head -n 1)
  [ -n "$native" ] || { echo "there is no $2 for this machine in $1" >&2; exit 1; }
  ln -s "../${native#.programs/}" "$3"
}
old=.programs/node_modules/claude-of-node-20
link_native .programs/node_modules/@anthropic-ai claude .programs/bin/claude
link_native "$old/node_modules/@anthropic-ai" claude .programs/bin-of-node-20/claude
link_native "$(echo .programs/node_modules/opencode-*)" opencode .programs/bin/opencode
ln -s ../node_modules/@openai/codex/bin/codex.js .programs/bin/codex
ln -s ../node_modules/@agentclientprotocol/codex-acp/dist/index.js .programs/bin/codex-acp
ln -s ../node_modules/@google/gemini-cli/bundle/gemini.js .programs/bin/gemini
ln -s ../node_modules/@earendil-works/pi-coding-agent/dist/cli.js .programs/bin/pi

# Their own Node is another matter than ours. One that does not start here runs under the Node 24 that the npm package `node`
# carries, and .programs/under-node-24 names it: the tests say so.
under_node_24() {
  machine=$(node -p 'process.platform + "-" + process.arch')
  package=node-$machine
  if [ "$machine" = darwin-arm64 ]; then package=node-bin-$machine; fi
  [ -e ".programs/node_modules/$package" ] || install "$package@$node24"
  script=$(node -p 'fs.realpathSync(process.argv[1])' ".programs/bin/$1")
  rm ".programs/bin/$1"
  printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$PWD/.programs/node_modules/$package/bin/node" "$script" > ".programs/bin/$1"
  chmod +x ".programs/bin/$1"
  echo "$1" >> .programs/under-node-24
}
for program in claude codex codex-acp gemini pi; do
  .programs/bin/$program --version > /dev/null 2>&1 || under_node_24 $program
  .programs/bin/$program --version > /dev/null
done
.programs/bin-of-node-20/claude --version > /dev/null
.programs/bin/opencode --version > /dev/null
echo "$installed" > .programs/installed
