#!/usr/bin/env bash
# Main is always releasable: the tarball is small, has no install scripts, and runs in an empty directory.
#   scripts/pack-check.sh [TARBALL]
# Without a tarball it makes one. That builds dist/ anew, so no other test may run meanwhile.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
if [ $# -gt 0 ]; then cp "$1" "$place/"; else (cd "$root" && npm pack --silent --pack-destination "$place" > /dev/null); fi
tarball=$(ls "$place"/orgrepo-*.tgz)
bytes=$(wc -c < "$tarball")
# Cedar's engine is 1.4 MB of it.
[ "$bytes" -lt 2600000 ] || { echo "the tarball has $bytes bytes, expected under 2,600,000" >&2; exit 1; }
for template in "$root"/templates/*/; do
  name=$(basename "$template")
  packed=$(tar -tzf "$tarball" | grep -c "^package/templates/$name/.*[^/]$") || true
  [ "$packed" -eq "$(find "$template" -type f | wc -l)" ] || { echo "the template $name is not whole in the tarball" >&2; exit 1; }
done
mkdir "$place/empty" && mv "$tarball" "$place/empty/" && cd "$place/empty"
npx --yes ./orgrepo-*.tgz demo --max 20 > demo.log 2>&1 || { tail -30 demo.log >&2; exit 1; }
grep -q 'RESULT' demo.log || { echo 'the demo printed no report' >&2; tail -30 demo.log >&2; exit 1; }
echo "pack-check: $bytes bytes packed, the demo ran in an empty directory"
