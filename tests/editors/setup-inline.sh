#!/usr/bin/env bash
# Installs what `run.sh inline` needs besides the editors: clangd from Debian, basedpyright from PyPI, and the tree-sitter
# grammars of C, C++, CUDA and Python from npm.
#
#   setup-inline.sh [DIR]      ~/.cache/ptx-editors by default
set -euo pipefail

dir=${1:-$HOME/.cache/ptx-editors}
mkdir -p "$dir/bin" "$dir/grammars"

if ! command -v clangd >/dev/null; then
  [ "$(id -u)" -eq 0 ] || { echo 'setup-inline.sh: install clangd, or run this as root' >&2; exit 1; }
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends clangd
fi

if ! [ -x "$dir/bin/basedpyright-langserver" ]; then
  python3 -m venv "$dir/pyright"
  "$dir/pyright/bin/pip" install -q basedpyright
  ln -sf "$dir/pyright/bin/basedpyright" "$dir/pyright/bin/basedpyright-langserver" "$dir/bin/"
fi

cd "$dir/grammars"
[ -e package.json ] || echo '{"private":true}' >package.json
for language in c cpp cuda python; do
  [ -e "$language.so" ] && continue
  package=node_modules/tree-sitter-$language
  npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps "tree-sitter-$language"
  cc -O1 -shared -fPIC -I "$package/src" "$package"/src/*.c -o "$language.so"
done
