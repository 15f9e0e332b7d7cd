# Neovim in a terminal: the screen that a user sees.
# shellcheck shell=bash disable=SC2154 # run.sh sets the variables

neovim_screen_tests() {
  local line
  neovim_install <<'LUA'
vim.o.termguicolors = true
vim.o.number = true
vim.diagnostic.config({ virtual_text = true })
LUA

  line=$(line_of "$project/operand.ptx" "$OPERAND_PLANT")
  screen_start nv "cd '$project' && exec env TERM=xterm-256color COLORTERM=truecolor nvim -n -i NONE +$line operand.ptx"
  sees 'neovim: the file opens' nv "$SYMBOL" || true
  # The line with the error has a message after it and a sign before it.
  sees 'neovim: the message stands behind the line' nv "$(literally "$OPERAND_PLANT") +.*■" || true
  sees 'neovim: a sign stands before it' nv "^E +$line " || true
  keep nv neovim-diagnostic
  # The token is underlined: SGR 4, in any notation, occurs on this screen but not before the server has answered.
  if grep -qE $'\e\\[([0-9;:]*;)?4(:[0-9])?[;m]' "$out/neovim-diagnostic.ansi"; then
    ok 'neovim: the token is underlined'
  else
    fail 'neovim: the token is underlined'
  fi

  keys nv '^' K
  if sees 'neovim: hover says what the opcode does' nv "$HOVER_SUMMARY"; then keep nv neovim-hover; fi
  escape nv

  type_text nv ":s/$OPERAND_TOKEN/$OPERAND_FIX/"
  keys nv Enter
  loses 'neovim: repairing the line takes the message away' nv '■' || true
  keys nv u
  sees 'neovim: undo brings it back' nv '■' || true
  type_text nv ':qa!'
  keys nv Enter
  check 'neovim: quits' screen_ends nv
  check 'neovim: no server is left behind' until_true 10 servers_gone
}

if have nvim tmux; then neovim_screen_tests; fi
