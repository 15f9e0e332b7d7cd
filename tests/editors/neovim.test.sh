# Neovim without a screen: each scenario starts the editor as a user would; neovim_test.lua performs the checks.

scenario() { neovim_scenario neovim_test.lua "$@"; }

neovim_tests() {
  neovim_plugin
  nvim --version | head -n 1

  # No configuration at all.
  scenario zero-config "$project/operand.ptx"
  check 'neovim: the server was started' server_was_started
  check 'neovim: no server is left behind' until_true 5 servers_gone
  scenario clean "$project/clean.ptx"
  scenario opcode "$project/opcode.ptx"
  scenario commands "$project/clean.ptx"
  scenario colours "$project/clean.ptx"
  scenario presentation "$project/clean.ptx"
  scenario pressure "$project/clean.ptx"
  forget_servers
  scenario quit "$project/operand.ptx"
  check 'neovim: quitting ends the server' until_true 10 servers_gone

  scenario filetypes "$project/article.ptx"
  scenario health "$project/clean.ptx"
  scenario treesitter "$project/clean.ptx"

  # setup{} in init.lua, before the plugin is loaded; the communication with the server is recorded.
  printf 'tee "%s" | ptx-analyzer\n' "$work/heard" >"$work/bin/tapped"
  cat >"$XDG_CONFIG_HOME/nvim/init.lua" <<LUA
require('ptx-analyzer').setup{ cmd = { 'sh', '$work/bin/tapped' }, settings = { target = 'sm_90a' } }
LUA
  HEARD=$work/heard scenario setup "$project/operand.ptx"

  # An assembler in the options is used; one that a plugin has merged into the settings is not executed.
  fake_ptxas
  echo "require('ptx-analyzer').setup{ settings = { ptxas = { path = '~/ptxas' } } }" >"$XDG_CONFIG_HOME/nvim/init.lua"
  scenario ptxas "$project/clean.ptx"
  echo "require('ptx-analyzer').setup{ settings = { ptxas = { path = '~/ptxas' }, nvdisasm = { path = '~/nvdisasm' } } }" >"$XDG_CONFIG_HOME/nvim/init.lua"
  neovim_scenario neovim_sass_test.lua sass "$project/clean.ptx"
  cat >"$XDG_CONFIG_HOME/nvim/init.lua" <<LUA
vim.lsp.config('ptx_analyzer', { settings = { ['ptx-analyzer'] = { ptxas = { path = '$work/home/ptxas' } } } })
LUA
  scenario ptxas-elsewhere "$project/clean.ptx"

  # The user's own rule for the extension has precedence.
  echo "vim.filetype.add{ extension = { ptx = function() return 'mine' end } }" >"$XDG_CONFIG_HOME/nvim/init.lua"
  scenario own-filetype "$project/operand.ptx"

  # The user's own vim.lsp.config() has precedence too.
  echo "if vim.lsp.config then vim.lsp.config('ptx_analyzer', { cmd = { 'ptx-analyzer-of-mine' } }) end" >"$XDG_CONFIG_HOME/nvim/init.lua"
  ln -sf ptx-analyzer "$work/bin/ptx-analyzer-of-mine"
  scenario own-config "$project/operand.ptx"
  rm "$work/bin/ptx-analyzer-of-mine"

  echo 'vim.g.ptx_analyzer = { enable = false, treesitter = false }' >"$XDG_CONFIG_HOME/nvim/init.lua"
  scenario disabled "$project/operand.ptx"

  # As with plugin managers that install the whole repository: the user adds this folder to the runtimepath.
  mv "$XDG_DATA_HOME/nvim/site" "$work/site.away"
  cat >"$XDG_CONFIG_HOME/nvim/init.lua" <<LUA
vim.opt.runtimepath:prepend('$root/editors/neovim')
require('ptx-analyzer').setup()
LUA
  scenario subfolder "$project/operand.ptx"
  mv "$work/site.away" "$XDG_DATA_HOME/nvim/site"

  # Neovim 0.10 has no vim.lsp.config: simulate it by removing the function.
  rm "$XDG_CONFIG_HOME/nvim/init.lua"
  forget_servers
  scenario legacy "$project/operand.ptx" --cmd 'lua vim.lsp.config = nil; vim.lsp.enable = nil'
  check 'neovim: no server is left behind without vim.lsp.config' until_true 5 servers_gone

  # The server is missing.
  mv "$work/bin/ptx-analyzer" "$work/ptx-analyzer.away"
  scenario no-server "$project/operand.ptx" --cmd "lua notified = {}; vim.notify = function(m) table.insert(notified, m) end"
  mv "$work/ptx-analyzer.away" "$work/bin/ptx-analyzer"
}

if have nvim; then neovim_tests; fi
