-- Common functions of the scenarios in neovim_warp_test.lua: messages of Neovim, and the content of the grid.

local lib = dofile(vim.env.HERE .. '/neovim_lib.lua')
local ok, becomes, attached, position, put_cursor = lib.ok, lib.becomes, lib.attached, lib.position, lib.put_cursor
local buf = lib.buf
local M = { lib = lib }

vim.o.columns, vim.o.lines = 200, 60

local messages = {}
M.messages = messages
vim.notify = function(message)
  messages[#messages + 1] = message
end

function M.says(text)
  return function()
    return table.concat(messages, '\n'):find(text, 1, true) ~= nil
  end
end

function M.all_messages()
  return messages
end

function M.forget()
  while #messages > 0 do
    table.remove(messages)
  end
end

function M.pane()
  return require('ptx-analyzer.warp.window').of(buf)
end

function M.grid()
  local here = M.pane()
  return here and vim.api.nvim_buf_get_lines(here.bufnr, 0, -1, false) or {}
end

--- The line of the grid that begins with a text, with repeated spaces merged.
function M.line_of(start)
  for number, line in ipairs(M.grid()) do
    if vim.startswith(line, start) then
      return (line:gsub('%s+', ' ')), number
    end
  end
  return ''
end

function M.has(start, rest)
  return function()
    return M.line_of(start):find(rest, 1, true) ~= nil
  end
end

function M.row(text)
  return (position(text)) + 1
end

--- Evaluates with the cursor at a text, and waits for the grid.
function M.evaluate(text, command)
  attached()
  put_cursor(position(text))
  vim.cmd(command or 'PtxEvaluate')
  becomes('the grid opens', function()
    return M.pane() ~= nil and M.pane().session:state() ~= nil and #M.grid() > 5
  end, M.all_messages)
  vim.wait(2000, function()
    return not M.pane().session.asked
  end, 5)
end

function M.step_is(step)
  return function()
    return M.pane().session:state().step == step
  end
end

function M.current_step()
  return { step = M.pane().session.step, steps = M.pane().session.steps, top = M.grid()[1] }
end

--- The highlight groups of a register's cells, one for each visible lane.
function M.groups_of(name)
  local here = M.pane()
  local text, number = M.line_of(name)
  ok(('there is a row for %s'):format(name), text ~= '')
  local namespace = vim.api.nvim_get_namespaces()['ptx-analyzer-warp']
  local found = {}
  local marks = vim.api.nvim_buf_get_extmarks(here.bufnr, namespace, { number - 1, 0 }, { number - 1, -1 }, { details = true })
  local line = vim.api.nvim_buf_get_lines(here.bufnr, number - 1, number, false)[1]
  for _, mark in ipairs(marks) do
    local lane = here.picture.lane_at(vim.api.nvim_strwidth(line:sub(1, mark[4].end_col)) - 1)
    if lane then
      found[lane] = mark[4].hl_group
    end
  end
  return found
end

--- Puts the cursor of the grid on the row of a name.
function M.cursor_to(name)
  local _, number = M.line_of(name)
  vim.api.nvim_win_set_cursor(0, { number, 0 })
end

function M.source_marks()
  local namespace = vim.api.nvim_get_namespaces()['ptx-analyzer-warp-source']
  return vim.tbl_map(function(mark)
    return mark[2] + 1
  end, vim.api.nvim_buf_get_extmarks(buf, namespace, 0, -1, {}))
end

return M
