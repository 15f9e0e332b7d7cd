#!/usr/bin/env bash
# Builds the whole site into one folder: landing page, playground, reference and user guide.
#
# usage: docs/site/build.sh FOLDER
#
# Needs Node.js 20 with npm, Python 3, and what server/web/build.sh needs; it builds the language server for browsers unless that is
# there. PTX_ANALYZER names the program (built by default). PTX_SITE_REPOSITORY is the address of the repository, for links to
# files that are no pages; without it, such links become plain text.
set -euo pipefail
[ $# = 1 ] || { echo "usage: docs/site/build.sh FOLDER" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
program=${PTX_ANALYZER:-}
if [ -z "$program" ]; then
  cargo build --release --locked --package ptx-analyzer
  program=${CARGO_TARGET_DIR:-target}/release/ptx-analyzer
fi
[ -f server/web/dist/ptx-analyzer-rest.wasm ] || server/web/build.sh
PTX_REFERENCE=../reference/index.html editors/web/build.sh
rm -rf "${out:?}"/{docs,editors,playground,reference,server,tests}
cp -r editors/web/dist "$out/playground"
"$program" isa --format html "$out/reference"
cd docs/site
[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --silent --no-audit --no-fund --ignore-scripts
node build.mjs "$out"
