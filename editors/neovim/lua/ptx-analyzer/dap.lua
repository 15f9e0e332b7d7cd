-- Debugging: registers the adapter and its configurations with nvim-dap, if it is installed.

local config = require('ptx-analyzer.config')

local M = {}

-- The names that identify the configurations of this plugin.
local NAMES = {
  kernel = 'PTX: the kernel at the cursor',
  file = 'PTX: the first kernel of this file',
  launch = 'PTX: a launch file …',
}

--- The adapter, in the form that nvim-dap expects. It is computed when a session starts, so `setup` may run later.
---@param callback fun(adapter: table)
function M.adapter(callback)
  local cmd = config.command()
  callback({
    type = 'executable',
    command = cmd[1],
    args = vim.list_extend(vim.list_slice(cmd, 2), { 'dap' }),
    options = { initialize_timeout_sec = 10 },
  })
end

--- The kernel around the cursor, otherwise the next one below it, otherwise the last one above it.
---@return string?
function M.kernel_at_cursor()
  local cursor = vim.api.nvim_win_get_cursor(0)[1]
  local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  local depth, current, last = 0, nil, nil
  for number, line in ipairs(lines) do
    local code = line:gsub('//.*$', ''):gsub('"[^"]*"', '')
    local name = depth == 0 and code:match('%.entry%s+([%w_$%%]+)')
    if name then
      current, last = name, name
    elseif depth == 0 and code:match('%.func%s') then
      current = nil
    end
    for brace in code:gmatch('[{}]') do
      depth = math.max(0, depth + (brace == '{' and 1 or -1))
    end
    local ends = depth == 0 and code:find('}', 1, true)
    if current and number >= cursor then
      return current
    end
    if ends then
      current = nil
    end
  end
  return last
end

--- The launch configurations. nvim-dap calls the functions in them when a session starts.
---@return table[]
function M.configurations()
  return {
    { type = 'ptx', request = 'launch', name = NAMES.kernel, program = '${file}', entry = M.kernel_at_cursor, stopOnEntry = true },
    { type = 'ptx', request = 'launch', name = NAMES.file, program = '${file}', stopOnEntry = true },
    {
      type = 'ptx',
      request = 'launch',
      name = NAMES.launch,
      program = '${file}',
      launchFile = function()
        return vim.fn.input({ prompt = 'Launch file: ', default = vim.fn.expand('%:p:h') .. '/', completion = 'file' })
      end,
      stopOnEntry = true,
    },
  }
end

--- Registers both with nvim-dap. The user's own settings under the name `ptx` stay.
---@return boolean registered false where nvim-dap is not installed
function M.register()
  local found, dap = pcall(require, 'dap')
  if not found or type(dap) ~= 'table' or type(dap.adapters) ~= 'table' or type(dap.configurations) ~= 'table' then
    return false
  end
  if not dap.adapters.ptx then
    dap.adapters.ptx = M.adapter
  end
  if not dap.configurations.ptx then
    dap.configurations.ptx = M.configurations()
  end
  return true
end

--- Whether nvim-dap is available. Does not load a plugin that the plugin manager loads lazily.
---@return boolean
function M.available()
  return package.loaded['dap'] ~= nil or #vim.api.nvim_get_runtime_file('lua/dap.lua', false) > 0
end

--- Registers when the first PTX file is opened, if nvim-dap is available by then.
function M.register_later()
  vim.api.nvim_create_autocmd('FileType', {
    group = vim.api.nvim_create_augroup('ptx-analyzer-dap', { clear = true }),
    pattern = 'ptx',
    callback = function()
      if config.get().dap and M.available() then
        M.register()
      end
    end,
  })
end

return M
