-- ptx-analyzer for Neovim: starts the language server for PTX, and provides its filetype, its highlighting and a few
-- commands. Everything works without calling `setup`; `setup` changes options.

local M = {}

local done = false

--- Changes options with immediate effect; may be called repeatedly.
---@param options ptx_analyzer.Options?
function M.setup(options)
  done = true
  local config = require('ptx-analyzer.config')
  config.set(options)
  require('ptx-analyzer.filetype').register()
  require('ptx-analyzer.commands').define()
  require('ptx-analyzer.highlights').define()
  require('ptx-analyzer.dap').register_later()
  require('ptx-analyzer.client').enable(config.get().enable)
  require('ptx-analyzer.inline').enable(config.get().enable and config.get().inline.enable)
end

--- Runs `setup` when the plugin is found on the runtimepath, unless the user has already called it.
function M.setup_once()
  if not done then
    M.setup()
  end
end

return M
