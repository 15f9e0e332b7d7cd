-- PTX in the strings of other languages: starts the server for them, beside the one of their language. It
-- offers neither formatting nor renaming nor symbols, so these stay where they are.

local client = require('ptx-analyzer.client')
local commands = require('ptx-analyzer.commands')
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
    section.ptxas, section.nvdisasm = nil, nil -- this server runs no program
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

--- Evaluates a kernel as soon as its server runs.
---@param bufnr integer
---@param line integer the line, counted from 1, at which the view begins
local function evaluate_when_attached(bufnr, line)
  local function evaluate()
    require('ptx-analyzer.warp').evaluate(bufnr, { line = line })
  end
  if commands.client_of(bufnr) then
    return evaluate()
  end
  vim.api.nvim_create_autocmd('LspAttach', {
    buffer = bufnr,
    callback = function(event)
      local attached = vim.lsp.get_client_by_id(event.data.client_id)
      if attached and attached.name == client.name then
        vim.schedule(evaluate)
        return true
      end
    end,
  })
end

--- Opens the statement with PTX at a line of a buffer as a kernel in a window beside it, and evaluates that.
---@param bufnr integer
---@param line integer counted from 1
function M.evaluate(bufnr, line)
  local running = vim.lsp.get_clients({ bufnr = bufnr, name = M.name })[1]
  if not running then
    return commands.say('the server for PTX in strings does not run for this buffer', vim.log.levels.WARN)
  end
  local argument = { uri = vim.uri_from_bufnr(bufnr), line = line - 1 }
  commands.request(running, { command = 'ptx-analyzer.inlineKernel', arguments = { argument } }, function(problem, answer)
    if problem then
      return commands.say(problem.message or vim.inspect(problem), vim.log.levels.ERROR)
    end
    -- A file, because the server for PTX follows files. Neovim removes its folder of temporary files when it ends.
    local path = ('%s-%s.ptx'):format(vim.fn.tempname(), answer.name)
    vim.fn.writefile(vim.split(answer.text, '\n'), path)
    vim.cmd('vsplit ' .. vim.fn.fnameescape(path))
    vim.bo.filetype = 'ptx'
    vim.api.nvim_win_set_cursor(0, { answer.line + 1, 0 })
    evaluate_when_attached(vim.api.nvim_get_current_buf(), answer.line + 1)
  end)
end

return M
