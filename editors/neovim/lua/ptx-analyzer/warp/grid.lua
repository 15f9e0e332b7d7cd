-- The grid as text: a line for each register, a column for each lane, and ranges to highlight. It converts an answer of
-- the server for a given width; it does not draw.

local value = require('ptx-analyzer.warp.value')

local M = {}

local has = value.has

-- Signs for a register that nothing has written, and for a lane that does not exist.
local UNWRITTEN, ABSENT = '—', '·'
-- Signs after a value that the manual leaves unspecified, and after one that hardware may round differently.
local UNSPECIFIED, APPROXIMATE = '?', '≈'
-- The text between two cells, and before the first.
local GAP = ' '

---@class ptx_analyzer.View
---@field first integer the lane of the first column
---@field width integer columns of the window
---@field formats table<string, string> the user's formats, by register name
---@field format string the format of all other registers
---@field filter string
---@field cell integer width of a cell; it never shrinks during stepping, so that columns stay in place

---@class ptx_analyzer.Row
---@field name string
---@field type string
---@field value string digits of all lanes
---@field known integer lanes with a value
---@field uniform boolean
---@field changed integer lanes that the last step wrote
---@field unspecified integer
---@field approximate integer
---@field note string? a text after the value
---@field counting string? a text that replaces the lanes if their values only count up

local function mask(number)
  return type(number) == 'number' and number or 0
end

--- Whether all lanes of the inner mask are in the outer one.
local function covers(outer, inner)
  return bit.band(inner, bit.bnot(outer)) == 0
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

--- A parameter as a row: its bytes are stored once for all lanes. Those of an array have no single value.
---@param parameter table
---@param present integer
---@return ptx_analyzer.Row?
local function parameter_row(parameter, present)
  local size = value.size(parameter.type)
  if #parameter.value ~= 2 * size then
    return nil
  end
  return {
    name = ('[%s]'):format(parameter.name),
    type = parameter.type,
    value = parameter.value:rep(32),
    known = present,
    uniform = true,
    changed = 0,
    unspecified = 0,
    approximate = 0,
    note = type(parameter.points_to) == 'string' and parameter.points_to or nil,
  }
end

--- The type shown for a register: if it is declared as bits and read as floating-point numbers, the type of the reads.
local function shown_type(register)
  local read = register.reads_as
  return type(read) == 'string' and read:find('f', 1, true) and value.reads(read) and read or register.type
end

--- The rows of a state: registers, then special registers and parameters.
---@param session ptx_analyzer.Session
---@param all boolean also special registers that are zero everywhere
---@return ptx_analyzer.Row[]
local function rows_of(session, all)
  local state = session:state()
  local last = session:trace(state.step - 1)
  local written = {}
  for _, register in ipairs(last and last.registers or {}) do
    written[register.name] = true
  end
  local live = bit.band(mask(state.present), bit.bnot(mask(state.exited)))
  local rows = {}
  for _, register in ipairs(state.registers or {}) do
    local known = mask(register.known)
    rows[#rows + 1] = {
      name = register.name,
      type = shown_type(register),
      value = register.value,
      known = known,
      uniform = register.uniform == true and covers(known, live) and live ~= 0,
      changed = written[register.name] and mask(last.executed) or 0,
      unspecified = mask(register.unspecified),
      approximate = mask(register.approximate),
    }
  end
  for _, special in ipairs(state.specials or {}) do
    local size = value.size(special.type) * 2
    local first = special.value:sub(1, size)
    -- Special registers for unused dimensions of the launch are zero: omit them.
    if all or special.value:find('[^0]') then
      rows[#rows + 1] = {
        name = special.name,
        type = special.type,
        value = special.value,
        known = mask(state.present),
        uniform = special.value == first:rep(#special.value / size),
        changed = 0,
        unspecified = 0,
        approximate = 0,
      }
    end
  end
  for _, parameter in ipairs(state.parameters or {}) do
    rows[#rows + 1] = parameter_row(parameter, mask(state.present))
  end
  return rows
end

--- Whether a row satisfies a filter: all words must match. `varying`, `written` and `changed` test values; any other
--- word is a part of a name or a type.
---@param row ptx_analyzer.Row
---@param filter string
---@return boolean
function M.passes(row, filter)
  for word in filter:gmatch('%S+') do
    local fits
    if word == 'varying' then
      fits = row.known ~= 0 and not row.uniform
    elseif word == 'written' then
      fits = row.known ~= 0
    elseif word == 'changed' then
      fits = row.changed ~= 0
    else
      fits = row.name:find(word, 1, true) ~= nil or row.type == word
    end
    if not fits then
      return false
    end
  end
  return true
end

--- The format for the values of a row.
---@param row ptx_analyzer.Row
---@param view ptx_analyzer.View
---@return string
local function format_of(row, view)
  local format = view.formats[row.name] or view.format
  if not vim.tbl_contains(value.formats(row.type), format) then
    format = 'auto'
  end
  if format == 'auto' then
    format = value.automatic(row.type, row.value, row.known)
  end
  return format
end

-- Formats of whole numbers.
local WHOLE = { hex = true, signed = true, unsigned = true }

--- The folded text of whole numbers that count up or down from lane to lane, if the user chose no format for them. The
--- first value and the distance replace the lanes, which leaves room for other registers.
---@param row ptx_analyzer.Row
---@param view ptx_analyzer.View
---@param live integer
---@return string?
local function counting(row, view, live)
  local size = value.size(row.type)
  local plain = (view.formats[row.name] or view.format) == 'auto' and row.unspecified == 0 and row.approximate == 0
  if not plain or row.uniform or row.type == '.pred' or (size ~= 4 and size ~= 8) or not covers(row.known, live) then
    return nil
  end
  local format = format_of(row, view)
  local start, distance = nil, 0
  if WHOLE[format] then
    start, distance = value.affine(row.value, size, live)
  end
  if not start then
    return nil
  end
  local times = math.abs(distance) == 1 and 'lane' or ('%.0f × lane'):format(math.abs(distance))
  if distance > 0 and not start:find('[^0]') then
    return times
  end
  return ('%s %s %s'):format(value.text(start, format), distance < 0 and '−' or '+', times)
end

--- The position in a buffer that the address in the first lane points to, if the row contains addresses.
---@param session ptx_analyzer.Session
---@param row ptx_analyzer.Row
---@param live integer
---@return string?
local function destination(session, row, live)
  if row.note or value.size(row.type) ~= 8 or bit.band(row.known, live) == 0 then
    return row.note
  end
  local lane = 0
  while not (has(live, lane) and has(row.known, lane)) do
    lane = lane + 1
  end
  local bytes = {}
  for name, digits in pairs(session.run and type(session.run.buffers) == 'table' and session.run.buffers or {}) do
    bytes[name] = #digits / 2
  end
  return value.name_of_address(value.digits(row.value, 8, lane), session:state().parameters or {}, bytes)
end

--- The text of one lane.
---@param row ptx_analyzer.Row
---@param format string
---@param lane integer
---@return string
local function cell(row, format, lane)
  local text
  if not has(row.known, lane) then
    return UNWRITTEN
  elseif row.type == '.pred' then
    text = value.predicate(row.value, lane) and '1' or '0'
  else
    text = value.text(value.digits(row.value, value.size(row.type), lane), format)
  end
  if has(row.unspecified, lane) then
    return text .. UNSPECIFIED
  end
  return has(row.approximate, lane) and text .. APPROXIMATE or text
end

--- All lanes of a row in every format, for a closer look.
---@param session ptx_analyzer.Session
---@param name string
---@return string[]?
function M.details(session, name)
  local state = session:state()
  for _, row in ipairs(state and rows_of(session, true) or {}) do
    if row.name == name then
      if row.type == '.pred' then
        local on = {}
        for lane = 0, 31 do
          on[#on + 1] = has(row.known, lane) and value.predicate(row.value, lane) and lane or nil
        end
        local text = #on == 0 and 'in no lane' or 'in lanes ' .. table.concat(on, ', ')
        return { ('%s  %s'):format(name, row.type), 'true ' .. text, 'written in lanes ' .. value.lanes(row.known) }
      end
      local names = vim.list_slice(value.formats(row.type), 2)
      local columns = { { 'lane' } }
      for index, format in ipairs(names) do
        columns[index + 1] = { format }
      end
      for lane = 0, 31 do
        if has(mask(state.present), lane) then
          table.insert(columns[1], tostring(lane))
          for index, format in ipairs(names) do
            table.insert(columns[index + 1], cell(row, format, lane))
          end
        end
      end
      local lines = { ('%s  %s'):format(name, row.type) }
      for index = 1, #columns[1] do
        local parts = {}
        for _, column in ipairs(columns) do
          local width = 0
          for _, text in ipairs(column) do
            width = math.max(width, vim.api.nvim_strwidth(text))
          end
          parts[#parts + 1] = (' '):rep(width - vim.api.nvim_strwidth(column[index])) .. column[index]
        end
        lines[#lines + 1] = table.concat(parts, '  ')
      end
      return lines
    end
  end
end

--- The cost of a memory access as text.
---@param access table
---@return string
local function access_text(access)
  local text = ('%s %s, %d bytes in %d lanes'):format(access.space, access.kind, access.bytes, value.count(mask(access.lanes)))
  if type(access.wavefronts) == 'number' then
    local conflict = mask(access.conflict)
    text = ('%s: %d %s%s'):format(text, access.wavefronts, access.wavefronts == 1 and 'pass' or 'passes',
      conflict > 1 and (', %d words in one bank'):format(conflict) or ', no bank conflict')
  elseif type(access.sectors) == 'number' then
    text = ('%s: %d sectors of 32 bytes'):format(text, access.sectors)
    if type(access.ideal) == 'number' then
      text = text .. (access.sectors > access.ideal and (', %d would do'):format(access.ideal) or ', as few as can be')
    end
  end
  return text
end

local STATES = { running = '', barrier = ' waits at a barrier', waiting = ' waits' }

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
  local here = frames[1]
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
      put({ 'fault ', 'PtxWarpFault' }, { fault.message .. ', in ' .. value.of_lanes(mask(fault.lanes)), 'PtxWarpFault' })
    end
    for _, access in ipairs(type(step.accesses) == 'table' and step.accesses or {}) do
      put({ 'does  ', 'PtxWarpLabel' }, access_text(access))
    end
  end
  if state.step >= (session.steps or 0) then
    local ended = { finished = 'finished', fault = 'stopped by a fault', limit = 'stopped at the limit', deadlock = 'deadlocked' }
    put({ 'end   ', 'PtxWarpLabel' }, ended[run.status] or tostring(run.status or here and here.line or ''))
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
  if #groups > 1 then
    for index, group in ipairs(groups) do
      local is_next = index == 1
      put({ index == 1 and 'lanes ' or '      ', 'PtxWarpLabel' }, {
        ('%s at line %d%s'):format(value.lanes(mask(group.mask)), group.line, is_next and ', next' or STATES[group.state] or ''),
        not is_next and 'PtxWarpDiverged' or nil,
      })
    end
  end
  if mask(state.exited) ~= 0 then
    put({ 'ended ', 'PtxWarpLabel' }, value.of_lanes(mask(state.exited)))
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
  local all = rows_of(session, view.filter ~= '')
  for _, row in ipairs(all) do
    if M.passes(row, view.filter) then
      rows[#rows + 1] = row
      name_width = math.max(name_width, #row.name)
      type_width = math.max(type_width, #row.type)
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
    local format = format_of(row, view)
    local found = {}
    for lane = from, to do
      found[lane] = has(present, lane) and cell(row, format, lane) or ABSENT
      widest = math.max(widest, vim.api.nvim_strwidth(found[lane]))
    end
    return found
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
  local live = bit.band(present, bit.bnot(exited))
  for index, row in ipairs(rows) do
    row.counting = counting(row, view, live)
    if not row.uniform and row.known ~= 0 and not row.counting then
      texts[index] = texts_of(row, first, math.min(first + room() - 1, last_present))
    end
  end
  view.cell = widest
  local shown = math.min(room(), last_present - first + 1)

  local function column(lane)
    return lead + (lane - first) * (widest + #GAP)
  end
  for index, row in ipairs(rows) do
    local at = #lines
    registers[at + 1] = row.name
    local text = { row.name, (' '):rep(name_width - #row.name + 1), row.type, (' '):rep(type_width - #row.type + 2) }
    marks[#marks + 1] = { row = at, from = 0, to = #row.name, group = row.changed ~= 0 and 'PtxWarpChangedName' or 'PtxWarpName' }
    marks[#marks + 1] = { row = at, from = name_width + 1, to = name_width + 1 + #row.type, group = 'PtxWarpType' }
    local length = lead
    local function add(piece, group)
      if group then
        marks[#marks + 1] = { row = at, from = length, to = length + #piece, group = group }
      end
      text[#text + 1] = piece
      length = length + #piece
    end
    local function leads_to(to)
      local name = destination(session, to, live)
      if name then
        add('  → ' .. name, 'PtxWarpLabel')
      end
    end
    if row.known == 0 then
      add(UNWRITTEN, 'PtxWarpUnwritten')
    elseif row.counting then
      add('= ', 'PtxWarpUniform')
      add(row.counting, row.changed ~= 0 and 'PtxWarpChanged' or nil)
      leads_to(row)
    elseif row.uniform then
      local lane = 0
      while not has(row.known, lane) or has(exited, lane) or not has(present, lane) do
        lane = lane + 1
      end
      add('= ', 'PtxWarpUniform')
      local shown_value = cell(row, format_of(row, view), lane)
      if row.type == '.pred' then
        shown_value = shown_value:gsub('^1', 'true'):gsub('^0', 'false')
      end
      local group = row.changed ~= 0 and 'PtxWarpChanged'
        or (shown_value:sub(-1) == UNSPECIFIED and 'PtxWarpUnspecified')
        or (vim.endswith(shown_value, APPROXIMATE) and 'PtxWarpApproximate')
        or nil
      add(shown_value, group)
      leads_to(row)
    else
      for lane = first, first + shown - 1 do
        local piece = texts[index][lane] or cell(row, format_of(row, view), lane)
        add(GAP:rep(lane > first and 1 or 0) .. (' '):rep(widest - vim.api.nvim_strwidth(piece)))
        local group
        if not has(present, lane) then
          group = 'PtxWarpUnwritten'
        elseif has(exited, lane) then
          group = 'PtxWarpExited'
        elseif has(row.changed, lane) then
          group = 'PtxWarpChanged'
        elseif not has(active, lane) then
          group = 'PtxWarpDiverged'
        elseif not has(row.known, lane) then
          group = 'PtxWarpUnwritten'
        elseif has(row.unspecified, lane) then
          group = 'PtxWarpUnspecified'
        elseif has(row.approximate, lane) then
          group = 'PtxWarpApproximate'
        end
        add(piece, group)
      end
    end
    lines[#lines + 1] = table.concat(text)
  end
  if #rows == 0 then
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
    column = column,
  }
end

return M
