#!/usr/bin/env bash
# Makes the reference site and opens it in Chromium: search, keyboard, widths, colours, accessibility.
#
# PTX_ANALYZER  the server (target/release/ptx-analyzer by default)
# CHROMIUM      the browser (/usr/bin/chromium by default)
# OUT           where pictures of the pages go (none by default)
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
server=${PTX_ANALYZER:-$here/../../target/release/ptx-analyzer}
[ -x "$server" ] || { echo "run.sh: there is no server at $server: build it, or set PTX_ANALYZER" >&2; exit 2; }

# Installs packages on a fresh Debian machine, as root.
packages=()
command -v "${CHROMIUM:-chromium}" >/dev/null || packages+=(chromium fonts-dejavu-core)
command -v node >/dev/null || packages+=(nodejs)
command -v npm >/dev/null || packages+=(npm)
if [ ${#packages[@]} -gt 0 ]; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
fi
(cd "$here" && { [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --silent --no-audit --no-fund --ignore-scripts; })

work=$(mktemp -d "${TMPDIR:-/tmp}/ptx-site.XXXXXX")
trap 'rm -rf "$work"' EXIT
"$server" isa --format html "$work/site"
if [ -n "${OUT:-}" ]; then
  mkdir -p "$OUT"
  OUT=$(cd "$OUT" && pwd)
  export OUT
fi
server=$(realpath "$server")
SITE=$work/site PTX_ANALYZER=$server node --test --test-reporter=spec "$here/ranking.test.mjs" "$here/site.test.mjs"
