#!/usr/bin/env bash
# Builds the playground: editors/web/dist is a folder of static files.
#
# Needs Node.js 20 with npm, Python 3 and cargo for the notices of crates, and the language server for browsers in server/web/dist, which server/web/build.sh makes.
set -euo pipefail
cd "$(dirname "$0")"
[ -f ../../server/web/dist/ptx-analyzer-rest.wasm ] || { echo "build.sh: run server/web/build.sh first" >&2; exit 2; }
[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --silent --no-audit --no-fund --ignore-scripts
node build.mjs
python3 -B ../../server/cli/dist/third_parties.py --package ptx-web wasm32-unknown-unknown >dist/THIRD-PARTY.txt
node offline.mjs dist
