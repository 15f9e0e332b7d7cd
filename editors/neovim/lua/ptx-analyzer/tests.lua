-- Tests: runs launches with `//! expect:` lines, lists the results, and marks the lines. The runs leave the evaluation
-- of a buffer unchanged: its grid, its values and its faults.

local commands = require('ptx-analyzer.commands')

local M = {}

local namespace = vim.api.nvim_create_namespace('ptx-analyzer-tests')
-- Number of files that run at a time; each runs one launch at a time.
local AT_ONCE = 2
-- Number of faults of a launch that are listed.
local MAX_FAULTS = 20

---@class ptx_analyzer.TestFile
---@field path string
---@field bufnr integer? the buffer, if it is loaded
---@field uri string
---@field tick integer? changedtick of the buffer when the launches were listed
---@field opened boolean? whether the document was opened in the server for this run only

---@class ptx_analyzer.TestResult
---@field file ptx_analyzer.TestFile
---@field entry string
---@field launch table the launch, as the server lists it
---@field passed boolean
---@field failures { line: integer, text: string }[]
---@field wrong table<integer, string> messages of failed expectations by line

---@class ptx_analyzer.TestRun
---@field cancelled boolean?
---@field cancels table<table, fun()> cancel the requests in progress
---@field closes table<ptx_analyzer.TestFile, fun()> close the files in progress
---@field results ptx_analyzer.TestResult[]

---@type ptx_analyzer.TestRun?
local current

--- Removes the marks of a buffer.
---@param bufnr integer
local function unmark(bufnr)
  if vim.api.nvim_buf_is_valid(bufnr) then
    vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  end
end

--- Marks the expectations of a launch in its buffer.
---@param result ptx_analyzer.TestResult
local function mark(result)
  for _, line in ipairs(result.launch.expect) do
    local why = result.wrong[line]
    -- If every expectation holds or was not evaluated, the run has failed for another reason.
    local failed = why ~= nil or (not result.passed and next(result.wrong) == nil)
    local text = failed and ('✗ ' .. (why or result.failures[1].text)) or '✓'
    vim.api.nvim_buf_set_extmark(result.file.bufnr, namespace, line - 1, 0, {
      virt_text = { { ' ' .. text:gsub('%s+', ' '), failed and 'PtxTestFailed' or 'PtxTestPassed' } },
      virt_text_pos = 'eol',
      hl_mode = 'combine',
      strict = false,
    })
  end
end

--- Removes the marks of a buffer with its next edit.
---@param bufnr integer
local function unmark_on_edit(bufnr)
  local function clear()
    vim.schedule(function()
      unmark(bufnr)
    end)
    return true
  end
  vim.api.nvim_buf_attach(bufnr, false, { on_lines = clear, on_reload = clear })
end

--- The failures of a run. `line` is the place of failures without a place of their own.
---@param answer table
---@param line integer
---@return { line: integer, text: string }[] failures, table<integer, string> wrong
local function judge(answer, line)
  local failures, wrong, more = {}, {}, 0
  if answer.passed then
    return failures, wrong
  end
  local function add(at, text)
    failures[#failures + 1] = { line = at, text = text }
  end
  for _, fault in ipairs(answer.faults) do
    if not fault.expected and #failures < MAX_FAULTS then
      local times = fault.count > 1 and (', %d times in all'):format(fault.count) or ''
      add(fault.line, ('%s (CTA %s, warp %d%s)'):format(fault.message, table.concat(fault.cta, ','), fault.warp, times))
    elseif not fault.expected then
      more = more + 1
    end
  end
  if more > 0 then
    add(line, ('%d more faults'):format(more))
  end
  local cut = answer.status ~= 'finished' and #failures > 0
  if answer.status == 'limit' then
    local reasons = { time = 'the time limit', effort = 'the limit of work' }
    local reason = reasons[answer.limited_by] or 'the limit of instructions'
    local at = type(answer.stopped_at) == 'table' and answer.stopped_at.line or line
    add(at, ('%s ended the run after %d warp instructions'):format(reason, answer.warp_instructions))
  end
  for _, expectation in ipairs(answer.expectations) do
    -- Expectations fail as a matter of course if a fault ends the run.
    if not expectation.ok and not cut then
      local at = type(expectation.range) == 'table' and expectation.range.line or line
      local why = type(expectation.message) == 'string' and expectation.message or 'does not hold'
      add(at, ('%s: %s'):format(expectation.name, why))
      wrong[at] = wrong[at] or ('%s: %s'):format(expectation.name, why)
    end
  end
  if #failures == 0 then
    add(line, ('the run ended with the status "%s"'):format(answer.status))
  end
  return failures, wrong
end

--- The reasons of a refused request.
---@param problem table
---@param line integer
---@return { line: integer, text: string }[]
local function reasons(problem, line)
  local places = type(problem.data) == 'table' and type(problem.data.places) == 'table' and problem.data.places or {}
  local found = { { line = places[1] and places[1].line or line, text = problem.message or vim.inspect(problem) } }
  for index = 2, #places do
    found[#found + 1] = { line = places[index].line, text = places[index].message }
  end
  return found
end

---@param client vim.lsp.Client
---@param method string
---@param params table
local function notify(client, method, params)
  if vim.fn.has('nvim-0.11') == 1 then
    client:notify(method, params)
  else
    client.notify(method, params)
  end
end

---@param client vim.lsp.Client
---@param bufnr integer?
local function is_attached(client, bufnr)
  return bufnr ~= nil and vim.api.nvim_buf_is_loaded(bufnr) and vim.lsp.buf_is_attached(bufnr, client.id)
end

--- Makes the server know the text of a file. Returns false if it has no expectations or cannot be read.
---@param client vim.lsp.Client
---@param file ptx_analyzer.TestFile
---@return boolean
local function open(client, file)
  if is_attached(client, file.bufnr) then
    return true
  end
  local text
  if file.bufnr and vim.api.nvim_buf_is_loaded(file.bufnr) then
    text = table.concat(vim.api.nvim_buf_get_lines(file.bufnr, 0, -1, false), '\n') .. '\n'
  else
    local handle = io.open(file.path, 'rb')
    text = handle and handle:read('*a') or ''
    if handle then
      handle:close()
    end
  end
  -- What a file with tests contains in any case. The server reads the lines.
  if not text:find('//!%s*expect%s*:') then
    return false
  end
  notify(client, 'textDocument/didOpen', {
    textDocument = { uri = file.uri, languageId = 'ptx', version = 0, text = text },
  })
  file.opened = true
  return true
end

---@param client vim.lsp.Client
---@param file ptx_analyzer.TestFile
local function close(client, file)
  -- The file may have been opened in a buffer meanwhile.
  if file.opened and not is_attached(client, vim.fn.bufnr('^' .. vim.fn.escape(file.path, '*?[]{}\\') .. '$')) then
    notify(client, 'textDocument/didClose', { textDocument = { uri = file.uri } })
  end
end

--- Sends a request of a run.
---@param run ptx_analyzer.TestRun
---@param client vim.lsp.Client
---@param command string
---@param argument table
---@param on_answer fun(problem: table?, answer: any)
local function request(run, client, command, argument, on_answer)
  local key = {}
  run.cancels[key] = commands.request(client, { command = command, arguments = { argument } }, function(problem, answer)
    run.cancels[key] = nil
    if not run.cancelled then
      on_answer(problem, answer)
    end
  end)
end

--- Runs the launches of a file with expectations, one after the other.
---@param run ptx_analyzer.TestRun
---@param client vim.lsp.Client
---@param file ptx_analyzer.TestFile
---@param on_end fun()
local function run_file(run, client, file, on_end)
  if not open(client, file) then
    return on_end()
  end
  file.tick = file.bufnr and vim.api.nvim_buf_get_changedtick(file.bufnr)
  run.closes[file] = function()
    close(client, file)
  end
  local function finish()
    run.closes[file]()
    run.closes[file] = nil
    on_end()
  end
  request(run, client, 'ptx-analyzer.launches', { uri = file.uri }, function(problem, answer)
    if problem then
      commands.say(('%s: %s'):format(vim.fs.basename(file.path), problem.message), vim.log.levels.ERROR)
    end
    local queue = {}
    for _, entry in ipairs(not problem and answer.entries or {}) do
      for index, launch in ipairs(entry.launches) do
        if #launch.expect > 0 then
          queue[#queue + 1] = { entry = entry.name, number = index - 1, launch = launch }
        end
      end
    end
    local function next_launch()
      local one = table.remove(queue, 1)
      if not one then
        return finish()
      end
      local argument = { uri = file.uri, entry = one.entry, number = one.number, count = 0, brief = true, follow = false }
      request(run, client, 'ptx-analyzer.evaluateWarp', argument, function(refused, said)
        local result = { file = file, entry = one.entry, launch = one.launch, wrong = {} }
        if refused then
          result.passed, result.failures = false, reasons(refused, one.launch.expect[1])
        else
          result.passed = said.passed == true
          result.failures, result.wrong = judge(said, one.launch.expect[1])
        end
        run.results[#run.results + 1] = result
        next_launch()
      end)
    end
    next_launch()
  end)
end

--- The lines of the list: an error for each failure, and a line for each launch that passes.
---@param results ptx_analyzer.TestResult[]
---@return table[]
local function list_items(results)
  local items = {}
  local function add(result, line, kind, text)
    items[#items + 1] = {
      bufnr = result.file.bufnr,
      filename = not result.file.bufnr and result.file.path or nil,
      lnum = line,
      col = 1,
      type = kind,
      text = text,
    }
  end
  for _, result in ipairs(results) do
    if result.passed then
      add(result, result.launch.line, 'I', ('✓ %s: %s'):format(result.entry, result.launch.text))
    end
    for _, failure in ipairs(result.failures) do
      add(result, failure.line, 'E', ('✗ %s: %s'):format(result.entry, failure.text))
    end
  end
  return items
end

--- Cancels the run in progress.
local function cancel()
  local run = current
  current = nil
  if run then
    run.cancelled = true
    for _, take_back in pairs(run.cancels) do
      take_back()
    end
    for _, close_file in pairs(run.closes) do
      close_file()
    end
  end
end

--- Marks the results in the buffers, and shows them in the list.
---@param results ptx_analyzer.TestResult[]
---@param window integer? the window whose location list is set; otherwise it is the quickfix list
---@param title string
local function show(results, window, title)
  vim.api.nvim_set_hl(0, 'PtxTestPassed', { default = true, link = 'DiagnosticOk' })
  vim.api.nvim_set_hl(0, 'PtxTestFailed', { default = true, link = 'DiagnosticError' })
  local marked, failed = {}, 0
  for _, result in ipairs(results) do
    local bufnr = result.file.bufnr
    if bufnr and vim.api.nvim_buf_is_loaded(bufnr) and vim.api.nvim_buf_get_changedtick(bufnr) == result.file.tick then
      if not marked[bufnr] then
        marked[bufnr] = true
        unmark(bufnr)
        unmark_on_edit(bufnr)
      end
      mark(result)
    end
    failed = failed + (result.passed and 0 or 1)
  end
  local what = { title = title, items = list_items(results) }
  -- The list opens for failures only, and the cursor stays: the user goes on while launches run.
  local here = vim.api.nvim_get_current_win()
  if window then
    vim.fn.setloclist(window, {}, ' ', what)
    if failed > 0 then
      vim.api.nvim_win_call(window, function()
        vim.cmd('lopen')
      end)
    end
  else
    vim.fn.setqflist({}, ' ', what)
    if failed > 0 then
      vim.cmd('botright copen')
    end
  end
  if vim.api.nvim_win_is_valid(here) then
    vim.api.nvim_set_current_win(here)
  end
  local pass = #results == 1 and 'launch passes' or 'launches pass'
  commands.say(('%d of %d %s'):format(#results - failed, #results, pass), failed > 0 and vim.log.levels.WARN or nil)
end

--- Runs files, a few at a time.
---@param client vim.lsp.Client
---@param files ptx_analyzer.TestFile[]
---@param on_end fun(results: ptx_analyzer.TestResult[])
local function run_files(client, files, on_end)
  cancel()
  local run = { cancels = {}, closes = {}, results = {} }
  current = run
  local queue = vim.list_slice(files)
  local busy = math.min(AT_ONCE, #queue)
  local function next_file()
    if run.cancelled then
      return
    end
    local file = table.remove(queue, 1)
    if file then
      -- Without the detour, many files without expectations would block the editor.
      return run_file(run, client, file, vim.schedule_wrap(next_file))
    end
    busy = busy - 1
    if busy <= 0 then
      current = nil
      local order = {}
      for index, one in ipairs(files) do
        order[one] = index
      end
      table.sort(run.results, function(a, b)
        return order[a.file] ~= order[b.file] and order[a.file] < order[b.file] or a.file == b.file and a.launch.line < b.launch.line
      end)
      on_end(run.results)
    end
  end
  for _ = 1, math.max(1, busy) do
    next_file()
  end
end

--- Runs the launches of a buffer, and shows the results in the location list.
---@param bufnr integer
function M.run(bufnr)
  local client = commands.client_here(bufnr)
  if not client then
    return
  end
  local window = vim.api.nvim_get_current_win()
  local file = { path = vim.api.nvim_buf_get_name(bufnr), bufnr = bufnr, uri = vim.uri_from_bufnr(bufnr) }
  run_files(client, { file }, function(results)
    if #results == 0 then
      unmark(bufnr)
      return commands.say('no launch of this file has an `//! expect:` line', vim.log.levels.WARN)
    end
    local shown = vim.api.nvim_win_is_valid(window) and vim.api.nvim_win_get_buf(window) == bufnr
    show(results, shown and window or nil, 'Tests of ' .. vim.fs.basename(file.path))
  end)
end

--- Runs the launches of all files below the working directory, and shows the results in the quickfix list.
function M.run_all()
  local client = commands.client_of(0) or vim.lsp.get_clients({ name = require('ptx-analyzer.client').name })[1]
  if not client then
    return commands.say('the server does not run; open a PTX file first', vim.log.levels.WARN)
  end
  local folder = vim.fn.getcwd()
  local files = {}
  for _, path in ipairs(vim.fn.globpath(vim.fn.escape(folder, '*?[]{},\\'), '**/*.ptx', false, true)) do
    path = vim.fs.normalize(path)
    local bufnr = vim.fn.bufnr('^' .. vim.fn.escape(path, '*?[]{}\\') .. '$')
    local loaded = bufnr > 0 and vim.api.nvim_buf_is_loaded(bufnr)
    files[#files + 1] = { path = path, bufnr = loaded and bufnr or nil, uri = vim.uri_from_fname(path) }
  end
  run_files(client, files, function(results)
    if #results == 0 then
      return commands.say(('no launch in %s has an `//! expect:` line'):format(folder), vim.log.levels.WARN)
    end
    show(results, nil, 'Tests of ' .. folder)
  end)
end

--- Removes all marks, and cancels the run in progress.
function M.clear()
  cancel()
  vim.iter(vim.api.nvim_list_bufs()):each(unmark)
end

---@param bufnr integer
---@param entry string
---@param number integer
local function debug_launch(bufnr, entry, number)
  require('dap').run({
    type = 'ptx',
    request = 'launch',
    name = ('PTX: %s, launch %d'):format(entry, number + 1),
    program = vim.api.nvim_buf_get_name(bufnr),
    entry = entry,
    number = number,
    stopOnEntry = true,
  })
end

--- Debugs the launch at a line: the one that is written there, otherwise one of the kernel around or below the line.
---@param bufnr integer
---@param line integer
function M.debug(bufnr, line)
  local client = commands.client_here(bufnr)
  if not client then
    return
  elseif not require('ptx-analyzer.dap').register() then
    return commands.say('nvim-dap is not installed', vim.log.levels.WARN)
  elseif vim.bo[bufnr].modified then
    return commands.say('save the file first: the debugger reads it from disk', vim.log.levels.WARN)
  end
  local argument = { uri = vim.uri_from_bufnr(bufnr), line = line }
  commands.request(client, { command = 'ptx-analyzer.launches', arguments = { argument } }, function(problem, answer)
    local entry = not problem and answer.entries[1]
    if not entry then
      return commands.say(problem and problem.message or 'there is no kernel here', vim.log.levels.ERROR)
    end
    for index, launch in ipairs(entry.launches) do
      if launch.line <= line and line <= launch.end_line then
        return debug_launch(bufnr, entry.name, index - 1)
      end
    end
    if #entry.launches < 2 then
      return debug_launch(bufnr, entry.name, 0)
    end
    vim.ui.select(entry.launches, {
      prompt = 'Launch of ' .. entry.name,
      format_item = function(launch)
        return ('line %d: %s'):format(launch.line, launch.text)
      end,
    }, function(launch, index)
      if launch then
        debug_launch(bufnr, entry.name, index - 1)
      end
    end)
  end)
end

return M
