#!/usr/bin/env bash
# Main is always releasable: the tarball is small, runs in an empty directory and can be installed there, and its hints say what to type.
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
[ "$bytes" -lt 3000000 ] || { echo "the tarball has $bytes bytes, expected under 3,000,000" >&2; exit 1; }
for template in "$root"/templates/*/; do
  name=$(basename "$template")
  packed=$(tar -tzf "$tarball" | grep -c "^package/templates/$name/.*[^/]$") || true
  [ "$packed" -eq "$(find "$template" -type f | wc -l)" ] || { echo "the template $name is not whole in the tarball" >&2; exit 1; }
done
mkdir "$place/empty" && mv "$tarball" "$place/empty/" && cd "$place/empty"
npx --yes ./orgrepo-*.tgz demo --max 20 > demo.log 2>&1 || { tail -30 demo.log >&2; exit 1; }
grep -q 'RESULT' demo.log || { echo 'the demo printed no report' >&2; tail -30 demo.log >&2; exit 1; }

# Each way to start it that the README names, and what its hints then tell people to type.
install() { npm install -g --prefix "$1" --ignore-scripts --no-audit --no-fund --loglevel=error "$2" > /dev/null; }
hint_is() {
  said=$("${@:2}" rnu 2>&1 | sed -n 's/^ *try  Did you mean: //p') || true
  [ "$said" = "$1 run" ] || { echo "${*:2} tells people to type '$said', expected '$1 run'" >&2; exit 1; }
}
install "$place/packed" ./orgrepo-*.tgz
install "$place/linked" "$root" # Without its script, which would build dist/ anew under what runs meanwhile.
hint_is orgrepo env PATH="$place/packed/bin:$PATH" orgrepo
hint_is orgrepo env PATH="$place/linked/bin:$PATH" orgrepo
hint_is "$place/packed/bin/orgrepo" "$place/packed/bin/orgrepo"
hint_is "node $root/dist/orgrepo.js" node "$root/dist/orgrepo.js"
tarball=$(ls ./orgrepo-*.tgz)
hint_is "npx $tarball" npx --yes "$tarball"
(cd "$place" && hint_is "npx file:$place/empty/${tarball#./}" npx --yes "file:$place/empty/${tarball#./}")
(cd "$root" && hint_is 'npx orgrepo' npx orgrepo && hint_is 'node dist/orgrepo.js' node dist/orgrepo.js)
echo "pack-check: $bytes bytes packed, installed and started in seven ways, and the demo ran in an empty directory"
