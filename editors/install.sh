#!/usr/bin/env bash
# Builds ptx-analyzer from this checkout and installs it in an editor, for the current user. Run it again after an update.
# usage: editors/install.sh vscode|neovim|helix|emacs
# PTX_ANALYZER names a server that is built already, CODE another VS Code (`codium`, `cursor`).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
grammar=$root/tree-sitter-ptx

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

need() { command -v "$1" >/dev/null || fail "\`$1\` is not on PATH${2:+: $2}"; }

# Puts the server on PATH, unless one is named.
server() {
  if [ -z "${PTX_ANALYZER:-}" ]; then
    need cargo 'install Rust, https://rustup.rs'
    cargo install --locked --path "$root/server/cli"
    PTX_ANALYZER=${CARGO_HOME:-$HOME/.cargo}/bin/ptx-analyzer
  fi
  PTX_ANALYZER=$(cd "$(dirname "$PTX_ANALYZER")" && pwd)/$(basename "$PTX_ANALYZER")
  "$PTX_ANALYZER" --version
}

# The editor finds the server by its name.
on_path() {
  [ "$(command -v ptx-analyzer)" ] || echo "Add $(dirname "$PTX_ANALYZER") to PATH: the editor looks for \`ptx-analyzer\` there." >&2
}

vscode() {
  local code=${CODE:-code} target vsix
  need "$code" 'open the command palette of VS Code: "Shell Command: Install code command in PATH"'
  need npm 'install Node.js 20 or newer'
  server
  case $(uname -s)-$(uname -m) in
    Linux-x86_64) target=linux-x64 ;;
    Linux-aarch64) target=linux-arm64 ;;
    Darwin-x86_64) target=darwin-x64 ;;
    Darwin-arm64) target=darwin-arm64 ;;
    *) fail 'this system has no package: see editors/vscode/README.md' ;;
  esac
  vsix=$root/editors/vscode/ptx-analyzer-$target.vsix
  (cd "$root/editors/vscode" && npm ci --ignore-scripts && PTX_ANALYZER=$PTX_ANALYZER npm run package -- --target "$target" --out "$vsix")
  "$code" --install-extension "$vsix" --force
}

neovim() {
  need nvim
  server
  local folder=${XDG_DATA_HOME:-$HOME/.local/share}/nvim/site/pack/ptx/start
  mkdir -p "$folder"
  ln -sfn "$root/editors/neovim" "$folder/ptx-analyzer"
  nvim --headless -u NONE -i NONE +"helptags $root/editors/neovim/doc" +qall
  rm -f "$root/editors/neovim/parser/ptx.so"
  # Neovim 0.10 cannot load the parser; its own syntax file is used there.
  nvim --headless -n -i NONE +"PtxBuildParser $grammar" \
    +"lua vim.wait(100000, function() return #vim.api.nvim_get_runtime_file('parser/ptx.so', false) > 0 end, 50)" +qall
  echo
  on_path
}

helix() {
  server
  local config=${XDG_CONFIG_HOME:-$HOME/.config}/helix
  mkdir -p "$config/runtime/queries" "$config/runtime/grammars"
  rm -rf "$config/runtime/queries/ptx"
  cp -r "$root/editors/helix/queries/ptx" "$config/runtime/queries/"
  "${CC:-cc}" -O2 -shared -fPIC -I "$grammar/src" -o "$config/runtime/grammars/ptx.so" "$grammar/src/parser.c" "$grammar/src/scanner.c"
  if grep -qs 'language-server.ptx-analyzer' "$config/languages.toml"; then
    echo "$config/languages.toml has an entry for ptx-analyzer already: it stays as it is."
  else
    sed "s|^source = { git = .*|source = { path = \"$grammar\" }|" "$root/editors/helix/languages.toml" >>"$config/languages.toml"
  fi
  on_path
}

emacs_() {
  need emacs
  server
  emacs --batch --eval "(progn (require 'package) (package-initialize) (package-install-file \"$root/editors/emacs/ptx-mode.el\"))"
  echo "Add this line to your init file: (add-hook 'ptx-mode-hook #'eglot-ensure)"
  on_path
}

case ${1:-} in
  vscode) vscode ;;
  neovim) neovim ;;
  helix) helix ;;
  emacs) emacs_ ;;
  *) fail 'name an editor: vscode, neovim, helix or emacs' ;;
esac
