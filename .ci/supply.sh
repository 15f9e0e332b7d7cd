#!/usr/bin/env bash
# Checks the parts of the supply chain: dependencies, notices, workflows, packages, completions and manual pages.
#
#   supply.sh TOOLS PROGRAM      TOOLS: a folder that keeps tools between runs; PROGRAM: the server
#
# Security advisories are not checked here, because their databases are on the network: .github/workflows/ci.yml does
# that.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=$1/supply program=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

echo 'cargo deny: bans, licences, sources'
"$tools/bin/cargo-deny" --locked check bans licenses sources

echo 'notices of the crates in the program'
targets=(x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-apple-darwin aarch64-apple-darwin x86_64-pc-windows-msvc aarch64-pc-windows-msvc)
python3 -B server/cli/dist/third_parties.py "${targets[@]}" >"$scratch/notices"
grep -q '^tree-sitter 0' "$scratch/notices"
python3 -B server/cli/dist/third_parties.py --package ptx-web wasm32-unknown-unknown >"$scratch/notices-web"
grep -q '^tree-sitter 0' "$scratch/notices-web"
python3 -B server/cli/dist/third_parties.py --package ptx-python "${targets[@]}" >"$scratch/notices-python"
grep -q '^pyo3 0' "$scratch/notices-python"

echo 'zizmor: workflows'
"$tools/bin/zizmor" --offline --quiet .github/workflows

echo 'packages: what is in them'
cargo package --list --allow-dirty --quiet -p tree-sitter-ptx | sort >"$scratch/crate"
(cd tree-sitter-ptx && npm pack --dry-run --json 2>/dev/null) | python3 -c '
import json, sys
print(*sorted(file["path"] for file in json.load(sys.stdin)[0]["files"]), sep="\n")' >"$scratch/npm"
for list in crate npm; do
  for file in grammar.js tree-sitter.json README.md LICENSE-MIT LICENSE-APACHE src/parser.c src/scanner.c src/tree_sitter/parser.h queries/highlights.scm; do
    grep -qx "$file" "$scratch/$list" || { echo "the $list package has no $file"; exit 1; }
  done
  if grep -E '(^|/)(\.env|\.npmrc|node_modules|target|build)(/|$)|\.(log|tgz|so|map)$' "$scratch/$list"; then
    echo "does not belong into the $list package"
    exit 1
  fi
done

echo 'the crate that is published, built from what is in its package'
cargo package --quiet --locked --offline --allow-dirty --target-dir "${CARGO_TARGET_DIR:-target}/package" -p tree-sitter-ptx

echo 'versions agree'
version=$("$program" --version | cut -d ' ' -f 2)
for file in editors/vscode/package.json tree-sitter-ptx/package.json tree-sitter-ptx/tree-sitter.json editors/zed/extension.toml editors/zed/Cargo.toml \
  editors/emacs/ptx-mode.el editors/upstream/mason/packages/ptx-analyzer/package.yaml; do
  grep -qE "(version\"?( =|:)|Version:|@v) ?\"?$version\"?" "$file" || grep -qF "@v$version" "$file" || { echo "$file is not of version $version"; exit 1; }
done

echo 'archive: the same twice'
for copy in one two; do
  SOURCE_DATE_EPOCH=1700000000 python3 -B server/cli/dist/archive.py --out "$scratch/$copy" --binary "$program" x86_64-unknown-linux-gnu
done
diff -r "$scratch/one" "$scratch/two"
(cd "$scratch/one" && sha256sum --quiet --check ./*.sha256 && tar xzf ./*.tar.gz)
unpacked=$scratch/one/ptx-analyzer-$version-x86_64-unknown-linux-gnu
"$unpacked/ptx-analyzer" --version
for file in LICENSE-MIT LICENSE-APACHE THIRD-PARTY.txt README.md INSTALL.md man/man1/ptx-analyzer-check.1 completions/_ptx-analyzer; do
  [ -s "$unpacked/$file" ] || { echo "the archive has no $file"; exit 1; }
done

echo 'completions and manual pages, read by those they are for'
for page in "$unpacked"/man/man1/*.1; do
  mandoc -T lint -W error "$page"
  warned=$(groff -ww -man -T utf8 "$page" 2>&1 >/dev/null)
  [ -z "$warned" ] || { echo "$warned"; exit 1; }
done
bash -n "$unpacked/completions/ptx-analyzer.bash"
zsh -f -c 'autoload -Uz compinit && compinit -D && source "$1" && [[ $_comps[ptx-analyzer] == _ptx-analyzer ]]' zsh "$unpacked/completions/_ptx-analyzer"
# shellcheck disable=SC2016 # for fish
PATH=$unpacked:$PATH HOME=$scratch fish --no-config -c \
  'source $argv[1]; string match -q "sarif*" -- (complete -C "ptx-analyzer check --format s")' "$unpacked/completions/ptx-analyzer.fish"
