-- Memory at the current step: a window with 16 bytes per line, as values of the type that the user has chosen. It follows
-- the steps. The server reads the bytes and says what memory and which types there are.

local window = require('ptx-analyzer.warp.window')
local commands = require('ptx-analyzer.commands')

local M = {}

local namespace = vim.api.nvim_create_namespace('ptx-analyzer-memory')

-- Default and maximum number of bytes to show. The server stops at the end of the memory.
local LENGTH, MAX_LENGTH = 1024, 65536
local ROW = 16
-- Signs for a value to which nothing was written, of one byte and of several.
local UNWRITTEN_BYTE, UNWRITTEN = '··', '—'

---@class ptx_analyzer.MemoryPane
---@field bufnr integer
---@field range table the requested memory
---@field title string
---@field reading integer the index of the type of its values
---@field step integer? the step of the shown values
---@field answer table? what the server has said of it
---@field problem string?
---@field before table? the values at the previously shown step

---@type table<integer, ptx_analyzer.MemoryPane> by the buffer of the source
local panes = {}

--- What memory and which types there are.
---@param session ptx_analyzer.Session
---@return { buffers: { name: string, space: string }[], spaces: string[], types: string[] }
local function choices(session)
  return session.run and session.run.memory_choices or { buffers = {}, spaces = {}, types = {} }
end

--- Completions: buffers of the launch, variables, and state spaces.
---@param pane ptx_analyzer.Pane
---@param lead string
---@return string[]
function M.names(pane, lead)
  local all = choices(pane.session)
  local names = vim.tbl_map(function(buffer)
    return buffer.name
  end, all.buffers)
  return vim.tbl_filter(function(name)
    return vim.startswith(name, lead or '')
  end, vim.list_extend(names, all.spaces))
end

--- Parses user input: `x`, `x 64 128`, `shared 0x100`, `@7f0000001000 64`.
---@param text string
---@param session ptx_analyzer.Session
---@return table? range, string? problem
local function range_of(text, session)
  local words = vim.split(text, '%s+', { trimempty = true })
  local offset, length = words[2] and tonumber(words[2]) or 0, words[3] and tonumber(words[3])
  local address = words[1]:match('^@0?x?(%x+)$')
  if address then
    -- An address has no additional offset.
    length = words[2] and tonumber(words[2]) or LENGTH
    return { address = address, length = math.min(length, MAX_LENGTH) }
  end
  if (words[2] and not tonumber(words[2])) or (words[3] and not length) or offset < 0 then
    return nil, ('`%s` is not an offset and a length'):format(table.concat(words, ' ', 2))
  end
  local range = { offset = offset, length = math.min(length or LENGTH, MAX_LENGTH) }
  if vim.tbl_contains(choices(session).spaces, words[1]) then
    range.space, range.lane = words[1], session.lane
  else
    range.buffer = words[1]
  end
  return range
end

--- Whether ranges contain some of the bytes of a value.
local function touches(ranges, byte, size)
  for _, range in ipairs(type(ranges) == 'table' and ranges or {}) do
    if byte < range[2] and range[1] < byte + size then
      return true
    end
  end
  return false
end

--- Adds the lines for an answer of the server, 16 bytes each, with their highlights.
---@param memory ptx_analyzer.MemoryPane
---@param lines string[]
---@param marks table[]
local function dump(memory, lines, marks)
  local answer = memory.answer
  local size, values, before = answer.texts.size, answer.texts.values, memory.before
  local start = memory.range.offset or tonumber(answer.address, 16) or 0
  local pieces, widest = {}, 1
  for index, text in ipairs(values) do
    pieces[index] = type(text) == 'string' and text or (size == 1 and UNWRITTEN_BYTE or UNWRITTEN)
    widest = math.max(widest, vim.api.nvim_strwidth(pieces[index]))
  end
  for first = 1, #pieces, ROW / size do
    local text = ('%06x'):format(start + (first - 1) * size)
    marks[#marks + 1] = { #lines, 0, #text, 'PtxWarpLine' }
    for index = first, math.min(first + ROW / size - 1, #pieces) do
      local piece, byte = pieces[index], (index - 1) * size
      local gap = widest - vim.api.nvim_strwidth(piece) + 1 + (size == 1 and byte % 8 == 0 and 1 or 0)
      local from = #text + gap
      text = text .. (' '):rep(gap) .. piece
      local group
      if type(values[index]) ~= 'string' then
        group = 'PtxWarpUnwritten'
      elseif touches(answer.written, byte, size) or (before and before[index] ~= values[index]) then
        group = 'PtxWarpChanged'
      elseif touches(answer.read, byte, size) then
        group = 'PtxWarpRead'
      end
      if group then
        marks[#marks + 1] = { #lines, from, from + #piece, group }
      end
    end
    lines[#lines + 1] = text
  end
end

---@param memory ptx_analyzer.MemoryPane
local function paint(memory)
  if not vim.api.nvim_buf_is_valid(memory.bufnr) then
    return
  end
  local answer = memory.answer
  local shown = memory.range.type and ('  at step %d  as %s'):format(memory.step, memory.range.type) or ''
  local lines = { memory.title .. shown }
  local marks = { { 0, 0, #lines[1], 'PtxWarpTitle' } }
  if answer and answer.texts then
    dump(memory, lines, marks)
  else
    lines[2] = memory.problem or answer and answer.error or ''
  end
  vim.bo[memory.bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(memory.bufnr, 0, -1, false, lines)
  vim.bo[memory.bufnr].modifiable = false
  vim.api.nvim_buf_clear_namespace(memory.bufnr, namespace, 0, -1)
  for _, mark in ipairs(marks) do
    vim.api.nvim_buf_set_extmark(memory.bufnr, namespace, mark[1], mark[2], { end_col = mark[3], hl_group = mark[4] })
  end
end

--- Requests the memory at the step of the evaluation, and shows it.
---@param memory ptx_analyzer.MemoryPane
---@param session ptx_analyzer.Session
local function update(memory, session)
  local state = session:state()
  local step = state and state.step or session.step or 0
  local types = choices(session).types
  local range = vim.tbl_extend('force', memory.range, { type = types[(memory.reading - 1) % math.max(#types, 1) + 1] })
  session:ask('memory', { state = step, memory = { range }, brief = true }, function(answer)
    local piece = type(answer.memory) == 'table' and answer.memory[1] or nil
    local is_same = memory.answer and vim.deep_equal(memory.range, range)
    if step ~= memory.step or not is_same then
      memory.before = is_same and memory.answer.texts and memory.answer.texts.values or nil
    end
    memory.range, memory.answer, memory.step, memory.problem = range, piece, step, nil
    paint(memory)
  end, function(problem)
    memory.answer, memory.step, memory.problem = nil, step, problem.message
    paint(memory)
  end)
end

---@param bufnr integer of the source
function M.forget(bufnr)
  local memory = panes[bufnr]
  panes[bufnr] = nil
  if memory and vim.api.nvim_buf_is_valid(memory.bufnr) then
    pcall(vim.api.nvim_buf_delete, memory.bufnr, { force = true })
  end
end

--- Shows a range of memory; later requests use the same window.
---@param pane ptx_analyzer.Pane
---@param text string
local function show(pane, text)
  local session = pane.session
  local range, problem = range_of(text, session)
  if not range then
    return commands.say(problem or '', vim.log.levels.ERROR)
  end
  local memory = panes[session.bufnr]
  if not memory then
    local bufnr = vim.api.nvim_create_buf(false, true)
    local file = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(session.bufnr), ':t')
    vim.api.nvim_buf_set_name(bufnr, ('ptx-analyzer://%d/memory of %s'):format(session.bufnr, file))
    vim.bo[bufnr].bufhidden, vim.bo[bufnr].modifiable, vim.bo[bufnr].undolevels = 'wipe', false, -1
    vim.bo[bufnr].filetype = 'ptx-memory'
    vim.b[bufnr].ptx_analyzer_source = session.bufnr
    memory = { bufnr = bufnr, reading = 1 }
    panes[session.bufnr] = memory
    vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = bufnr, desc = 'Close this window', nowait = true })
    vim.keymap.set('n', 'f', function()
      memory.reading = memory.reading + vim.v.count1
      update(memory, session)
    end, { buffer = bufnr, desc = 'Read the bytes as values of another type', nowait = true })
    vim.keymap.set('n', 'F', function()
      vim.ui.select(choices(session).types, { prompt = 'Type of the values' }, function(_, index)
        if index then
          memory.reading = index
          update(memory, session)
        end
      end)
    end, { buffer = bufnr, desc = 'Choose the type of the values', nowait = true })
    for key, direction in pairs({ l = 1, h = -1 }) do
      vim.keymap.set('n', key, function()
        session:go((session.step or 0) + direction * vim.v.count1)
      end, { buffer = bufnr, desc = direction > 0 and 'A step forward' or 'A step back', nowait = true })
    end
    local function watcher()
      if panes[session.bufnr] == memory then
        update(memory, session)
      end
    end
    session.watchers[#session.watchers + 1] = watcher
    vim.api.nvim_create_autocmd('BufWipeout', {
      buffer = bufnr,
      callback = function()
        if panes[session.bufnr] == memory then
          panes[session.bufnr] = nil
        end
        session.watchers = vim.tbl_filter(function(other)
          return other ~= watcher
        end, session.watchers)
      end,
    })
  end
  memory.range, memory.title, memory.answer, memory.before, memory.step = range, text, nil, nil, nil
  if vim.fn.bufwinid(memory.bufnr) < 0 then
    local beside = window.window(pane)
    if beside then
      vim.api.nvim_set_current_win(beside)
      vim.cmd('rightbelow vsplit')
    else
      vim.cmd('botright split')
    end
    vim.api.nvim_win_set_buf(0, memory.bufnr)
    local set = vim.wo[vim.api.nvim_get_current_win()]
    set.wrap, set.number, set.relativenumber, set.signcolumn, set.winbar, set.statuscolumn = false, false, false, 'no', '', ''
    set.list, set.spell, set.foldcolumn, set.cursorline = false, false, '0', true
    set.statusline = ' %t%=l h: step  f F: type of values  q: close '
    -- Room for 16 bytes with their offset; the grid keeps the rest.
    if beside and vim.api.nvim_win_get_width(beside) > 60 then
      vim.api.nvim_win_set_width(0, 60)
    end
  end
  paint(memory)
  update(memory, session)
end

--- Shows the named memory, or prompts for a name.
---@param pane ptx_analyzer.Pane
---@param text string?
function M.open(pane, text)
  if text then
    return show(pane, text)
  end
  vim.ui.select(M.names(pane, ''), { prompt = 'Memory' }, function(name)
    if name then
      show(pane, name)
    end
  end)
end

return M
