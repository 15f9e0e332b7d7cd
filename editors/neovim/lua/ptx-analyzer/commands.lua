-- The user commands, and how what the server answers is shown.

local M = {}

local function say(message, level)
  vim.notify('ptx-analyzer: ' .. message, level or vim.log.levels.INFO)
end

--- Shows text in a window of its own; `q` closes it. The same title uses the same window again.
---@param title string
---@param text string
---@param filetype string
function M.show(title, text, filetype)
  local name = 'ptx-analyzer://' .. title
  local bufnr = vim.fn.bufnr('^' .. vim.fn.escape(name, '*?[]{}\\') .. '$')
  if bufnr < 0 then
    bufnr = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(bufnr, name)
    vim.bo[bufnr].bufhidden = 'wipe'
    vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = bufnr, desc = 'Close this window' })
  end
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.split(text, '\r?\n'))
  vim.bo[bufnr].modifiable = false
  if vim.fn.bufwinid(bufnr) < 0 then
    vim.cmd('botright split')
    vim.api.nvim_win_set_buf(0, bufnr)
  end
  vim.bo[bufnr].filetype = filetype
end

--- An evaluation, as the contract of `eval --format json` describes it, as Markdown.
---@param answer table
---@return string
local function evaluation(answer)
  local lines = {
    ('# Warp evaluated: %s'):format(answer.status or 'no status'),
    '',
    ('%d warp instructions, %.3f s'):format(answer.warp_instructions or 0, answer.seconds or 0),
  }
  local function section(title, items, format)
    if type(items) == 'table' and next(items) then
      vim.list_extend(lines, { '', '## ' .. title, '' })
      for key, value in vim.spairs(items) do
        lines[#lines + 1] = '- ' .. format(key, value)
      end
    end
  end
  section('Faults', answer.faults, function(_, fault)
    return ('line %s: %s (`%s`)'):format(fault.line or '?', fault.message or '', fault.kind or 'fault')
  end)
  section('Expectations', answer.expectations, function(_, expectation)
    local message = expectation.message and ': ' .. expectation.message or ''
    return ('%s `%s`%s'):format(expectation.ok and 'ok' or 'FAILED', expectation.name or '', message)
  end)
  section('Buffers', answer.buffers, function(name, hex)
    local shown = #hex > 128 and hex:sub(1, 128) .. '…' or hex
    return ('`%s` (%d bytes): `%s`'):format(name, #hex / 2, shown)
  end)
  return table.concat(lines, '\n')
end

--- Text for any answer: what is text already, a warp's evaluation, or the plain value.
---@param command string
---@param answer any
---@return string text, string filetype
local function render(command, answer)
  if type(answer) == 'string' then
    return answer, command:match('Tree$') and 'query' or 'markdown'
  end
  if type(answer) == 'table' and type(answer.markdown) == 'string' then
    return answer.markdown, 'markdown'
  end
  if type(answer) == 'table' and type(answer.status) == 'string' then
    return evaluation(answer), 'markdown'
  end
  return vim.inspect(answer), 'lua'
end

--- Runs a command in the server and shows what it answers.
---@param client_id integer
---@param command string
---@param arguments any[]?
function M.execute(client_id, command, arguments)
  local client = assert(vim.lsp.get_client_by_id(client_id))
  local function on_answer(problem, answer)
    if problem then
      say(problem.message or vim.inspect(problem), vim.log.levels.ERROR)
    elseif answer ~= nil and answer ~= vim.NIL then
      local title = command:gsub('^ptx%-analyzer%.', '')
      M.show(title, render(command, answer))
    end
  end
  local params = { command = command, arguments = arguments or {} }
  if vim.fn.has('nvim-0.11') == 1 then
    client:request('workspace/executeCommand', params, on_answer)
  else
    client.request('workspace/executeCommand', params, on_answer)
  end
end

--- Runs a command of the server for the current buffer.
---@param command string
---@param argument table?
local function execute_here(command, argument)
  local client = vim.lsp.get_clients({ bufnr = 0, name = require('ptx-analyzer.client').name })[1]
  if not client then
    return say('the server does not run for this buffer; see :checkhealth ptx-analyzer', vim.log.levels.WARN)
  end
  local target = vim.tbl_extend('force', { uri = vim.uri_from_bufnr(0) }, argument or {})
  M.execute(client.id, command, { target })
end

--- Asks the server's command line what something means.
---@param query string
local function explain(query)
  local cmd = vim.list_extend(vim.deepcopy(require('ptx-analyzer.config').command()), { 'explain', query })
  local started, failure = pcall(vim.system, cmd, { text = true }, vim.schedule_wrap(function(result)
    if result.code == 0 then
      M.show('explain', vim.trim(result.stdout or ''), 'markdown')
    else
      say(vim.trim(result.stderr or '') ~= '' and vim.trim(result.stderr) or 'nothing is known about ' .. query,
        vim.log.levels.WARN)
    end
  end))
  if not started then
    say(tostring(failure), vim.log.levels.ERROR)
  end
end

local function build_parser(source)
  say('building the tree-sitter parser …')
  require('ptx-analyzer.parser').build({ source = source }, function(problem, path)
    if problem then
      return say(problem, vim.log.levels.ERROR)
    end
    say('built ' .. path)
    local available, why = require('ptx-analyzer.parser').available()
    if not available then
      return say('this Neovim cannot load it: ' .. (why or path), vim.log.levels.ERROR)
    end
    for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
      if vim.api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].filetype == 'ptx' then
        require('ptx-analyzer.parser').start(bufnr)
      end
    end
  end)
end

--- Defines the user commands; harmless to repeat.
function M.define()
  local function command(name, description, options, run)
    vim.api.nvim_create_user_command(name, run, vim.tbl_extend('force', { desc = description }, options))
  end
  command('PtxBuildParser', 'Build the tree-sitter parser for PTX', { nargs = '?', complete = 'dir' }, function(call)
    build_parser(call.args ~= '' and call.args or nil)
  end)
  command('PtxExplain', 'Explain a PTX instruction, modifier, directive or diagnostic', { nargs = '?' }, function(call)
    -- An opcode with its modifiers is one query, without the punctuation around it.
    local query = call.args ~= '' and call.args or vim.fn.expand('<cWORD>'):gsub('[%[%](){};,@!|]+', '')
    if query == '' then
      return say('there is no word under the cursor', vim.log.levels.WARN)
    end
    explain(query)
  end)
  command('PtxEvaluate', 'Evaluate a warp of the entry under the cursor', {}, function()
    execute_here('ptx-analyzer.evaluateWarp', { line = vim.api.nvim_win_get_cursor(0)[1] })
  end)
  command('PtxSyntaxTree', 'Show the syntax tree of this file', {}, function()
    execute_here('ptx-analyzer.showSyntaxTree')
  end)
  command('PtxStatus', 'Show what the server is doing', {}, function()
    execute_here('ptx-analyzer.serverStatus')
  end)
end

return M
