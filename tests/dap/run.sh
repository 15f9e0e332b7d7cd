#!/usr/bin/env bash
# Tests `ptx-analyzer dap` with the client library that Microsoft uses to test debug adapters.
#
# PTX_ANALYZER  the server (target/release/ptx-analyzer by default)
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
server=${PTX_ANALYZER:-$here/../../target/release/ptx-analyzer}
[ -x "$server" ] || { echo "run.sh: there is no server at $server: build it, or set PTX_ANALYZER" >&2; exit 2; }
server=$(cd "$(dirname "$server")" && pwd)/$(basename "$server")

# Installs packages on a fresh Debian machine, as root.
packages=()
command -v node >/dev/null || packages+=(nodejs)
command -v npm >/dev/null || packages+=(npm)
if [ ${#packages[@]} -gt 0 ]; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
fi
(cd "$here" && { [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --silent --no-audit --no-fund --ignore-scripts; })

PTX_ANALYZER=$server node --test --test-force-exit --test-reporter=spec "$here/dap.test.mjs"
