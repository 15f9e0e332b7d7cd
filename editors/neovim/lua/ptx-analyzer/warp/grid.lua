-- The grid as text: a line for each register, a column for each lane, and ranges to highlight. It lays out the texts of
-- the server's answer for a given width; it neither formats values nor draws.

local lanes = require('ptx-analyzer.warp.lanes')

local M = {}

local has = lanes.has

-- Signs for a register that nothing has written, and for a lane that does not exist.
local UNWRITTEN, ABSENT = '—', '·'
-- Signs after a value that the manual leaves unspecified, and after one that hardware may round differently.
local UNSPECIFIED, APPROXIMATE = '?', '≈'
-- The text between two cells, and before the first.
local GAP = ' '
-- The text between the numbers of a register that holds several.
local PARTS = '|'

---@class ptx_analyzer.View
---@field first integer the lane of the first column
---@field width integer columns of the window
---@field filter string
---@field cell integer width of a cell; it never shrinks during stepping, so that columns stay in place

---@class ptx_analyzer.Row a row of the server's answer, in what the grid needs of it
---@field name string
---@field type string what its bits are read as
---@field declared string
---@field parts table[] texts by lane, for each number in the register
---@field known integer lanes with a value
---@field folded string? one text for all lanes
---@field leads_to string? what an address points to
---@field changed integer lanes that the last step wrote
---@field unspecified integer
---@field approximate integer

local function mask(number)
  return type(number) == 'number' and number or 0
end

local function text_or_nil(text)
  return type(text) == 'string' and text or nil
end

--- The groups of lanes with the same position; the group that executes next is the first.
---@param state table
---@return table[]
function M.groups(state)
  local groups = vim.list_extend({}, state.groups or {})
  if type(state.next) == 'number' and groups[state.next + 1] then
    table.insert(groups, 1, table.remove(groups, state.next + 1))
  end
  return groups
end

--- The rows of a state: registers, then special registers and parameters.
---@param session ptx_analyzer.Session
---@param all boolean also special registers that are zero everywhere
---@return ptx_analyzer.Row[]
local function rows_of(session, all)
  local state = session:state()
  local last = session:trace(state.step - 1)
  local written, rows = {}, {}
  for _, register in ipairs(last and last.registers or {}) do
    written[register.name] = mask(last.executed)
  end
  for _, row in ipairs(state.rows or {}) do
    -- Special registers that are zero everywhere are those for unused dimensions of the launch.
    if all or row.kind ~= 'special' or row.folded ~= '0' then
      rows[#rows + 1] = {
        name = row.name,
        -- A reading that the user has chosen stands in place of the type.
        type = session.readings[row.name] == row.reading and row.label or text_or_nil(row.reads_as) or row.type,
        declared = row.type,
        parts = row.parts,
        known = mask(row.known),
        folded = text_or_nil(row.folded),
        leads_to = text_or_nil(row.leads_to),
        changed = row.kind == 'register' and written[row.name] or 0,
        unspecified = mask(row.unspecified),
        approximate = mask(row.approximate),
      }
    end
  end
  return rows
end

--- The text of a lane without marks; nil where nothing was written.
---@param row ptx_analyzer.Row
---@param lane integer
---@return string?
local function value(row, lane)
  local texts = {}
  for index, part in ipairs(row.parts) do
    local text = part.texts[lane + 1]
    if type(text) ~= 'string' then
      return nil
    end
    texts[index] = text
  end
  return table.concat(texts, PARTS)
end

--- A text with the mark of the values of some lanes.
---@param row ptx_analyzer.Row
---@param text string
---@param of integer
---@return string text, string? group
local function marked(row, text, of)
  if bit.band(row.unspecified, of) ~= 0 then
    return text .. UNSPECIFIED, 'PtxWarpUnspecified'
  elseif bit.band(row.approximate, of) ~= 0 then
    return text .. APPROXIMATE, 'PtxWarpApproximate'
  end
  return text, nil
end

--- The text of the cell of a lane.
---@param row ptx_analyzer.Row
---@param lane integer
---@return string text, string? group
local function cell(row, lane)
  local text = value(row, lane)
  if not text then
    return UNWRITTEN, 'PtxWarpUnwritten'
  end
  return marked(row, text, bit.lshift(1, lane))
end

--- Whether lanes hold different values. Values that count up from lane to lane are folded too, but not to the text of a
--- lane.
---@param row ptx_analyzer.Row
---@param live integer
local function varies(row, live)
  if not row.folded then
    return true
  end
  for lane = 0, 31 do
    if has(live, lane) then
      return value(row, lane) ~= row.folded
    end
  end
  return false
end

--- Lanes that exist and have not ended; all if all have.
local function live_lanes(state)
  local present = mask(state.present)
  local live = bit.band(present, bit.bnot(mask(state.exited)))
  return live ~= 0 and live or present
end

--- Whether a row satisfies a filter: all words must match. `varying`, `written` and `changed` test values; any other
--- word is a part of a name or a type.
---@param row ptx_analyzer.Row
---@param filter string
---@param live integer
---@return boolean
local function passes(row, filter, live)
  for word in filter:gmatch('%S+') do
    local fits
    if word == 'varying' then
      fits = row.known ~= 0 and varies(row, live)
    elseif word == 'written' then
      fits = row.known ~= 0
    elseif word == 'changed' then
      fits = row.changed ~= 0
    else
      fits = row.name:find(word, 1, true) ~= nil or row.type == word or row.declared == word
    end
    if not fits then
      return false
    end
  end
  return true
end

--- A register in all lanes and readings, as a table.
---@param state table
---@param readings { title: string, texts: (string|userdata)[] }[] as the server tells them
---@return string[]
function M.details(state, readings)
  local columns = { { 'lane' } }
  for index, reading in ipairs(readings) do
    columns[index + 1] = { reading.title }
  end
  for lane = 0, 31 do
    if has(mask(state.present), lane) then
      table.insert(columns[1], tostring(lane))
      for index, reading in ipairs(readings) do
        table.insert(columns[index + 1], text_or_nil(reading.texts[lane + 1]) or UNWRITTEN)
      end
    end
  end
  local widths = vim.tbl_map(function(column)
    return vim.iter(column):map(vim.api.nvim_strwidth):fold(0, math.max)
  end, columns)
  local lines = {}
  for index = 1, #columns[1] do
    local parts = {}
    for at, column in ipairs(columns) do
      parts[at] = (' '):rep(widths[at] - vim.api.nvim_strwidth(column[index])) .. column[index]
    end
    lines[#lines + 1] = table.concat(parts, '  ')
  end
  return lines
end

--- The lines above the registers.
---@param session ptx_analyzer.Session
---@param put fun(...: string|string[]) a line of parts; a part may be a text with its group
local function heading(session, put)
  local state = session:state()
  local run = session.run or {}
  local grid, warps = session:shape()
  local where = {}
  if grid[1] * grid[2] * grid[3] > 1 then
    where[#where + 1] = 'CTA ' .. table.concat(session.cta, ',')
  end
  if warps > 1 then
    where[#where + 1] = ('warp %d of %d'):format(session.warp, warps)
  end
  local frames = state.frames or {}
  local title = { { session.entry or '?', 'PtxWarpTitle' }, '  ' }
  if #where > 0 then
    vim.list_extend(title, { table.concat(where, ', '), '  ' })
  end
  vim.list_extend(title, { ('step %d of %d'):format(state.step, session.steps or 0), '  ', ('lane %d'):format(session.lane) })
  if #frames > 1 then
    local names = {}
    for index = #frames, 1, -1 do
      names[#names + 1] = frames[index]['function']
    end
    vim.list_extend(title, { '  in ' .. table.concat(names, ' > ') })
  end
  put(unpack(title))

  local step = session:trace(state.step - 1)
  local line = step and step.line
  local text = line and vim.api.nvim_buf_get_lines(session.bufnr, line - 1, line, false)[1]
  if step and text then
    put({ ('%4d  '):format(line), 'PtxWarpLine' }, (vim.trim(text):gsub('%s+', ' ')))
    local fault = session:fault_at(state.step - 1, line)
    if fault then
      put({ 'fault ', 'PtxWarpFault' }, { fault.message .. ', in ' .. lanes.words(mask(fault.lanes)), 'PtxWarpFault' })
    end
    for _, access in ipairs(type(step.accesses) == 'table' and step.accesses or {}) do
      put({ 'does  ', 'PtxWarpLabel' }, access.title .. (text_or_nil(access.cost) and ': ' .. access.cost or ''))
    end
    if step.more_accesses == true then
      put({ 'does  ', 'PtxWarpLabel' }, 'more than is listed here')
    end
  end
  if state.step >= (session.steps or 0) then
    put({ 'end   ', 'PtxWarpLabel' }, run.outcome or '')
    local expectations = run.expectations or {}
    local failed = vim.tbl_filter(function(expectation)
      return not expectation.ok
    end, expectations)
    if failed[1] then
      local reason = text_or_nil(failed[1].message)
      local others = #failed > 1 and ('  (of %d expectations %d fail: `r` shows them)'):format(#expectations, #failed) or ''
      put({ 'fails ', 'PtxWarpFault' }, { failed[1].name .. (reason and ': ' .. reason or ''), 'PtxWarpFault' }, others)
    elseif expectations[1] then
      put({ 'ok    ', 'PtxWarpPassed' }, { 'all expectations hold', 'PtxWarpPassed' })
    end
  end
  if session.refused then
    put({ 'not evaluated since the last change: ' .. session.refused, 'PtxWarpFault' })
  end
  if type(run.launch) == 'string' and run.launch ~= '' then
    local guessed = type(run.guessed) == 'table' and #run.guessed > 0 or run.guessed == true
    local short = vim.split(run.launch, '\n')[1]:gsub('^//!%s*', ''):gsub('^launch:%s*', '')
    put({ 'with  ', 'PtxWarpLabel' }, short, { guessed and ('  (guessed%s)'):format(type(run.guessed_lengths) == 'string' and ', lengths of buffers too' or '') or '', 'PtxWarpGuess' })
  end
  local groups = M.groups(state)
  local has_next = type(state.next) == 'number'
  if #groups > 1 or (groups[1] and groups[1].state ~= 'running') then
    for index, group in ipairs(groups) do
      local is_next = has_next and index == 1
      put({ is_next and 'next  ' or '      ', 'PtxWarpLabel' }, { group.text, not is_next and 'PtxWarpDiverged' or nil })
    end
  end
  if mask(state.exited) ~= 0 then
    put({ 'ended ', 'PtxWarpLabel' }, lanes.words(mask(state.exited)))
  end
end

---@class ptx_analyzer.Picture
---@field lines string[]
---@field marks { row: integer, from: integer, to: integer, group: string }[] rows and bytes from 0
---@field rows table<integer, string> the register of a line (from 1)
---@field header string the text above the lanes, in the format of 'winbar'
---@field first integer the lane of the first column
---@field shown integer number of lanes that fit
---@field lane_at fun(column: integer): integer? the lane at a screen column (from 0)

--- Draws all of it.
---@param session ptx_analyzer.Session
---@param view ptx_analyzer.View
---@return ptx_analyzer.Picture
function M.draw(session, view)
  local lines, marks, registers = {}, {}, {}
  local function put(...)
    local text = ''
    for _, part in ipairs({ ... }) do
      local piece, group = part, nil
      if type(part) == 'table' then
        piece, group = part[1], part[2]
      end
      if group and piece ~= '' then
        marks[#marks + 1] = { row = #lines, from = #text, to = #text + #piece, group = group }
      end
      text = text .. piece
    end
    lines[#lines + 1] = text
  end

  local state = session:state()
  if not state then
    put(session.refused or 'evaluating …')
    return { lines = lines, marks = marks, rows = registers, header = '', first = 0, shown = 0, lane_at = function() end }
  end
  heading(session, put)

  local rows, name_width, type_width = {}, 4, 4
  local live = live_lanes(state)
  local all = rows_of(session, view.filter ~= '')
  for _, row in ipairs(all) do
    if passes(row, view.filter, live) then
      rows[#rows + 1] = row
      name_width = math.max(name_width, #row.name)
      type_width = math.max(type_width, vim.api.nvim_strwidth(row.type))
    end
  end
  if view.filter ~= '' then
    put({ ('only   %s  (%d of %d)'):format(view.filter, #rows, #all), 'PtxWarpLabel' })
  end

  local present, exited = mask(state.present), mask(state.exited)
  local groups = M.groups(state)
  local shown_step = session:trace(state.step - 1)
  local active = shown_step and mask(shown_step.active) or groups[1] and mask(groups[1].mask) or bit.band(present, bit.bnot(exited))
  local lead = name_width + type_width + 3

  -- Compute the texts first: the widest one determines how many lanes fit.
  local texts, widest = {}, view.cell
  local function texts_of(row, from, to)
    local cells = {}
    for lane = from, to do
      local text, group = ABSENT, nil
      if has(present, lane) then
        text, group = cell(row, lane)
      end
      cells[lane] = { text = text, group = group }
      widest = math.max(widest, vim.api.nvim_strwidth(text))
    end
    return cells
  end
  local last_present = 31
  while last_present > 0 and not has(present, last_present) do
    last_present = last_present - 1
  end
  local first = math.max(0, math.min(view.first, last_present))
  local function room()
    local columns = view.width - lead
    local lanes = math.floor(columns / (widest + #GAP))
    if first + lanes <= last_present then
      -- Reserve room for the sign that more lanes follow.
      lanes = math.floor((columns - 2) / (widest + #GAP))
    end
    return math.max(1, lanes)
  end
  for index, row in ipairs(rows) do
    if not row.folded and row.known ~= 0 then
      texts[index] = texts_of(row, first, math.min(first + room() - 1, last_present))
    end
  end
  view.cell = widest
  local shown = math.min(room(), last_present - first + 1)

  for index, row in ipairs(rows) do
    local at = #lines
    registers[at + 1] = row.name
    local text = { row.name, (' '):rep(name_width - #row.name + 1), row.type, (' '):rep(type_width - vim.api.nvim_strwidth(row.type) + 2) }
    marks[#marks + 1] = { row = at, from = 0, to = #row.name, group = row.changed ~= 0 and 'PtxWarpChangedName' or 'PtxWarpName' }
    marks[#marks + 1] = { row = at, from = name_width + 1, to = name_width + 1 + #row.type, group = 'PtxWarpType' }
    local length = #table.concat(text)
    local function add(piece, group)
      if group then
        marks[#marks + 1] = { row = at, from = length, to = length + #piece, group = group }
      end
      text[#text + 1] = piece
      length = length + #piece
    end
    if row.known == 0 then
      add(UNWRITTEN, 'PtxWarpUnwritten')
    elseif row.folded then
      local folded, group = marked(row, row.folded, live)
      add('= ', 'PtxWarpUniform')
      add(folded, row.changed ~= 0 and 'PtxWarpChanged' or group)
      if row.leads_to then
        add('  → ' .. row.leads_to, 'PtxWarpLabel')
      end
    else
      for lane = first, first + shown - 1 do
        local piece = texts[index][lane]
        add(GAP:rep(lane > first and 1 or 0) .. (' '):rep(widest - vim.api.nvim_strwidth(piece.text)))
        local group = piece.group
        if not has(present, lane) then
          group = 'PtxWarpUnwritten'
        elseif has(exited, lane) then
          group = 'PtxWarpExited'
        elseif has(row.changed, lane) then
          group = 'PtxWarpChanged'
        elseif not has(active, lane) then
          group = 'PtxWarpDiverged'
        end
        add(piece.text, group)
      end
    end
    lines[#lines + 1] = table.concat(text)
  end
  if not state.rows then
    put({ 'this server is older than the plugin and tells no values: update it', 'PtxWarpFault' })
  elseif #rows == 0 then
    put({ view.filter == '' and 'this function has no registers' or 'no register fits: `i` changes what is shown', 'PtxWarpLabel' })
  end

  -- The lane numbers, in the window bar so that they stay visible.
  local header, colour = {}, nil
  local function head(group, text)
    -- Neovim limits the number of colour changes in the option for the window bar.
    header[#header + 1] = (colour ~= group and '%#' .. group .. '#' or '') .. text
    colour = group
  end
  head('PtxWarpLane', (' '):rep(lead))
  for lane = first, first + shown - 1 do
    local group = 'PtxWarpLane'
    if lane == session.lane then
      group = 'PtxWarpFocus'
    elseif has(exited, lane) then
      group = 'PtxWarpExited'
    elseif not has(active, lane) then
      group = 'PtxWarpDiverged'
    end
    local number = tostring(lane)
    -- Spaces have no colour of their own, except below a strikethrough.
    local space = GAP:rep(lane > first and 1 or 0) .. (' '):rep(widest - #number)
    head(colour == 'PtxWarpDiverged' and colour or 'PtxWarpLane', space)
    head(group, number)
  end
  if first + shown - 1 < last_present then
    head('PtxWarpLane', ' ›')
  end
  return {
    lines = lines,
    marks = marks,
    rows = registers,
    header = table.concat(header) .. '%#PtxWarpLane#',
    first = first,
    shown = shown,
    lane_at = function(at)
      local lane = first + math.floor((at - lead) / (widest + #GAP))
      return at >= lead and lane < first + shown and lane or nil
    end,
  }
end

return M
