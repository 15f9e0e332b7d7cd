-- PTX in the strings of other languages: starts the server for them, beside the one of their language. It
-- offers neither formatting nor renaming nor symbols, so these stay where they are.

local client = require('ptx-analyzer.client')
local config = require('ptx-analyzer.config')

local M = {}

M.name = 'ptx_analyzer_inline'

--- The filetypes of Neovim for the languages of the option.
local filetypes = {
  ['cuda-cpp'] = { 'cuda' },
  cpp = { 'cpp' },
  c = { 'c' },
  python = { 'python' },
  rust = { 'rust' },
  llvm = { 'llvm' },
  julia = { 'julia' },
}

---@return string[]
function M.filetypes()
  local out = {}
  for _, language in ipairs(config.get().inline.languages) do
    vim.list_extend(out, filetypes[language] or {})
  end
  return out
end

--- The settings of the server: those of the options, with the architectures of `inline.targets`.
---@return table
local function settings()
  local out = vim.deepcopy(config.settings())
  local section = out['ptx-analyzer']
  if type(section) == 'table' then
    section.ptxas = nil -- this server runs no program
    section.inline = { targets = config.get().inline.targets }
  end
  return out
end

--- Whether the server can be started. If it cannot, nothing is said: these files have a server of their own.
---@param cmd string[]|function
---@return boolean
local function can_run(cmd)
  return type(cmd) ~= 'table' or vim.fn.executable(cmd[1]) == 1
end

---@return table
function M.defaults()
  local cmd = vim.deepcopy(config.command())
  cmd[#cmd + 1] = '--inline'
  return {
    cmd = cmd,
    filetypes = M.filetypes(),
    settings = settings(),
    root_dir = function(bufnr, on_dir)
      local root = client.root_dir(bufnr)
      if root and can_run(vim.lsp.config[M.name].cmd) then
        on_dir(root)
      end
    end,
    before_init = function(params, client_config)
      params.initializationOptions = params.initializationOptions or client_config.settings
    end,
  }
end

--- Starts the server for one buffer, without `vim.lsp.config`.
---@param bufnr integer
local function start(bufnr)
  local client_config = M.defaults()
  client_config.name = M.name
  client_config.root_dir = client.root_dir(bufnr)
  if vim.bo[bufnr].buftype == '' and client_config.root_dir and can_run(client_config.cmd) then
    vim.lsp.start(client_config, { bufnr = bufnr })
  end
end

local turned_on = false

--- Enables or disables the server for host buffers, including open ones, with the current options.
---@param on boolean
function M.enable(on)
  local group = vim.api.nvim_create_augroup('ptx-analyzer-inline', { clear = true })
  on = on and #M.filetypes() > 0
  if client.has_lsp_config() then
    if on then
      local defaults = M.defaults()
      vim.lsp.config(M.name, { cmd = defaults.cmd, filetypes = defaults.filetypes, settings = defaults.settings })
    end
    if on or turned_on then
      vim.lsp.enable(M.name, on)
    end
    turned_on = on
  elseif on then
    client.for_buffers(group, M.filetypes(), start)
  else
    for _, running in ipairs(vim.lsp.get_clients({ name = M.name })) do
      vim.lsp.stop_client(running.id)
    end
  end
end

return M
