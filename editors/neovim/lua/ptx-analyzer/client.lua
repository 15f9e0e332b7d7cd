-- Starts the server: through `vim.lsp.config` and `vim.lsp.enable` if they exist (Neovim 0.11), otherwise by an
-- autocommand that calls `vim.lsp.start` (0.10). Both use the same configuration.

local config = require('ptx-analyzer.config')

local M = {}

M.name = 'ptx_analyzer'

--- Whether this Neovim keeps a table of server configurations.
---@return boolean
function M.has_lsp_config()
  return vim.lsp.config ~= nil and vim.lsp.enable ~= nil
end

--- The root of the project that a buffer belongs to; nil for a buffer that is not a file on disk (`fugitive://…` and
--- the like).
---@param bufnr integer
---@return string?
function M.root_dir(bufnr)
  local path = vim.api.nvim_buf_get_name(bufnr)
  if path:match('^%a[%w+.-]+://') then
    return nil
  end
  if path == '' then
    return vim.uv.cwd()
  end
  return vim.fs.root(bufnr, config.get().root_markers) or vim.fs.dirname(path)
end

--- Whether the server can be started. If it cannot, says so once, with advice.
---@param cmd string[]|function
---@return boolean
local function can_run(cmd)
  if type(cmd) ~= 'table' or vim.fn.executable(cmd[1]) == 1 then
    return true
  end
  vim.notify_once(
    ('ptx-analyzer: `%s` is not an executable; see :help ptx-analyzer-install'):format(cmd[1]),
    vim.log.levels.WARN
  )
  return false
end

--- Runs a command of the server and shows its result, which Neovim itself would discard.
---@param command { command: string, arguments?: any[] }
---@param context { client_id: integer }
local function run_and_show(command, context)
  require('ptx-analyzer.commands').execute(context.client_id, command.command, command.arguments)
end

--- Shows the short register report of a code lens. The server would show a message.
---@param command { command: string, arguments?: any[] }
---@param context { client_id: integer }
local function show_registers(command, context)
  local argument = vim.tbl_extend('force', (command.arguments or {})[1] or {}, { show = false, first = 1, last = 1 })
  require('ptx-analyzer.commands').execute(context.client_id, command.command, { argument })
end

--- Shows the references that a code lens counts, as a quickfix list.
---@param command { title: string, arguments?: any[] }
---@param context { client_id: integer }
local function show_references(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  local places = (command.arguments or {})[3]
  if client and places then
    local items = vim.lsp.util.locations_to_items(places, client.offset_encoding)
    vim.fn.setqflist({}, ' ', { title = command.title, items = items })
    vim.cmd('botright copen')
  end
end

--- Compares the registers of a function with NVIDIA's assembler. The plugin shows the answer, so the server need not
--- send a message.
---@param command { command: string, arguments?: any[] }
---@param context { client_id: integer }
local function compare_registers(command, context)
  local argument = vim.tbl_extend('force', (command.arguments or {})[1] or {}, { show = false })
  require('ptx-analyzer.commands').compare_registers(context.client_id, argument)
end

--- Shows the machine code of a function in the plugin's own view.
---@param command { command: string, arguments?: any[] }
---@param context { client_id: integer, bufnr?: integer }
local function show_sass(command, context)
  local argument = (command.arguments or {})[1] or {}
  local bufnr = argument.uri and vim.uri_to_bufnr(argument.uri) or context.bufnr or vim.api.nvim_get_current_buf()
  require('ptx-analyzer.sass').show(bufnr, { entry = argument.entry, target = argument.target })
end

--- Shows a warp; the lens and the code action of a kernel call this.
---@param command { command: string, arguments?: any[] }
---@param context { client_id: integer, bufnr?: integer }
local function show_warp(command, context)
  local argument = (command.arguments or {})[1] or {}
  local bufnr = argument.uri and vim.uri_to_bufnr(argument.uri) or context.bufnr or vim.api.nvim_get_current_buf()
  require('ptx-analyzer.warp').evaluate(bufnr, { entry = argument.entry })
end

--- Handles the notification that the server has evaluated a document again after an edit.
---@param _ any
---@param said table
local function on_evaluated(_, said)
  require('ptx-analyzer.warp').on_evaluated(said)
end

--- The initialization options. Other plugins may have merged the settings with files of the project. The assembler and the
--- disassembler are programs that the server executes, so their paths come only from the options of this plugin, and the
--- server accepts them from nowhere else.
---@param settings table?
---@return table
local function initialization_options(settings)
  local options = vim.deepcopy(settings or {})
  local own = config.ptxas()
  local section = options['ptx-analyzer']
  if type(section) == 'table' then
    section.ptxas = own
    section.nvdisasm = config.nvdisasm()
  end
  options.workspaceTrusted = own and type(section) == 'table' or nil
  return options
end

--- The configuration, without the parts that depend on the buffer.
---@return table
function M.defaults()
  return {
    cmd = config.command(),
    filetypes = { 'ptx' },
    settings = config.settings(),
    root_dir = function(bufnr, on_dir)
      local root = M.root_dir(bufnr)
      if root and can_run(vim.lsp.config[M.name].cmd) then
        on_dir(root)
      end
    end,
    -- The server requests its settings after the start; sending them with the start avoids a second check of every
    -- file.
    before_init = function(params, client_config)
      params.initializationOptions = params.initializationOptions or initialization_options(client_config.settings)
      -- These capabilities make lenses executable and let the plugin show evaluations.
      local experimental = { commands = { commands = { 'ptx-analyzer.showReferences', 'ptx-analyzer.showWarp' } } }
      params.capabilities = vim.tbl_deep_extend('keep', params.capabilities, { experimental = experimental })
    end,
    commands = {
      ['ptx-analyzer.showSyntaxTree'] = run_and_show,
      ['ptx-analyzer.serverStatus'] = run_and_show,
      ['ptx-analyzer.registerPressure'] = show_registers,
      ['ptx-analyzer.showReferences'] = show_references,
      ['ptx-analyzer.compareRegisters'] = compare_registers,
      ['ptx-analyzer.sass'] = show_sass,
      ['ptx-analyzer.showWarp'] = show_warp,
    },
    handlers = { ['ptx-analyzer/evaluated'] = on_evaluated },
  }
end

--- Starts the server for one buffer, without `vim.lsp.config`.
---@param bufnr integer
local function start(bufnr)
  local client_config = M.defaults()
  client_config.name = M.name
  client_config.root_dir = M.root_dir(bufnr)
  if vim.bo[bufnr].buftype == '' and client_config.root_dir and can_run(client_config.cmd) then
    vim.lsp.start(client_config, { bufnr = bufnr })
  end
end

--- Calls back for every buffer of these filetypes, loaded now or later.
---@param group integer
---@param filetypes string[]
---@param callback fun(bufnr: integer)
function M.for_buffers(group, filetypes, callback)
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    pattern = filetypes,
    callback = function(event)
      callback(event.buf)
    end,
  })
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.tbl_contains(filetypes, vim.bo[bufnr].filetype) then
      callback(bufnr)
    end
  end
end

local turned_on = false

--- Enables or disables the server for PTX buffers, including open ones, with the current options.
---@param on boolean
function M.enable(on)
  local group = vim.api.nvim_create_augroup('ptx-analyzer-lsp', { clear = true })
  if M.has_lsp_config() then
    if on then
      -- Set only the options that the user has given: the rest is in lsp/ptx_analyzer.lua, and the user's own
      -- vim.lsp.config() has precedence over that file.
      local options = config.get()
      vim.lsp.config(M.name, {
        cmd = options.cmd,
        settings = next(options.settings) and config.settings() or nil,
      })
      -- Neovim skips a configuration whose command is missing, and reports it only in its log.
      M.for_buffers(group, { 'ptx' }, function()
        can_run(vim.lsp.config[M.name].cmd)
      end)
    end
    -- Do not disable a server that the user has enabled in another way.
    if on or turned_on then
      vim.lsp.enable(M.name, on)
    end
    turned_on = on
  elseif on then
    M.for_buffers(group, { 'ptx' }, start)
  else
    for _, client in ipairs(vim.lsp.get_clients({ name = M.name })) do
      vim.lsp.stop_client(client.id)
    end
  end
end

return M
