-- Memory at the current step: a window with 16 bytes per line, as bytes or numbers. It follows the steps.

local value = require('ptx-analyzer.warp.value')
local window = require('ptx-analyzer.warp.window')
local commands = require('ptx-analyzer.commands')

local M = {}

local namespace = vim.api.nvim_create_namespace('ptx-analyzer-memory')

local SPACES = { 'shared', 'local', 'param', 'const', 'global' }
-- Default and maximum number of bytes to show. The server stops at the end of the memory.
local LENGTH, MAX_LENGTH = 1024, 65536
local ROW = 16

-- The readings: name and number of bytes per value.
local READINGS = { { 'bytes', 1 }, { 'hex', 4 }, { 'signed', 4 }, { 'float', 4 }, { 'half2', 4 }, { 'double', 8 } }

---@class ptx_analyzer.MemoryPane
---@field bufnr integer
---@field range table the requested memory
---@field title string
---@field reading integer
---@field step integer? the step of the shown bytes
---@field found table? the server's answer
---@field problem string?
---@field before string? the bytes at the previously shown step

---@type table<integer, ptx_analyzer.MemoryPane> by the buffer of the source
local panes = {}

--- Completions: the buffers of the launch, the variables of the file, and the state spaces.
---@param pane ptx_analyzer.Pane
---@param lead string
---@return string[]
function M.names(pane, lead)
  local run = pane.session.run or {}
  local names = type(run.buffers) == 'table' and vim.tbl_keys(run.buffers) or {}
  table.sort(names)
  for _, line in ipairs(vim.api.nvim_buf_get_lines(pane.session.bufnr, 0, -1, false)) do
    local code = line:gsub('//.*$', '')
    -- Skip instructions: their line begins with a letter, while that of a declaration begins with a directive.
    local space, rest = code:match('^[%s%w.]-%.(%a+)%s+(%..*)$')
    local name = space and not code:match('^%s*%a') and vim.tbl_contains(SPACES, space) and space ~= 'param'
      and rest:gsub('%.align%s+%d+', ''):match('([%w_$%%]+)%s*[%[;=]')
    if name and not vim.tbl_contains(names, name) then
      names[#names + 1] = name
    end
  end
  vim.list_extend(names, SPACES)
  return vim.tbl_filter(function(name)
    return vim.startswith(name, lead or '')
  end, names)
end

--- Parses user input: `x`, `x 64 128`, `shared 0x100`, `@7f0000001000 64`.
---@param text string
---@param lane integer
---@return table? range, string? problem
local function range_of(text, lane)
  local words = vim.split(text, '%s+', { trimempty = true })
  local offset, length = words[2] and tonumber(words[2]) or 0, words[3] and tonumber(words[3])
  local address = words[1]:match('^@0?x?(%x+)$')
  if address then
    -- An address has no additional offset.
    length = words[2] and tonumber(words[2]) or LENGTH
    return { address = address, length = math.min(length, MAX_LENGTH) }
  end
  if (words[2] and not tonumber(words[2])) or (words[3] and not length) or offset < 0 then
    return nil, ('`%s` is no offset and length'):format(table.concat(words, ' ', 2))
  end
  local range = { offset = offset, length = math.min(length or LENGTH, MAX_LENGTH) }
  if vim.tbl_contains(SPACES, words[1]) then
    range.space = words[1]
    range.lane = words[1] == 'local' and lane or nil
  else
    range.buffer = words[1]
  end
  return range
end

--- Whether a byte has been written.
local function known(ranges, byte)
  for _, range in ipairs(ranges) do
    if byte >= range[1] and byte < range[2] then
      return true
    end
  end
  return false
end

--- The text of one value of a reading.
---@param bytes string digits
---@param byte integer
---@param reading table
---@return string
local function text_of(bytes, byte, reading)
  if reading[2] == 1 then
    return bytes:sub(2 * byte + 1, 2 * byte + 2)
  end
  local digits = ''
  for at = byte + reading[2] - 1, byte, -1 do
    digits = digits .. value.digits(bytes, 1, at)
  end
  return reading[1] == 'hex' and digits or value.text(digits, reading[1])
end

--- Adds the lines for an answer of the server, 16 bytes each, with their highlights.
---@param memory ptx_analyzer.MemoryPane
---@param lines string[]
---@param marks table[]
local function dump(memory, lines, marks)
  local found, reading = memory.found, READINGS[memory.reading]
  local bytes, start, size = found.bytes, memory.range.offset or tonumber(found.address, 16) or 0, reading[2]
  -- The ranges are relative to the first requested byte.
  local written = type(found.known) == 'table' and found.known or {}
  local pieces, widest = {}, 1
  for byte = 0, #bytes / 2 - size, size do
    local piece = known(written, byte) and text_of(bytes, byte, reading) or (size == 1 and '··' or '—')
    pieces[byte] = piece
    widest = math.max(widest, vim.api.nvim_strwidth(piece))
  end
  for at = 0, #bytes / 2 - 1, ROW do
    local text = ('%06x'):format(start + at)
    marks[#marks + 1] = { #lines, 0, #text, 'PtxWarpLine' }
    for byte = at, at + ROW - size, size do
      local piece = pieces[byte]
      if piece then
        local gap = widest - vim.api.nvim_strwidth(piece) + 1 + (size == 1 and byte % 8 == 0 and 1 or 0)
        local from = #text + gap
        text = text .. (' '):rep(gap) .. piece
        local first, last = 2 * byte + 1, 2 * (byte + size)
        local group
        if not known(written, byte) then
          group = 'PtxWarpUnwritten'
        elseif memory.before and memory.before:sub(first, last) ~= bytes:sub(first, last) then
          group = 'PtxWarpChanged'
        end
        if group then
          marks[#marks + 1] = { #lines, from, from + #piece, group }
        end
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
  local found = memory.found
  local lines = { ('%s  at step %d  as %s'):format(memory.title, memory.step or 0, READINGS[memory.reading][1]) }
  local marks = { { 0, 0, #lines[1], 'PtxWarpTitle' } }
  if found and type(found.bytes) == 'string' and found.bytes ~= '' then
    dump(memory, lines, marks)
  else
    lines[2] = memory.problem or found and found.error or 'there is no such memory here'
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
  session:ask('memory', { state = step, memory = { memory.range } }, function(answer)
    local same = memory.found and memory.found.range == memory.range
    if step ~= memory.step then
      memory.before = same and memory.found.bytes or nil
    end
    memory.found, memory.step, memory.problem = type(answer.memory) == 'table' and answer.memory[1] or nil, step, nil
    if memory.found then
      memory.found.range = memory.range
    end
    paint(memory)
  end, function(problem)
    memory.found, memory.step, memory.problem = nil, step, problem.message
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
  local range, problem = range_of(text, session.lane)
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
      memory.reading = memory.reading % #READINGS + 1
      paint(memory)
    end, { buffer = bufnr, desc = 'Read the bytes in another way', nowait = true })
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
  memory.range, memory.title, memory.found, memory.before, memory.step = range, text, nil, nil, nil
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
    set.statusline = ' %t%=l h: step  f: bytes, words, numbers '
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
