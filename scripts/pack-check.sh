#!/usr/bin/env bash
# Main is always releasable: the tarball is small, has no install scripts, and runs in an empty directory.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
(cd "$root" && npm pack --silent --pack-destination "$place" > /dev/null)
tarball=$(ls "$place"/orgrepo-*.tgz)
bytes=$(wc -c < "$tarball")
[ "$bytes" -lt 2000000 ] || { echo "the tarball has $bytes bytes, expected under 2,000,000" >&2; exit 1; }
mkdir "$place/empty" && mv "$tarball" "$place/empty/" && cd "$place/empty"
npx --yes ./orgrepo-*.tgz demo --max 20 > demo.log 2>&1 || { tail -30 demo.log >&2; exit 1; }
grep -q 'RESULT' demo.log || { echo 'the demo printed no report' >&2; tail -30 demo.log >&2; exit 1; }
echo "pack-check: $bytes bytes packed, the demo ran in an empty directory"
