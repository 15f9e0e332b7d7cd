-- The user commands of an evaluation.

local commands = require('ptx-analyzer.commands')
local warp = require('ptx-analyzer.warp')
local window = require('ptx-analyzer.warp.window')

local M = {}

local function complain(message)
  commands.say(message, vim.log.levels.ERROR)
end

--- The evaluation whose grid or source is the current buffer. Shows a message if there is none.
---@return ptx_analyzer.Pane?
local function pane_here()
  local pane = window.here(vim.api.nvim_get_current_buf())
  if not pane then
    commands.say('nothing is evaluated here; :PtxEvaluate does it', vim.log.levels.WARN)
  end
  return pane
end

--- Evaluates the kernel at the cursor with the arguments of the command.
function M.evaluate(call)
  local bufnr = vim.api.nvim_get_current_buf()
  local pane = window.here(bufnr)
  if pane and pane.session.bufnr ~= bufnr then
    -- In the grid, repeat the evaluation.
    return warp.evaluate(pane.session.bufnr, { entry = call.args ~= '' and call.args or pane.session.entry, keep = true })
  end
  local inline = require('ptx-analyzer.inline')
  if vim.tbl_contains(inline.filetypes(), vim.bo[bufnr].filetype) then
    return inline.evaluate(bufnr, call.line1)
  end
  local what = call.args ~= '' and { entry = call.args } or { line = call.line1 }
  if call.bang then
    return warp.write_launch(bufnr, what)
  end
  warp.evaluate(bufnr, what)
end

function M.step(call)
  local pane = pane_here()
  if not pane then
    return
  end
  local session = pane.session
  local sign, number = call.args:match('^([+-]?)(%d+)$')
  if number then
    local distance = tonumber(number)
    local step = session.step or 0
    session:go(sign == '+' and step + distance or sign == '-' and step - distance or distance)
  elseif call.args == '$' then
    session:go(session.steps or 0)
  elseif call.args ~= '' then
    complain(('`%s` is not a step: a number, +number, -number or $'):format(call.args))
  elseif vim.api.nvim_get_current_buf() == session.bufnr then
    local line = vim.fn.line('.')
    warp.to_line(pane, line, call.bang and -1 or 1, 1, ('line %d'):format(line))
  else
    session:go((session.step or 0) + (call.bang and -1 or 1))
  end
end

function M.lane(call)
  local pane = pane_here()
  if not pane then
    return
  end
  local lane = tonumber(call.args)
  if call.args ~= '' and not (lane and lane % 1 == 0 and lane >= 0 and lane < 32) then
    return complain(('`%s` is not a lane: a number from 0 to 31'):format(call.args))
  end
  warp.lane(pane, lane)
end

function M.warp(call)
  local pane = pane_here()
  if not pane then
    return
  end
  local numbers = {}
  for _, word in ipairs(call.fargs) do
    local number = tonumber(word)
    if not number or number % 1 ~= 0 or number < 0 then
      return complain(('`%s` is not a number of a warp or CTA'):format(word))
    end
    numbers[#numbers + 1] = number
  end
  local grid, warps = pane.session:shape()
  local cta = numbers[2] and { numbers[2], numbers[3] or 0, numbers[4] or 0 } or pane.session.cta
  if numbers[1] >= warps or cta[1] >= grid[1] or cta[2] >= grid[2] or cta[3] >= grid[3] then
    return complain(('there are CTAs %s and in each warps 0 to %d'):format(table.concat(grid, ' × '), warps - 1))
  end
  warp.to_warp(pane, cta, numbers[1])
end

local function on_pane(run)
  return function(call)
    local pane = pane_here()
    if pane then
      run(pane, call)
    end
  end
end

M.clear = on_pane(function(pane)
  warp.forget(pane.session.bufnr)
end)

M.result = on_pane(warp.result)

M.faults = on_pane(warp.faults)

M.filter = on_pane(function(pane, call)
  window.set_filter(pane, call.args)
end)

M.memory = on_pane(function(pane, call)
  warp.memory(pane, call.args ~= '' and call.args or nil)
end)

M.launch = on_pane(function(pane, call)
  if call.args ~= '' then
    warp.evaluate(pane.session.bufnr, { entry = pane.session.entry, launch = call.args, keep = true })
  else
    warp.launch(pane)
  end
end)

--- Completions for `:PtxMemory`.
---@param lead string
---@return string[]
function M.memory_names(lead)
  local pane = window.here(vim.api.nvim_get_current_buf())
  return pane and require('ptx-analyzer.warp.memory').names(pane, lead) or {}
end

return M
