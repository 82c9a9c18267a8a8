#!/usr/bin/env bash
# The tarball under other Nodes than the one at hand, from the npm packages that carry Node: a night, its report, verify and replay.
#   scripts/other-nodes.sh [VERSION...]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
versions=("$@")
[ $# -gt 0 ] || versions=(22.23.3 24.21.0)
machine=$(node -p 'process.platform + "-" + process.arch')
package=node-$machine
if [ "$machine" = darwin-arm64 ]; then package=node-bin-$machine; fi
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
install() { npm install --prefix "$1" --ignore-scripts --no-audit --no-fund --loglevel=error "$2" > /dev/null; }

(cd "$root" && npm pack --silent --pack-destination "$place" > /dev/null)
install "$place/orgrepo" "$place"/orgrepo-*.tgz

smoke() {
  version=$1
  at=$place/$version
  install "$at" "$package@$version"
  node=$at/node_modules/$package/bin/node
  [ "$("$node" --version)" = "v$version" ] || { echo "$node is not Node $version" >&2; exit 1; }
  orgrepo() { "$node" "$place/orgrepo/node_modules/orgrepo/dist/orgrepo.js" "$@"; }
  {
    orgrepo demo "$at/org" --max 4 &&
      orgrepo report -C "$at/org" &&
      orgrepo verify -C "$at/org" &&
      orgrepo replay 1 -C "$at/org"
  } > "$at/log" 2>&1 || { echo "orgrepo fails under Node $version:" >&2; tail -30 "$at/log" >&2; exit 1; }
  # The demo's report, the report that was asked for, and what verify came to.
  [ "$(grep -c RESULT "$at/log")" -ge 2 ] || { echo "a report is missing under Node $version" >&2; tail -30 "$at/log" >&2; exit 1; }
  grep -q 'everything holds' "$at/log" || { echo "verify says nothing under Node $version" >&2; exit 1; }
  echo "other-nodes: a night, its report, verify and replay under Node $version"
}
for one in "${versions[@]}"; do smoke "$one"; done
