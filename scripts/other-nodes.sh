#!/usr/bin/env bash
# The tarball under other Nodes than the one at hand, from the npm packages that carry Node: a night, its report, verify and replay.
#   scripts/other-nodes.sh [--tarball FILE] [VERSION...]
# Without a tarball it makes one. That builds dist/ anew, so no other test may run meanwhile.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
tarball=
if [ "${1-}" = --tarball ]; then tarball=$(realpath "$2"); shift 2; fi
versions=("$@")
[ $# -gt 0 ] || versions=(22.23.3 24.21.0)
machine=$(node -p 'process.platform + "-" + process.arch')
package=node-$machine
if [ "$machine" = darwin-arm64 ]; then package=node-bin-$machine; fi
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
install() { npm install --prefix "$1" --ignore-scripts --no-audit --no-fund --loglevel=error "$2" > /dev/null; }

if [ -z "$tarball" ]; then
  (cd "$root" && npm pack --silent --pack-destination "$place" > /dev/null)
  tarball=$(ls "$place"/orgrepo-*.tgz)
fi
install "$place/orgrepo" "$tarball"

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
