#!/usr/bin/env bash
# Loads what the steps of .ci/run need from the network, but for crates and editors: Debian packages, Python environments, Node packages.
#
#   packages.sh TOOLS      TOOLS: a folder that keeps tools between runs
#
# For Debian, as root. What is there already is not loaded again.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=$1
log=$(mktemp)
trap 'rm -f "$log"' EXIT

missing=()
# need PACKAGE [PROGRAM]: the package, unless its program is there.
need() { command -v "${2:-$1}" >/dev/null || missing+=("$1"); }
need nodejs node
need npm
need zsh
need fish
need mandoc
need groff
if ! command -v "${CHROMIUM:-chromium}" >/dev/null; then missing+=(chromium fonts-dejavu-core); fi
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
if [ ${#missing[@]} -gt 0 ]; then
  export DEBIAN_FRONTEND=noninteractive
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 || { cat "$log"; exit 1; }
fi

# environment NAME REQUIREMENTS
environment() {
  local folder=$tools/$1
  "$folder/bin/python" -m pip --version >/dev/null 2>&1 || python3 -m venv --clear "$folder"
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$2"
}
environment supply .ci/requirements.txt
environment protocol tests/protocol/requirements.txt
environment mcp tests/mcp/requirements.txt
environment python server/python/tests/requirements.txt

for folder in tests/dap tests/site editors/vscode; do
  (cd "$folder" && { [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --silent --no-audit --no-fund --ignore-scripts; })
done
