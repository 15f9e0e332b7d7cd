-- The user commands, and the display of the server's answers.

local M = {}

local function say(message, level)
  vim.notify('ptx-analyzer: ' .. message, level or vim.log.levels.INFO)
end

M.say = say

--- Shows text in a separate window; `q` closes it. Texts with the same title share one window.
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
  -- Set it only if it changes: setting it again would undo changes of its plugins, and some of them report errors.
  if vim.bo[bufnr].filetype ~= filetype then
    vim.bo[bufnr].filetype = filetype
  end
end

--- The text for an answer: a string as it is, any other value printed.
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
  return vim.inspect(answer), 'lua'
end

--- Sends a command to the server. Returns a function that cancels the request.
---@return fun() cancel takes the question back
function M.request(client, params, on_answer)
  local colon = vim.fn.has('nvim-0.11') == 1
  local function call(name, ...)
    if colon then
      return client[name](client, ...)
    end
    return client[name](...)
  end
  local sent, id = call('request', 'workspace/executeCommand', params, on_answer)
  return function()
    if sent then
      call('cancel_request', id)
    end
  end
end

--- Runs a command in the server and shows its answer.
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
  M.request(client, { command = command, arguments = arguments or {} }, on_answer)
end

--- The client of a buffer; nil if it has none.
---@param bufnr integer
---@return vim.lsp.Client?
function M.client_of(bufnr)
  return vim.lsp.get_clients({ bufnr = bufnr, name = require('ptx-analyzer.client').name })[1]
end

--- The client of a buffer, by default the current one. Shows a message if it has none.
---@param bufnr integer?
---@return vim.lsp.Client?
local function client_here(bufnr)
  local client = M.client_of(bufnr or 0)
  if not client then
    say('the server does not run for this buffer; see :checkhealth ptx-analyzer', vim.log.levels.WARN)
  end
  return client
end

M.client_here = client_here

--- Runs a command of the server for the current buffer.
---@param command string
---@param argument table?
local function execute_here(command, argument)
  local client = client_here()
  if not client then
    return
  end
  local target = vim.tbl_extend('force', { uri = vim.uri_from_bufnr(0) }, argument or {})
  M.execute(client.id, command, { target })
end

--- Compares the register estimates of a file with NVIDIA's assembler, and shows both. `<CR>` on a line goes to the
--- function or to the mistake.
---@param client_id integer
---@param argument { uri: string, entry?: string, target?: string }
function M.compare_registers(client_id, argument)
  local client = assert(vim.lsp.get_client_by_id(client_id))
  local function on_answer(problem, answer)
    if problem then
      return say(problem.message or vim.inspect(problem), vim.log.levels.ERROR)
    end
    M.show('compareRegisters', vim.trim(answer.markdown), 'markdown')
    local shown = vim.fn.bufnr('^ptx-analyzer://compareRegisters$')
    local source = vim.uri_to_bufnr(answer.uri)
    vim.b[shown].ptx_analyzer_source = source
    vim.keymap.set('n', '<CR>', function()
      local line = vim.api.nvim_get_current_line()
      local row = tonumber(line:match('^| `[^`]*` *| *(%d+) |') or line:match('^%- line (%d+):'))
      local window = vim.fn.bufwinid(source)
      if row and window > 0 then
        vim.api.nvim_set_current_win(window)
        vim.cmd(("normal! m'%dG^"):format(row))
      end
    end, { buffer = shown, desc = 'Go to the line' })
  end
  M.request(client, { command = 'ptx-analyzer.compareRegisters', arguments = { argument } }, on_answer)
end

--- Completions for `:PtxCompareRegisters`, `:PtxSass` and `:PtxEvaluate`: the kernels of this buffer.
---@param lead string
---@return string[]
local function kernels(lead)
  local names = {}
  for _, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local name = line:match('%.entry%s+([%w_$%%]+)')
    if name and vim.startswith(name, lead) then
      names[#names + 1] = name
    end
  end
  return names
end

--- The words after `:PtxCompareRegisters` and `:PtxSass`: a kernel and an architecture, in any order.
---@param words string[]
---@return { entry?: string, target?: string }
function M.kernel_and_target(words)
  local out = {}
  for _, word in ipairs(words) do
    out[word:match('^sm_%d+%a?$') and 'target' or 'entry'] = word
  end
  return out
end

--- Lets the server check all PTX files of the project, and lists the diagnostics.
local function check_workspace()
  local client = vim.lsp.get_clients({ name = require('ptx-analyzer.client').name })[1]
  if not client then
    return say('the server does not run; open a PTX file first', vim.log.levels.WARN)
  end
  local function on_answer(problem, answer)
    if problem then
      return say(problem.message or vim.inspect(problem), vim.log.levels.ERROR)
    end
    local more = answer.more and ' (there are more files than `workspace.files` allows)' or ''
    say(('%d files besides the open ones: %d errors, %d warnings%s'):format(
      answer.files, answer.errors, answer.warnings, more))
    if vim.diagnostic.count and next(vim.diagnostic.count()) then
      vim.diagnostic.setqflist({ title = 'PTX of the workspace' })
    end
  end
  M.request(client, { command = 'ptx-analyzer.checkWorkspace' }, on_answer)
end

--- Shows an explanation by the server's command line.
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

--- Defines the user commands. Repeated calls are harmless.
function M.define()
  local function command(name, description, options, run)
    vim.api.nvim_create_user_command(name, run, vim.tbl_extend('force', { desc = description }, options))
  end
  command('PtxBuildParser', 'Build the tree-sitter parser for PTX', { nargs = '?', complete = 'dir' }, function(call)
    build_parser(call.args ~= '' and call.args or nil)
  end)
  command('PtxExplain', 'Explain a PTX instruction, modifier, directive or diagnostic', { nargs = '?' }, function(call)
    -- An opcode with its modifiers is one query; remove the punctuation around it.
    local query = call.args ~= '' and call.args or vim.fn.expand('<cWORD>'):gsub('[%[%](){};,@!|]+', '')
    if query == '' then
      return say('there is no word under the cursor', vim.log.levels.WARN)
    end
    explain(query)
  end)
  command('PtxSyntaxTree', 'Show the syntax tree of this file', {}, function()
    execute_here('ptx-analyzer.showSyntaxTree')
  end)
  command('PtxCheckWorkspace', 'Check all PTX files of the project', {}, check_workspace)
  command('PtxPressure', 'Show in each line how many registers hold a value, or hide it', {}, function()
    local bufnr = vim.api.nvim_get_current_buf()
    if client_here(bufnr) then
      require('ptx-analyzer.pressure').toggle(bufnr)
    end
  end)
  command('PtxCompareRegisters', 'Compare registers with what ptxas says', { nargs = '*', complete = kernels }, function(call)
    -- If the command runs in the table, it applies to the same file as before.
    local bufnr = vim.b.ptx_analyzer_source or vim.api.nvim_get_current_buf()
    local client = client_here(bufnr)
    if not client then
      return
    end
    local argument = M.kernel_and_target(call.fargs)
    argument.uri = vim.uri_from_bufnr(bufnr)
    M.compare_registers(client.id, argument)
  end)
  command('PtxSass', 'Show the machine code of the kernel at the cursor; with !, of the whole module', { nargs = '*', bang = true, complete = kernels }, function(call)
    require('ptx-analyzer.sass').command(call)
  end)
  command('PtxSource', 'Go to the line of the source file that this line comes from', {}, function()
    require('ptx-analyzer.sass').source()
  end)
  -- Load the evaluation code on first use, not when Neovim starts.
  local function warp(name, description, options, run)
    command(name, description, options, function(call)
      require('ptx-analyzer.warp.commands')[run](call)
    end)
  end
  warp('PtxEvaluate', 'Evaluate warp: the kernel at the cursor, or the statement with PTX in C++ or Python', { nargs = '?', bang = true, range = true, complete = kernels }, 'evaluate')
  warp('PtxEvaluateClear', 'Take the evaluation of this file away', {}, 'clear')
  warp('PtxStep', 'Go to a step, or to the next one that executes this line', { nargs = '?', bang = true }, 'step')
  warp('PtxLane', 'Choose the lane whose values are shown in the text', { nargs = '?' }, 'lane')
  warp('PtxWarp', 'Look at another warp: its number, and that of its CTA', { nargs = '+' }, 'warp')
  warp('PtxResult', 'Show what came of the evaluation', {}, 'result')
  warp('PtxFaults', 'List the faults of the evaluation', {}, 'faults')
  warp('PtxFilter', 'Choose which registers the grid shows', { nargs = '*' }, 'filter')
  warp('PtxLaunch', 'Choose or edit the launch that is evaluated', { nargs = '*' }, 'launch')
  warp('PtxMemory', 'Show memory at the step of the evaluation', {
    nargs = '*',
    complete = function(lead)
      return require('ptx-analyzer.warp.commands').memory_names(lead)
    end,
  }, 'memory')
  local function tests(name, description, options, run)
    command(name, description, options, function(call)
      run(require('ptx-analyzer.tests'), call)
    end)
  end
  tests('PtxTests', 'Run the launches with expectations of this file, or with ! of all files', { bang = true }, function(module, call)
    if call.bang then
      module.run_all()
    else
      module.run(vim.api.nvim_get_current_buf())
    end
  end)
  tests('PtxTestsClear', 'Remove the marks of test results, and cancel the run', {}, function(module)
    module.clear()
  end)
  tests('PtxTestDebug', 'Debug the launch at the cursor with nvim-dap', { range = true }, function(module, call)
    module.debug(vim.api.nvim_get_current_buf(), call.line1)
  end)
  command('PtxStatus', 'Show what the server is doing', {}, function()
    execute_here('ptx-analyzer.serverStatus')
  end)
end

return M
