-- Machine code beside PTX: a window with the instructions that NVIDIA's assembler made. Colour and cursor tie them to the lines
-- of the source, in both directions.

local commands = require('ptx-analyzer.commands')

local M = {}

local namespace = vim.api.nvim_create_namespace('ptx-analyzer-sass')
-- The tied lines of the cursor, and the note beside it.
local cursor_namespace = vim.api.nvim_create_namespace('ptx-analyzer-sass-cursor')

-- Milliseconds without a change before the machine code is requested again.
local PAUSE = 500
-- Number of colours that tie lines.
local COLOURS = 6
local DARK = { { '#1c2b3a', 17 }, { '#2d2338', 53 }, { '#21301d', 22 }, { '#352a1b', 58 }, { '#1b3133', 23 }, { '#341f28', 52 } }
local LIGHT = { { '#e2edfb', 195 }, { '#f1e7fa', 225 }, { '#e5f3de', 194 }, { '#faefd9', 230 }, { '#dcf2f3', 159 }, { '#fae4ea', 224 } }

---@class ptx_analyzer.SassLine
---@field rows integer[] the rows of the view, from 1
---@field words string what became of the line
---@field colour integer? from 1; nil without instructions

---@class ptx_analyzer.Sass
---@field source integer the buffer with PTX
---@field view integer the buffer with machine code
---@field entry string? the kernel; nil for the whole module
---@field line integer? until the first answer: the line whose kernel is requested
---@field target string? the architecture; nil for that of the module
---@field lines table<integer, ptx_analyzer.SassLine> by line of the source, from 1
---@field tied integer[] for each row of the view the line of the source, or 0
---@field levels (integer|string)[] for each row of the view its level of folding
---@field outdated boolean the source has changed since
---@field problem string? why there is no newer machine code
---@field title string
---@field timer uv.uv_timer_t
---@field group integer
---@field cancel fun()? takes back the request under way
---@field open fun()? until the first answer: opens the window

---@type table<integer, ptx_analyzer.Sass> by source buffer
local shown = {}
---@type table<integer, ptx_analyzer.Sass> by view buffer
local views = {}

local function define_highlights()
  local colours = vim.o.background == 'light' and LIGHT or DARK
  for index, colour in ipairs(colours) do
    vim.api.nvim_set_hl(0, 'PtxSass' .. index, { default = true, bg = colour[1], ctermbg = colour[2] })
  end
  local links = { Tied = 'Visual', Note = 'Comment', Spill = 'DiagnosticWarn', Moved = 'DiagnosticInfo', Old = 'DiagnosticWarn' }
  for name, link in pairs(links) do
    vim.api.nvim_set_hl(0, 'PtxSass' .. name, { default = true, link = link })
  end
end

--- The syntax of the view: a few matches per line, since a kernel may have many thousand.
local function define_syntax()
  vim.cmd([[
    syntax clear
    syntax match ptxsassComment "^\s*//.*"
    syntax match ptxsassLabel "^\S.*:$"
    syntax match ptxsassAddress "^  \x\{4,}"
    syntax match ptxsassSpill "[↑↓ ]S \ze[A-Z@]"
    syntax match ptxsassMoved "[↑↓][ L] \ze[A-Z@]"
    syntax match ptxsassGuard "@!\?U\?P[0-9T]\+"
    syntax match ptxsassRegister "\<U\?[RP]\([0-9]\+\|Z\|T\)\>"
    syntax match ptxsassOpcode "\<[A-Z][A-Z0-9]\+\(\.[A-Z0-9_]\+\)*\>"
    syntax match ptxsassNumber "\<0x\x\+\>"
    highlight default link ptxsassComment Comment
    highlight default link ptxsassLabel Label
    highlight default link ptxsassAddress LineNr
    highlight default link ptxsassSpill PtxSassSpill
    highlight default link ptxsassMoved PtxSassMoved
    highlight default link ptxsassGuard PreProc
    highlight default link ptxsassRegister Identifier
    highlight default link ptxsassOpcode Statement
    highlight default link ptxsassNumber Number
  ]])
end

--- Draws the colours of the visible lines only.
vim.api.nvim_set_decoration_provider(namespace, {
  on_win = function(_, _, bufnr)
    return shown[bufnr] ~= nil or views[bufnr] ~= nil
  end,
  on_line = function(_, _, bufnr, row)
    local state = shown[bufnr] or views[bufnr]
    if not state then
      return
    end
    local line = state.source == bufnr and row + 1 or state.tied[row + 1]
    local found = state.lines[line]
    if found and found.colour then
      vim.api.nvim_buf_set_extmark(bufnr, namespace, row, 0, {
        end_row = row + 1,
        end_col = 0,
        hl_group = 'PtxSass' .. found.colour,
        hl_eol = true,
        ephemeral = true,
        priority = 10,
        strict = false,
      })
    end
  end,
})

---@param bufnr integer
---@param row integer from 1
local function mark(bufnr, row, options)
  local all = vim.tbl_extend('force', { line_hl_group = 'PtxSassTied', strict = false, priority = 20 }, options or {})
  pcall(vim.api.nvim_buf_set_extmark, bufnr, cursor_namespace, row - 1, 0, all)
end

--- Scrolls a window so that a row is visible, without entering the window.
---@param bufnr integer
---@param row integer from 1
---@param last integer? the last row of the same line
local function reveal(bufnr, row, last)
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    if window ~= vim.api.nvim_get_current_win() then
      local info = vim.fn.getwininfo(window)[1]
      local away = row < info.topline or (last or row) > info.botline
      pcall(vim.api.nvim_win_set_cursor, window, { row, 0 })
      vim.api.nvim_win_call(window, function()
        vim.cmd('silent! normal! ' .. (away and 'zvzz' or 'zv'))
      end)
    end
  end
end

---@param state ptx_analyzer.Sass
local function clear_cursor(state)
  for _, bufnr in ipairs({ state.source, state.view }) do
    if vim.api.nvim_buf_is_valid(bufnr) then
      vim.api.nvim_buf_clear_namespace(bufnr, cursor_namespace, 0, -1)
    end
  end
end

--- The cursor is in the PTX: marks the instructions of its line.
---@param state ptx_analyzer.Sass
local function from_source(state)
  clear_cursor(state)
  local line = vim.api.nvim_win_get_cursor(0)[1]
  local found = state.lines[line]
  if not found then
    return
  end
  mark(state.source, line, { virt_text = { { '  → ' .. found.words, 'PtxSassNote' } }, virt_text_pos = 'eol', hl_mode = 'combine' })
  for _, row in ipairs(found.rows) do
    mark(state.view, row)
  end
  local rows = found.rows
  if #rows > 0 then
    reveal(state.view, rows[1], rows[#rows])
  end
end

--- The cursor is in the machine code: shows the PTX line.
---@param state ptx_analyzer.Sass
local function from_view(state)
  clear_cursor(state)
  local line = state.tied[vim.api.nvim_win_get_cursor(0)[1]] or 0
  if line == 0 then
    return
  end
  local found = state.lines[line]
  for _, row in ipairs(found and found.rows or {}) do
    mark(state.view, row)
  end
  mark(state.source, line, found and { virt_text = { { '  → ' .. found.words, 'PtxSassNote' } }, virt_text_pos = 'eol', hl_mode = 'combine' })
  reveal(state.source, line)
end

--- Shows the title of the view above it, and whether its text is older than the source.
---@param state ptx_analyzer.Sass
local function show_state(state)
  local text = state.title:gsub('%%', '%%%%')
  if state.problem then
    -- `%<`: a narrow window cuts the title, not the reason.
    text = ('%%#PtxSassOld#older text: %s%%*%%< · %s'):format(state.problem:gsub('%%', '%%%%'), text)
  elseif state.outdated then
    text = '%#PtxSassOld#older text%* · ' .. text
  end
  for _, window in ipairs(vim.fn.win_findbuf(state.view)) do
    vim.wo[window].winbar = text
  end
end

--- The level of folding for 'foldexpr'.
---@return integer|string
function M.fold()
  local state = views[vim.api.nvim_get_current_buf()]
  return state and state.levels[vim.v.lnum] or 0
end

--- Takes an answer with machine code.
---@param state ptx_analyzer.Sass
---@param answer table
local function take(state, answer)
  state.tied = answer.lines
  state.lines = {}
  local colour = 0
  for _, line in ipairs(answer.ptx) do
    local rows = {}
    for _, index in ipairs(line.instructions) do
      rows[#rows + 1] = answer.rows[index + 1]
    end
    local own
    if #rows > 0 then
      own = colour % COLOURS + 1
      colour = colour + 1
    end
    for number = line.line, line.end_line or line.line do
      state.lines[number] = { rows = rows, words = line.words, colour = own }
    end
  end
  local text = vim.split(vim.trim(answer.text), '\n')
  state.levels = {}
  for row, words in ipairs(text) do
    state.levels[row] = words:match('^%.L') and '>2' or words:match('^%S') and not words:match('^//') and '>1' or '='
  end
  local names = {}
  for _, fn in ipairs(answer.functions) do
    local registers = type(fn.registers) == 'number' and (': %d registers'):format(fn.registers) or ''
    names[#names + 1] = fn.name .. registers
  end
  state.title = ('SASS for %s · %s'):format(answer.target, #names == 1 and names[1] or ('%d functions'):format(#names))
  local views_before = {}
  for _, window in ipairs(vim.fn.win_findbuf(state.view)) do
    views_before[window] = vim.api.nvim_win_call(window, vim.fn.winsaveview)
  end
  vim.bo[state.view].modifiable = true
  vim.api.nvim_buf_set_lines(state.view, 0, -1, false, text)
  vim.bo[state.view].modifiable = false
  for window, view in pairs(views_before) do
    vim.api.nvim_win_call(window, function()
      vim.fn.winrestview(view)
    end)
  end
end

--- Requests machine code. The first answer has no numbers of live registers, which take longer for a long kernel; a second
--- one follows with them.
---@param state ptx_analyzer.Sass
---@param live boolean?
local function update(state, live)
  local client = commands.client_of(state.source)
  if not client then
    return
  end
  if state.cancel then
    state.cancel()
  end
  local tick = vim.api.nvim_buf_get_changedtick(state.source)
  local argument = { uri = vim.uri_from_bufnr(state.source), entry = state.entry, line = state.line, target = state.target, live = live == true }
  local params = { command = 'ptx-analyzer.sass', arguments = { argument } }
  local function on_answer(problem, answer)
    state.cancel = nil
    local current = shown[state.source] == state and vim.api.nvim_buf_is_valid(state.source)
      and vim.api.nvim_buf_get_changedtick(state.source) == tick
    if not current then
      return
    end
    if problem then
      state.problem = problem.message or vim.inspect(problem)
      if #state.tied == 0 then
        M.hide(state.source)
        return commands.say(problem.message or vim.inspect(problem), vim.log.levels.ERROR)
      end
    elseif type(answer.text) ~= 'string' then
      local first = answer.errors[1] or {}
      local line = type(first.line) == 'number' and ('line %d: '):format(first.line) or ''
      state.problem = line .. (first.message or 'there is no machine code')
      if #state.tied == 0 then
        M.hide(state.source)
        return commands.say('ptxas refuses the module: ' .. state.problem, vim.log.levels.WARN)
      end
    else
      state.problem, state.outdated = nil, false
      -- The view keeps its kernel wherever edits move it.
      state.entry, state.line = type(answer.entry) == 'string' and answer.entry or nil, nil
      take(state, answer)
      if not answer.live then
        update(state, true)
      end
    end
    show_state(state)
    -- The first answer opens the window. It may be the answer to a later request, if the user has typed meanwhile.
    local open = state.open
    state.open = nil
    if open then
      open()
    end
    if vim.api.nvim_get_current_buf() == state.source then
      from_source(state)
    end
    vim.cmd('redraw!')
  end
  state.cancel = commands.request(client, params, on_answer)
end

---@param state ptx_analyzer.Sass
local function later(state)
  state.timer:stop()
  state.timer:start(PAUSE, 0, vim.schedule_wrap(function()
    if shown[state.source] == state and vim.api.nvim_buf_is_valid(state.source) then
      update(state)
    end
  end))
end

--- Moves the ties of lines behind an edit. Edited lines have none until the next answer.
---@param state ptx_analyzer.Sass
---@param first integer the first changed line, from 0
---@param old integer the line behind the change, before it
---@param new integer the same line after it
local function follow(state, first, old, new)
  local delta = new - old
  local lines = {}
  for line, found in pairs(state.lines) do
    if line <= first then
      lines[line] = found
    elseif line > old then
      lines[line + delta] = found
    end
  end
  state.lines = lines
  for row, line in ipairs(state.tied) do
    if line > old then
      state.tied[row] = line + delta
    elseif line > first then
      state.tied[row] = 0
    end
  end
end

--- Closes the view of a source buffer.
---@param bufnr integer
function M.hide(bufnr)
  local state = shown[bufnr]
  if not state then
    return
  end
  shown[bufnr] = nil
  views[state.view] = nil
  state.timer:stop()
  state.timer:close()
  if state.cancel then
    state.cancel()
  end
  pcall(vim.api.nvim_del_augroup_by_id, state.group)
  clear_cursor(state)
  if vim.api.nvim_buf_is_valid(state.view) then
    vim.api.nvim_buf_delete(state.view, { force = true })
  end
end

--- Opens the source line that the PTX line at the cursor comes from, by its `.loc`. Works in both windows.
function M.source()
  local bufnr = vim.api.nvim_get_current_buf()
  local row = vim.api.nvim_win_get_cursor(0)[1]
  local state = views[bufnr]
  local source, line = bufnr, row
  if state then
    source, line = state.source, state.tied[row] or 0
  end
  local client = commands.client_here(source)
  if not client or line == 0 then
    return
  end
  local argument = { uri = vim.uri_from_bufnr(source), line = line }
  commands.request(client, { command = 'ptx-analyzer.sourceOf', arguments = { argument } }, function(problem, answer)
    if problem then
      return commands.say(problem.message or vim.inspect(problem), vim.log.levels.ERROR)
    elseif type(answer) ~= 'table' then
      return commands.say('no `.loc` names a file that exists for this line')
    end
    local window = vim.fn.bufwinid(source)
    if window > 0 then
      vim.api.nvim_set_current_win(window)
    end
    vim.cmd("normal! m'")
    vim.cmd.split(vim.fn.fnameescape(vim.uri_to_fname(answer.uri)))
    pcall(vim.api.nvim_win_set_cursor, 0, { answer.line, answer.column - 1 })
  end)
end

---@param state ptx_analyzer.Sass
local function open_window(state)
  local window = vim.api.nvim_get_current_win()
  vim.cmd('rightbelow vsplit')
  vim.api.nvim_win_set_buf(0, state.view)
  local options = {
    wrap = false,
    number = false,
    relativenumber = false,
    signcolumn = 'no',
    foldcolumn = '0',
    cursorline = true,
    foldmethod = 'expr',
    foldexpr = "v:lua.require'ptx-analyzer.sass'.fold()",
    foldlevel = 99,
    spell = false,
    list = false,
  }
  for name, value in pairs(options) do
    vim.wo[0][0][name] = value
  end
  vim.api.nvim_set_current_win(window)
end

---@param state ptx_analyzer.Sass
local function set_up_view(state)
  vim.bo[state.view].bufhidden = 'wipe'
  vim.bo[state.view].buftype = 'nofile'
  vim.bo[state.view].filetype = 'ptxsass'
  vim.api.nvim_buf_call(state.view, define_syntax)
  local function key(lhs, description, run)
    vim.keymap.set('n', lhs, run, { buffer = state.view, desc = description })
  end
  key('q', 'Close this window', function()
    M.hide(state.source)
  end)
  key('gs', 'Go to the line of the source file', M.source)
  key('<CR>', 'Go to the PTX line', function()
    local line = state.tied[vim.api.nvim_win_get_cursor(0)[1]] or 0
    local window = vim.fn.bufwinid(state.source)
    if line > 0 and window > 0 then
      vim.api.nvim_set_current_win(window)
      vim.cmd(("normal! m'%dG^"):format(line))
    end
  end)
end

--- Shows the machine code of a buffer beside it.
---@param bufnr integer
---@param options { entry?: string, line?: integer, target?: string } `line`: the kernel that contains it
function M.show(bufnr, options)
  M.hide(bufnr)
  define_highlights()
  local group = vim.api.nvim_create_augroup('ptx-analyzer-sass-' .. bufnr, { clear = true })
  ---@type ptx_analyzer.Sass
  local state = {
    source = bufnr,
    view = vim.api.nvim_create_buf(false, true),
    entry = options.entry,
    line = options.line,
    target = options.target,
    lines = {},
    tied = {},
    levels = {},
    outdated = false,
    title = 'SASS',
    timer = assert(vim.uv.new_timer()),
    group = group,
  }
  shown[bufnr], views[state.view] = state, state
  set_up_view(state)
  vim.api.nvim_buf_attach(bufnr, false, {
    on_lines = function(_, _, _, first, old, new)
      if shown[bufnr] ~= state then
        return true
      end
      follow(state, first, old, new)
      if not state.outdated then
        state.outdated = true
        vim.schedule(function()
          if shown[bufnr] == state then
            show_state(state)
          end
        end)
      end
      later(state)
    end,
    on_reload = function()
      state.lines, state.outdated = {}, true
      later(state)
    end,
  })
  local function on(events, buffer, run)
    vim.api.nvim_create_autocmd(events, { group = group, buffer = buffer, callback = run })
  end
  on({ 'CursorMoved', 'CursorMovedI' }, bufnr, function()
    from_source(state)
  end)
  on('CursorMoved', state.view, function()
    from_view(state)
  end)
  on('BufUnload', bufnr, function()
    M.hide(bufnr)
  end)
  on('BufWipeout', state.view, function()
    vim.schedule(function()
      if shown[bufnr] == state then
        M.hide(bufnr)
      end
    end)
  end)
  vim.api.nvim_create_autocmd('ColorScheme', { group = group, callback = define_highlights })
  state.open = function()
    if vim.fn.bufwinid(state.view) < 0 and vim.fn.bufwinid(bufnr) > 0 then
      vim.api.nvim_buf_set_name(state.view, ('ptx-analyzer://sass/%d/%s'):format(bufnr, state.entry or 'module'))
      vim.api.nvim_win_call(vim.fn.bufwinid(bufnr), function()
        open_window(state)
      end)
      show_state(state)
      -- Of several functions, only that of the cursor is open.
      local functions = 0
      for _, level in ipairs(state.levels) do
        functions = functions + (level == '>1' and 1 or 0)
      end
      if functions > 1 then
        vim.wo[vim.fn.bufwinid(state.view)].foldlevel = 0
      end
    end
  end
  update(state)
end

--- `:PtxSass [kernel] [target]`; with `!` the whole module.
---@param call table
function M.command(call)
  local view = views[vim.api.nvim_get_current_buf()]
  local bufnr = view and view.source or vim.api.nvim_get_current_buf()
  if not commands.client_here(bufnr) then
    return
  end
  local options = commands.kernel_and_target(call.fargs)
  if view then
    options.entry = options.entry or (not call.bang and view.entry or nil)
    options.target = options.target or view.target
  elseif not call.bang and not options.entry then
    options.line = vim.api.nvim_win_get_cursor(0)[1]
  end
  M.show(bufnr, options)
end

--- For tests: what the view of a source buffer shows.
---@param bufnr integer
---@return ptx_analyzer.Sass?
function M.state(bufnr)
  return shown[bufnr]
end

return M
