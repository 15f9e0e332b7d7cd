-- Readings of registers: which there are the server says, and it also reads. Here the user chooses among them.

local commands = require('ptx-analyzer.commands')

local M = {}

--- The readings that the server has for a row: of each its name in requests and its title.
---@param pane ptx_analyzer.Pane
---@param row table
---@return { name: string, title: string }[]
local function readings_of(pane, row)
  local run = pane.session.run
  return run and run.readings and run.readings[tostring(row.size)] or {}
end

--- Selects the reading that is so many places after the present one; behind the last comes that of the register itself.
---@param choices string[]
---@param present string? nil: the register's own
---@param count integer
---@return string?
local function further(choices, present, count)
  local index = 0
  for at, choice in ipairs(choices) do
    index = choice == present and at or index
  end
  return choices[(index + count) % (#choices + 1)]
end

---@param pane ptx_analyzer.Pane
---@param readings table<string, string>
---@param message string
local function read(pane, readings, message)
  pane.view.cell = 1
  pane.session:read(readings)
  commands.say(message)
end

--- Shows a register in its next reading.
---@param pane ptx_analyzer.Pane
---@param name string? none: the cursor is at no register
---@param count integer
function M.next_of_register(pane, name, count)
  local session, state = pane.session, pane.session:state()
  local row = vim.iter(state and state.rows or {}):find(function(row)
    return row.name == name
  end)
  if not row then
    return
  end
  if not session.readings[name] then
    pane.own_readings[name] = row.reading
  end
  local titles, names = {}, {}
  for _, reading in ipairs(readings_of(pane, row)) do
    titles[reading.name] = reading.title
    -- The reading that the register has by itself comes last, and only once.
    if reading.name ~= pane.own_readings[name] then
      names[#names + 1] = reading.name
    end
  end
  local reading = further(names, session.readings[name], count)
  local readings = vim.deepcopy(session.readings)
  readings[name] = reading
  read(pane, readings, ('%s: %s'):format(name, titles[reading] or 'by its type'))
end

--- Shows all registers of the function in the next of the readings that any of them has.
---@param pane ptx_analyzer.Pane
---@param count integer
function M.next_of_all(pane, count)
  local state = pane.session:state()
  local rows = vim.tbl_filter(function(row)
    return #readings_of(pane, row) > 1
  end, state and state.rows or {})
  local titles = {}
  for _, row in ipairs(rows) do
    for _, reading in ipairs(readings_of(pane, row)) do
      if not vim.tbl_contains(titles, reading.title) then
        titles[#titles + 1] = reading.title
      end
    end
  end
  local title = further(titles, pane.title, count)
  local readings = {}
  for _, row in ipairs(rows) do
    for _, reading in ipairs(readings_of(pane, row)) do
      if reading.title == title then
        readings[row.name] = reading.name
      end
    end
  end
  pane.title = title
  read(pane, readings, 'all registers: ' .. (title or 'by their types'))
end

return M
