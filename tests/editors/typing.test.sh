# Typing kernels in Neovim and Helix, by the keys of a terminal; VS Code's part is vscode/typing.mjs.
# shellcheck shell=bash disable=SC2154 # run.sh sets the variables

# typed_text LINES KERNEL: prints the first lines of a kernel. If the editor does not close brackets, a part of a kernel
# is sufficient.
typed_text() { head -n "$1" "$root/tests/kernels/$2.ptx"; }

# typed SESSION FILE PACE [pairs]: types the file, and prints the number of keys.
typed() { node "$here/vscode/terminal-keys.mjs" "$tmux_socket" "$@"; }

without_indentation() { sed 's/^[[:blank:]]*//' "$1"; }

# Neovim's own completion opens automatically; nothing in its list is selected, as `:help lsp-autocompletion` describes.
neovim_types() {
  local kernel=$1 lines=$2 pace=$3 wanted=$project/wanted.ptx count
  typed_text "$lines" "$kernel" >"$wanted"
  rm -f "$project/typed.ptx"
  screen_start nvt "cd '$project' && exec env TERM=xterm-256color nvim -n -i NONE typed.ptx"
  until_true 20 server_was_started || true
  keys nvt i
  sleep 0.5
  count=$(typed nvt "$wanted" "$pace")
  sleep 1
  escape nvt
  # The last Enter has begun one more line than the file has.
  type_text nvt ':$d|w|qa!'
  keys nvt Enter
  check "neovim: quits after $kernel" screen_ends nvt
  if cmp -s "$wanted" "$project/typed.ptx"; then
    ok "neovim: $kernel typed at $pace ms a key: $count keys, 0 bytes differ"
  else
    fail "neovim: $kernel typed at $pace ms a key: $count keys"
    diff "$wanted" "$project/typed.ptx" | head -n 12 | sed 's/^/  | /'
  fi
}

# Helix closes brackets automatically and indents only new lines: a user moves labels, guards and continuation lines. So
# compare without indentation.
helix_types() {
  local kernel=$1 lines=$2 pace=$3 wanted=$project/wanted.ptx count
  typed_text "$lines" "$kernel" >"$wanted"
  rm -f "$project/typed.ptx"
  screen_start hxt "cd '$project' && exec env TERM=xterm-256color COLORTERM=truecolor hx typed.ptx"
  sleep 1.5
  keys hxt i
  count=$(typed hxt "$wanted" "$pace" pairs)
  # Helix may still be processing the keys.
  sleep 6
  escape hxt
  type_text hxt ':wq!'
  keys hxt Enter
  check "helix: quits after $kernel" screen_ends hxt
  # The last Enter has begun one more line than the file has: `$(…)` drops it.
  if diff <(echo "$(without_indentation "$wanted")") <(echo "$(without_indentation "$project/typed.ptx")") >"$work/typed.diff"; then
    ok "helix: $kernel typed at $pace ms a key: $count keys, 0 of them lost"
  else
    fail "helix: $kernel typed at $pace ms a key: $count keys"
    head -n 12 "$work/typed.diff" | sed 's/^/  | /'
  fi
}

typing_tests() {
  if have nvim; then
    neovim_install <<'LUA'
vim.o.shiftwidth = 4
vim.o.expandtab = true
vim.o.completeopt = 'menuone,noselect,popup'
vim.api.nvim_create_autocmd('LspAttach', {
  callback = function(event)
    vim.lsp.completion.enable(true, event.data.client_id, event.buf, { autotrigger = true })
  end,
})
LUA
    neovim_types saxpy 1000 0
    neovim_types wgmma_tile 1000 0
    neovim_types saxpy 26 40
  fi
  if have hx; then
    helix_install <<'TOML'
[editor]
continue-comments = false
TOML
    hx --grammar build >"$work/hx-build.log" 2>&1 || true
    # Type whole kernels: with a part of one, the brackets that Helix closed would remain.
    helix_types saxpy 1000 0
    helix_types saxpy 1000 10
  fi
}

if have tmux node; then typing_tests; fi
