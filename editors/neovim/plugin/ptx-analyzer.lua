-- Makes the plugin work without any configuration. `setup()` may run before or after this file.
if vim.g.loaded_ptx_analyzer then
  return
end
vim.g.loaded_ptx_analyzer = true

if vim.fn.has('nvim-0.10') == 0 then
  vim.notify_once('ptx-analyzer needs Neovim 0.10 or newer', vim.log.levels.ERROR)
  return
end

require('ptx-analyzer').setup_once()
