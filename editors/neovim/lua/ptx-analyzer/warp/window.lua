-- The window with the grid, its keys, and the marks of an evaluation in the window of the source.

local grid = require('ptx-analyzer.warp.grid')
local readings = require('ptx-analyzer.warp.readings')
local config = require('ptx-analyzer.config')

local M = {}

local namespace = vim.api.nvim_create_namespace('ptx-analyzer-warp')
local source_namespace = vim.api.nvim_create_namespace('ptx-analyzer-warp-source')

local links = {
  PtxWarpTitle = 'Title',
  PtxWarpLabel = 'Comment',
  PtxWarpLine = 'LineNr',
  PtxWarpName = 'Identifier',
  PtxWarpType = 'Type',
  PtxWarpUniform = 'Comment',
  PtxWarpUnwritten = 'NonText',
  PtxWarpChanged = 'DiffText',
  PtxWarpChangedName = 'DiagnosticInfo',
  PtxWarpRead = 'Underlined',
  PtxWarpDiverged = 'Comment',
  PtxWarpUnspecified = 'DiagnosticWarn',
  PtxWarpApproximate = 'DiagnosticHint',
  PtxWarpFault = 'DiagnosticError',
  PtxWarpPassed = 'DiagnosticOk',
  PtxWarpGuess = 'DiagnosticWarn',
  PtxWarpLane = 'WinBar',
  PtxWarpFocus = 'PmenuSel',
  -- Hints, which themes show faintly, must stay readable on this background.
  PtxWarpStep = 'CursorLine',
  PtxWarpSign = 'DiagnosticInfo',
}

local function define_highlights()
  for name, to in pairs(links) do
    vim.api.nvim_set_hl(0, name, { link = to, default = true })
  end
  vim.api.nvim_set_hl(0, 'PtxWarpExited', { strikethrough = true, fg = vim.api.nvim_get_hl(0, { name = 'Comment', link = false }).fg, default = true })
end

---@class ptx_analyzer.Pane
---@field session ptx_analyzer.Session
---@field bufnr integer
---@field view ptx_analyzer.View
---@field picture ptx_analyzer.Picture?
---@field own_readings table<string, string> what the server chose for registers before the user did
---@field title string? the reading that was chosen for all registers
---@field source_window integer? where the source was when it was evaluated
---@field follow boolean

---@type table<integer, ptx_analyzer.Pane> by the buffer of the source
local panes = {}

---@param bufnr integer of a source
---@return ptx_analyzer.Pane?
function M.of(bufnr)
  return panes[bufnr]
end

--- The evaluation whose grid or source is in a buffer.
---@param bufnr integer
---@return ptx_analyzer.Pane?
function M.here(bufnr)
  for _, pane in pairs(panes) do
    if pane.bufnr == bufnr then
      return pane
    end
  end
  return panes[bufnr] or panes[vim.b[bufnr].ptx_analyzer_source or -1]
end

---@param pane ptx_analyzer.Pane
---@return integer? window
function M.window(pane)
  local window = vim.fn.bufwinid(pane.bufnr)
  if window > 0 then
    return window
  end
  return vim.fn.win_findbuf(pane.bufnr)[1]
end

--- The window of the source: the one from which it was evaluated, while it shows the source.
---@param pane ptx_analyzer.Pane
---@return integer?
function M.source_window(pane)
  local window = pane.source_window
  if window and vim.api.nvim_win_is_valid(window) and vim.api.nvim_win_get_buf(window) == pane.session.bufnr then
    return window
  end
  window = vim.fn.bufwinid(pane.session.bufnr)
  return window > 0 and window or nil
end

--- Marks the line of the step in the source, and scrolls to it if the user has enabled this.
---@param pane ptx_analyzer.Pane
local function show_line(pane)
  local session = pane.session
  vim.api.nvim_buf_clear_namespace(session.bufnr, source_namespace, 0, -1)
  local state = session:state()
  local step = state and session:trace(state.step - 1)
  local line = step and step.line
  if not line or line > vim.api.nvim_buf_line_count(session.bufnr) or not M.window(pane) then
    return
  end
  vim.api.nvim_buf_set_extmark(session.bufnr, source_namespace, line - 1, 0, {
    line_hl_group = 'PtxWarpStep',
    sign_text = '▶',
    sign_hl_group = 'PtxWarpSign',
    priority = 200,
  })
  local window = M.source_window(pane)
  if pane.follow and window and window ~= vim.api.nvim_get_current_win() then
    vim.api.nvim_win_set_cursor(window, { line, math.max((step.column or 1) - 1, 0) })
  end
end

--- Goes to the step nearest to the current one that executes the line of the cursor. A line that the warp does not
--- execute has no effect.
---@param pane ptx_analyzer.Pane
local function follow_cursor(pane)
  local session = pane.session
  local state = session:state()
  -- After an edit, line numbers differ from those of the run until the kernel has been evaluated again.
  local same_text = vim.lsp.util.buf_versions[session.bufnr] == session.version
  if not pane.follow or not state or not same_text or not M.window(pane) then
    return
  end
  local line = vim.api.nvim_win_get_cursor(0)[1]
  local shown = session:trace(state.step - 1)
  local is_shown = shown and shown.line <= line and line <= (shown.end_line or shown.line)
  local step = not is_shown and session:nearest(line)
  if step then
    session:go(step)
  end
end

--- Draws the grid as it is now.
---@param pane ptx_analyzer.Pane
function M.paint(pane)
  local window = M.window(pane)
  if not window or not vim.api.nvim_buf_is_valid(pane.bufnr) then
    return
  end
  local view = pane.view
  view.width = vim.api.nvim_win_get_width(window)
  local state = pane.session:state()
  local name = M.name_under_cursor(pane, window)
  -- A visible lane stays visible when cells become wider.
  local lane, before = pane.session.lane, pane.picture
  local in_sight = before and lane >= before.first and lane < before.first + before.shown
  local picture = grid.draw(pane.session, view)
  if in_sight and picture.shown > 0 and lane >= picture.first + picture.shown then
    view.first = lane - picture.shown + 1
    picture = grid.draw(pane.session, view)
  end
  view.first = picture.first
  local saved = vim.api.nvim_win_call(window, vim.fn.winsaveview)
  vim.bo[pane.bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(pane.bufnr, 0, -1, false, picture.lines)
  vim.bo[pane.bufnr].modifiable = false
  vim.api.nvim_buf_clear_namespace(pane.bufnr, namespace, 0, -1)
  for _, mark in ipairs(picture.marks) do
    vim.api.nvim_buf_set_extmark(pane.bufnr, namespace, mark.row, mark.from, {
      end_col = mark.to,
      hl_group = mark.group,
      hl_mode = 'combine',
    })
  end
  pane.picture = picture
  -- Keep the cursor at its register if the number of lines above it changes.
  if name and picture.rows[saved.lnum] ~= name then
    for line, other in pairs(picture.rows) do
      if other == name then
        saved.topline = saved.topline + (saved.topline > 1 and line - saved.lnum or 0)
        saved.lnum = line
        break
      end
    end
  end
  vim.api.nvim_win_call(window, function()
    vim.fn.winrestview(saved)
  end)
  vim.wo[window].winbar = picture.header
  if state and not pane.placed then
    -- Place the cursor at the first register instead of the heading.
    pane.placed = true
    local first = math.huge
    for line in pairs(picture.rows) do
      first = math.min(first, line)
    end
    if first < math.huge then
      vim.api.nvim_win_set_cursor(window, { first, 0 })
    end
  end
  show_line(pane)
end

---@param pane ptx_analyzer.Pane
---@param window integer
---@return string?
function M.name_under_cursor(pane, window)
  local picture = pane.picture
  return picture and picture.rows[vim.api.nvim_win_get_cursor(window)[1]]
end

--- Scrolls a lane into view if it is not visible.
---@param pane ptx_analyzer.Pane
---@param lane integer
function M.focus(pane, lane)
  local picture = pane.picture
  if picture and (lane < picture.first or lane >= picture.first + picture.shown) then
    pane.view.first = math.max(0, lane < picture.first and lane or lane - picture.shown + 1)
  end
  pane.session:set_lane(lane)
end

--- Shows lines in a floating window; `q`, Escape or leaving it closes it.
---@param lines string[]
---@param title string
local function float(lines, title)
  local width = 20
  for _, line in ipairs(lines) do
    width = math.max(width, vim.api.nvim_strwidth(line))
  end
  width = math.min(width, vim.o.columns - 4)
  local height = math.min(#lines, vim.o.lines - vim.o.cmdheight - 4)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].bufhidden, vim.bo[bufnr].modifiable = 'wipe', false
  local opened = vim.api.nvim_open_win(bufnr, true, {
    relative = 'editor',
    width = width,
    height = height,
    row = math.floor((vim.o.lines - vim.o.cmdheight - height) / 2) - 1,
    col = math.floor((vim.o.columns - width) / 2) - 1,
    style = 'minimal',
    border = 'rounded',
    title = (' %s '):format(title),
    title_pos = 'center',
  })
  vim.wo[opened].wrap = false
  local function close()
    if vim.api.nvim_win_is_valid(opened) then
      vim.api.nvim_win_close(opened, true)
    end
  end
  for _, key in ipairs({ 'q', '<Esc>' }) do
    vim.keymap.set('n', key, close, { buffer = bufnr, desc = 'Close this window', nowait = true })
  end
  vim.api.nvim_create_autocmd('WinLeave', { buffer = bufnr, once = true, callback = vim.schedule_wrap(close) })
end

local function options_of(window)
  local set = vim.wo[window]
  set.wrap, set.number, set.relativenumber, set.spell, set.list = false, false, false, false, false
  set.signcolumn, set.foldcolumn, set.cursorline, set.foldenable = 'no', '0', true, false
  set.colorcolumn, set.statuscolumn = '', ''
  set.statusline = ' %t%=%<l h: step  n N: this line again  Tab: lane  f: reading  K: all of a register  g?: keys '
end

--- Opens the window for the grid: below, to the right, or floating, as the options say. The cursor moves into it.
---@param pane ptx_analyzer.Pane
local function open_window(pane)
  local where = config.get().evaluate.window
  local lines = vim.o.lines
  if where == 'float' then
    local width, height = math.floor(vim.o.columns * 0.9), math.floor(lines * 0.45)
    vim.api.nvim_open_win(pane.bufnr, true, {
      relative = 'editor', width = width, height = height,
      row = lines - height - vim.o.cmdheight - 4, col = math.floor((vim.o.columns - width) / 2),
      border = 'rounded', title = ' warp ', title_pos = 'center',
    })
  else
    vim.cmd(where == 'vsplit' and 'botright vsplit' or 'botright split')
    vim.api.nvim_win_set_buf(0, pane.bufnr)
    if where ~= 'vsplit' then
      vim.api.nvim_win_set_height(0, math.floor(lines * 0.5))
    end
  end
  local window = vim.api.nvim_get_current_win()
  options_of(window)
  -- A reopened window has lost its options, so set them each time.
  vim.wo[window].winfixheight = where == 'split'
end

--- The lane and register under the cursor of a grid.
local function lane_under_cursor(pane)
  local column = vim.fn.virtcol('.') - 1
  return pane.picture and pane.picture.lane_at(column)
end

---@type { [1]: string, [2]: string, [3]: fun(pane: ptx_analyzer.Pane, count: integer, given: boolean) }[]
local keys
local function key_list()
  local warp = require('ptx-analyzer.warp')
  local function step(direction)
    return function(pane, count)
      pane.session:go((pane.session.step or 0) + direction * count)
    end
  end
  local function same_line(direction)
    return function(pane, count)
      warp.same_line(pane, direction, count)
    end
  end
  local function fault(direction)
    return function(pane, count)
      warp.next_fault(pane, direction, count)
    end
  end
  local function lane(direction)
    return function(pane, count)
      M.focus(pane, (pane.session.lane + direction * count) % 32)
    end
  end
  local function scroll(direction, half)
    return function(pane, count)
      local far = half and math.max(1, math.floor((pane.picture and pane.picture.shown or 2) / 2)) or 1
      pane.view.first = math.max(0, math.min(31, pane.view.first + direction * far * count))
      M.paint(pane)
    end
  end
  return {
    { 'l', 'A step forward', step(1) },
    { 'h', 'A step back', step(-1) },
    { '0', 'To the first step', function(pane) pane.session:go(1) end },
    { '$', 'To the last step', function(pane) pane.session:go(pane.session.steps or 0) end },
    { 'g%', 'To the step with the number before it', function(pane, count, given)
      pane.session:go(given and count or 0)
    end },
    { 'n', 'To the next time this line is executed', same_line(1) },
    { 'N', 'To the last time this line was executed', same_line(-1) },
    { ']f', 'To the next fault', fault(1) },
    { '[f', 'To the fault before', fault(-1) },
    { ']w', 'The next warp', function(pane, count) warp.other_warp(pane, count) end },
    { '[w', 'The warp before', function(pane, count) warp.other_warp(pane, -count) end },
    { '<Tab>', 'The next lane', lane(1) },
    { '<S-Tab>', 'The lane before', lane(-1) },
    { '<CR>', 'The lane under the cursor', function(pane)
      local under = lane_under_cursor(pane)
      if under then
        M.focus(pane, under)
      end
    end },
    { 'gl', 'Choose a lane', function(pane, count, given) warp.lane(pane, given and count or nil) end },
    { 'zl', 'Lanes further right', scroll(1) },
    { 'zh', 'Lanes further left', scroll(-1) },
    { 'zL', 'Half as many lanes as are shown to the right', scroll(1, true) },
    { 'zH', 'Half as many lanes as are shown to the left', scroll(-1, true) },
    { 'f', 'Another reading of this register', function(pane, count) readings.next_of_register(pane, M.name_under_cursor(pane, 0), count) end },
    { 'F', 'Another reading of all registers', function(pane, count) readings.next_of_all(pane, count) end },
    { 'i', 'Choose which registers are shown', function(pane) M.ask_filter(pane) end },
    { 'K', 'This register in all lanes and readings', function(pane) M.details(pane) end },
    { 'gd', 'Go to the line in the source', function(pane) M.go_to_source(pane) end },
    { 't', 'Source and grid follow each other, or do not', function(pane)
      pane.follow = not pane.follow
      warp.say(pane.follow and 'the source follows the step, and the grid the cursor' or 'source and grid stay where they are')
      show_line(pane)
    end },
    { 'm', 'Show memory', function(pane) warp.memory(pane) end },
    { 'r', 'Show the result', function(pane) warp.result(pane) end },
    { 'e', 'Choose or edit the launch', function(pane) warp.launch(pane) end },
    { 'q', 'Close the grid', function(pane) M.close(pane) end },
    { 'g?', 'These keys', function() M.help() end },
  }
end

--- Shows a help window for the keys.
function M.help()
  local lines = { 'A count before a key does it so often.', '' }
  for _, key in ipairs(keys) do
    lines[#lines + 1] = ('%-8s %s'):format(key[1], key[2])
  end
  vim.list_extend(lines, {
    '',
    '= value  the same in all lanes      —  nothing was written',
    '4 × lane counts up from lane to lane  → x+16  where an address leads',
    'value?   the manual leaves it open  value≈  approximate',
    'value|value  two numbers in a register, the low one first',
    'dim: the lane waits elsewhere       struck: the lane has ended',
    ':help ptx-analyzer-warp tells the rest.',
  })
  float(lines, 'keys of the grid')
end

local function define_keys(pane)
  keys = keys or key_list()
  for _, key in ipairs(keys) do
    vim.keymap.set('n', key[1], function()
      key[3](pane, vim.v.count1, vim.v.count > 0)
    end, { buffer = pane.bufnr, desc = key[2], nowait = true, silent = true })
  end
end

--- Shows the register under the cursor in all lanes and readings.
---@param pane ptx_analyzer.Pane
function M.details(pane)
  local session, state = pane.session, pane.session:state()
  local name = M.name_under_cursor(pane, 0)
  if not name or not state then
    return
  end
  session:ask('register', { state = state.step, register = name, brief = true }, function(answer)
    if answer.register and M.window(pane) == vim.api.nvim_get_current_win() then
      float(grid.details(state, answer.register), name)
    end
  end)
end

---@param pane ptx_analyzer.Pane
---@param filter string
function M.set_filter(pane, filter)
  pane.view.filter = vim.trim(filter)
  pane.view.cell = 1
  pane.placed = false
  M.paint(pane)
end

---@param pane ptx_analyzer.Pane
function M.ask_filter(pane)
  vim.ui.input({ prompt = 'Registers (part of a name, .type, varying, written, changed): ', default = pane.view.filter }, function(text)
    if text then
      M.set_filter(pane, text)
    end
  end)
end

---@param pane ptx_analyzer.Pane
function M.go_to_source(pane)
  local session = pane.session
  local state = session:state()
  local step = state and session:trace(state.step - 1)
  local window = M.source_window(pane)
  if not window then
    vim.cmd('aboveleft sbuffer ' .. session.bufnr)
    window = vim.api.nvim_get_current_win()
  end
  vim.api.nvim_set_current_win(window)
  if step and step.line <= vim.api.nvim_buf_line_count(session.bufnr) then
    vim.cmd("normal! m'")
    vim.api.nvim_win_set_cursor(window, { step.line, math.max((step.column or 1) - 1, 0) })
  end
end

--- Closes the grid, with the values in the text and the mark of the step. Faults stay until they are cleared.
---@param pane ptx_analyzer.Pane
function M.close(pane)
  for _, window in ipairs(vim.fn.win_findbuf(pane.bufnr)) do
    if not pcall(vim.api.nvim_win_close, window, true) then
      -- The last window cannot be closed: show the source in it.
      vim.api.nvim_win_set_buf(window, pane.session.bufnr)
    end
  end
end

local function on_hidden(pane)
  local session = pane.session
  if vim.api.nvim_buf_is_valid(session.bufnr) then
    vim.api.nvim_buf_clear_namespace(session.bufnr, source_namespace, 0, -1)
  end
  if not session.closed then
    session:set_hints(false)
  end
end

--- Removes everything that belongs to an evaluation.
---@param bufnr integer of the source
function M.forget(bufnr)
  local pane = panes[bufnr]
  if not pane then
    return
  end
  panes[bufnr] = nil
  pcall(vim.api.nvim_del_augroup_by_id, pane.group)
  if vim.api.nvim_buf_is_valid(bufnr) then
    vim.api.nvim_buf_clear_namespace(bufnr, source_namespace, 0, -1)
  end
  if vim.api.nvim_buf_is_valid(pane.bufnr) then
    M.close(pane)
    pcall(vim.api.nvim_buf_delete, pane.bufnr, { force = true })
  end
end

--- Shows the grid of an evaluation. It reuses its window; the cursor moves there only if the grid was not visible
--- before.
---@param session ptx_analyzer.Session
---@return ptx_analyzer.Pane
function M.show(session)
  define_highlights()
  local pane = panes[session.bufnr]
  if not pane then
    local bufnr = vim.api.nvim_create_buf(false, true)
    local file = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(session.bufnr), ':t')
    vim.api.nvim_buf_set_name(bufnr, ('ptx-analyzer://%d/warp of %s'):format(session.bufnr, file))
    vim.bo[bufnr].bufhidden, vim.bo[bufnr].modifiable, vim.bo[bufnr].undolevels = 'hide', false, -1
    vim.bo[bufnr].filetype = 'ptx-warp'
    pane = {
      session = session,
      bufnr = bufnr,
      view = { first = 0, width = 80, filter = '', cell = 1 },
      own_readings = {},
      follow = config.get().evaluate.follow,
      group = vim.api.nvim_create_augroup('ptx-analyzer-warp-' .. session.bufnr, { clear = true }),
    }
    panes[session.bufnr] = pane
    define_keys(pane)
    session.watchers[#session.watchers + 1] = function()
      M.paint(pane)
    end
    vim.api.nvim_create_autocmd('BufWinLeave', {
      group = pane.group,
      buffer = bufnr,
      callback = function()
        vim.schedule(function()
          if panes[session.bufnr] == pane and not M.window(pane) then
            on_hidden(pane)
          end
        end)
      end,
    })
    vim.api.nvim_create_autocmd({ 'WinResized', 'VimResized' }, {
      group = pane.group,
      callback = function()
        local window = M.window(pane)
        if window and vim.api.nvim_win_get_width(window) ~= pane.view.width then
          M.paint(pane)
        end
      end,
    })
    vim.api.nvim_create_autocmd('CursorMoved', {
      group = pane.group,
      buffer = session.bufnr,
      callback = function()
        follow_cursor(pane)
      end,
    })
    vim.api.nvim_create_autocmd('ColorScheme', { group = pane.group, callback = define_highlights })
  end
  if not M.window(pane) then
    pane.placed = false
    open_window(pane)
    session.hidden = false
  end
  return pane
end

return M
