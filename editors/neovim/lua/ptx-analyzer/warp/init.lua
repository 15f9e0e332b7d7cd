-- "Evaluate warp": the actions of the commands and of the keys in the grid.

local commands = require('ptx-analyzer.commands')
local sessions = require('ptx-analyzer.warp.session')
local window = require('ptx-analyzer.warp.window')
local config = require('ptx-analyzer.config')

local M = {}

--- Shows a message of one line.
---@param message string
---@param level integer?
function M.say(message, level)
  commands.say(message, level)
end

--- Shows the message of a refused request, with the first of its positions, if it has any.
---@param problem table
local function say_problem(problem)
  local data = type(problem.data) == 'table' and problem.data or {}
  local place = type(data.places) == 'table' and data.places[1]
  local text = problem.message or vim.inspect(problem)
  if place and place.line and not text:find('line ' .. place.line, 1, true) then
    text = ('%s (line %d)'):format(text, place.line)
  end
  M.say(text, vim.log.levels.ERROR)
end

--- The step at which the grid opens: the first fault of the warp, otherwise the first execution of the cursor's line,
--- otherwise the end, where every register has its last value.
---@param line integer? of the cursor
local function opening_step(line)
  return function(session, answer)
    local steps = session.timeline[0] or {}
    for index, step in ipairs(steps) do
      if session:fault_at(index - 1, step[1]) then
        return index
      end
    end
    for index, step in ipairs(steps) do
      if line and sessions.executes(step, line) then
        return index
      end
    end
    return answer.steps
  end
end

--- Enables the inlay hints of a buffer while it is evaluated, because the values of a lane are inlay hints.
---@param session ptx_analyzer.Session
local function turn_hints_on(session)
  local filter = { bufnr = session.bufnr }
  if config.get().evaluate.hints and not vim.lsp.inlay_hint.is_enabled(filter) then
    session.turned_hints_on = true
    vim.lsp.inlay_hint.enable(true, filter)
  end
end

--- Closes the evaluation when its buffer is closed, and repeats it when the server is restarted.
---@param session ptx_analyzer.Session
local function watch_source(session)
  if session.watched then
    return
  end
  session.watched = true
  local group = vim.api.nvim_create_augroup('ptx-analyzer-warp-source-' .. session.bufnr, { clear = true })
  vim.api.nvim_create_autocmd({ 'BufUnload', 'BufDelete' }, {
    group = group,
    buffer = session.bufnr,
    callback = function()
      -- Wait until the buffer event is over: windows cannot be closed during it.
      vim.schedule(function()
        if not vim.api.nvim_buf_is_valid(session.bufnr) or not vim.api.nvim_buf_is_loaded(session.bufnr) then
          M.forget(session.bufnr)
        end
      end)
    end,
  })
  vim.api.nvim_create_autocmd('LspAttach', {
    group = group,
    buffer = session.bufnr,
    callback = function(event)
      local client = vim.lsp.get_client_by_id(event.data.client_id)
      if client and client.name == require('ptx-analyzer.client').name then
        session:refresh()
      end
    end,
  })
end

---@param bufnr integer
function M.forget(bufnr)
  local session = sessions.of(bufnr)
  pcall(vim.api.nvim_del_augroup_by_name, 'ptx-analyzer-warp-source-' .. bufnr)
  require('ptx-analyzer.warp.memory').forget(bufnr)
  window.forget(bufnr)
  if session then
    session:close()
    if session.turned_hints_on and vim.api.nvim_buf_is_valid(bufnr) then
      vim.lsp.inlay_hint.enable(false, { bufnr = bufnr })
    end
  end
end

--- Evaluates a kernel and shows the grid.
---@param bufnr integer
---@param what { entry: string?, line: integer?, launch: string?, number: integer?, keep: boolean? } keep: stay at the step
function M.evaluate(bufnr, what)
  if not commands.client_here(bufnr) then
    return
  end
  local session = sessions.open(bufnr)
  local other = what.entry ~= session.entry or what.line ~= nil
  session.entry, session.line = what.entry, what.line
  if other or what.launch or what.number then
    session.launch, session.number = what.launch, what.number
    session.cta, session.warp = { 0, 0, 0 }, 0
  end
  watch_source(session)
  local source_window = vim.api.nvim_get_current_win()
  -- Open the window with the first answer, so that a refusal leaves the screen unchanged.
  session.on_first = function()
    session.on_first = nil
    turn_hints_on(session)
    local pane = window.show(session)
    if vim.api.nvim_win_is_valid(source_window) and vim.api.nvim_win_get_buf(source_window) == bufnr then
      pane.source_window = source_window
    end
    window.paint(pane)
    session:show_in_text()
  end
  if not session.opens then
    session.opens = true
    table.insert(session.watchers, 1, function()
      if session.on_first then
        session.on_first()
      end
    end)
  end
  session:evaluate({
    at = what.keep and function()
      return session.step
    end or opening_step(what.line),
    on_problem = function(problem)
      session.on_first = nil
      say_problem(problem)
      if window.of(bufnr) then
        session:refuse(problem.message or '')
      else
        M.forget(bufnr)
      end
    end,
  })
end

--- Writes the guessed launch above a kernel that has none, then evaluates it.
---@param bufnr integer
---@param what { entry: string?, line: integer? }
function M.write_launch(bufnr, what)
  require('ptx-analyzer.warp.launch').entry(bufnr, what, function(entry)
    if #entry.launches > 0 then
      M.say(('`%s` already has a launch, on line %d'):format(entry.name, entry.launches[1].line))
    elseif type(entry.guess) ~= 'table' then
      return M.say(('no launch can be guessed for `%s`'):format(entry.name), vim.log.levels.ERROR)
    elseif not vim.bo[bufnr].modifiable then
      return M.say('this buffer cannot be changed', vim.log.levels.ERROR)
    else
      require('ptx-analyzer.warp.launch').write(bufnr, entry)
    end
    M.evaluate(bufnr, { entry = entry.name })
  end)
end

--- Goes to the next or the previous step that executes a line.
---@param pane ptx_analyzer.Pane
---@param line integer
---@param direction 1|-1
---@param count integer
---@param what string the name of the line in a message
function M.to_line(pane, line, direction, count, what)
  local session = pane.session
  -- Steps are numbered from 1, positions in the trace from 0.
  local start = (session.step or 1) - 1
  local function again(from, left)
    session:find(from + direction, direction, function(entry)
      return sessions.executes(entry, line)
    end, function(step)
      if step and left > 1 then
        return again(step, left - 1)
      elseif step or from ~= start then
        return session:go((step or from) + 1)
      end
      M.say(('this warp does not execute %s %s'):format(what, direction > 0 and 'again' or 'before'))
    end)
  end
  again(start, count)
end

---@param pane ptx_analyzer.Pane
---@param direction 1|-1
---@param count integer
function M.same_line(pane, direction, count)
  local state = pane.session:state()
  local step = state and pane.session:trace(state.step - 1)
  if step then
    M.to_line(pane, step.line, direction, count, ('line %d'):format(step.line))
  end
end

---@param pane ptx_analyzer.Pane
---@param direction 1|-1
---@param count integer
function M.next_fault(pane, direction, count)
  local session = pane.session
  local function again(from, left)
    session:find(from + direction, direction, function(entry, step)
      return session:fault_at(step, entry[1]) ~= nil
    end, function(step)
      if step and left > 1 then
        return again(step, left - 1)
      elseif step then
        return session:go(step + 1)
      end
      local all = session:faults()
      local elsewhere = vim.iter(all):find(function(fault)
        return not session:is_own(fault)
      end)
      if elsewhere then
        M.say(('no more faults of this warp; there is one of CTA %s, warp %d (:PtxFaults)'):format(
          table.concat(elsewhere.cta, ','), elsewhere.warp))
      else
        M.say(#all == 0 and 'there are no faults' or 'no more faults')
      end
    end)
  end
  again((session.step or 1) - 1, count)
end

--- Switches to another warp of the same run.
---@param pane ptx_analyzer.Pane
---@param cta integer[]
---@param warp integer
function M.to_warp(pane, cta, warp)
  local session = pane.session
  session.cta, session.warp = cta, warp
  session:evaluate({ on_problem = say_problem })
end

---@param pane ptx_analyzer.Pane
---@param distance integer
function M.other_warp(pane, distance)
  local cta, warp = pane.session:neighbour(distance)
  if not cta or not warp then
    return M.say(distance > 0 and 'this is the last warp' or 'this is the first warp')
  end
  M.to_warp(pane, cta, warp)
end

--- Selects the lane whose values are shown in the text.
---@param pane ptx_analyzer.Pane
---@param lane integer?
function M.lane(pane, lane)
  if lane then
    return window.focus(pane, lane)
  end
  local state = pane.session:state()
  if not state then
    return
  end
  local has = require('ptx-analyzer.warp.lanes').has
  local lanes = {}
  for one = 0, 31 do
    if has(state.present, one) then
      lanes[#lanes + 1] = one
    end
  end
  vim.ui.select(lanes, {
    prompt = 'Lane',
    format_item = function(one)
      local what = has(state.exited, one) and 'has ended' or nil
      for index, group in ipairs(require('ptx-analyzer.warp.grid').groups(state)) do
        if has(group.mask, one) then
          what = ('at line %d%s'):format(group.line, index == 1 and '' or ', diverged')
        end
      end
      return ('lane %d%s'):format(one, what and '  ' .. what or '')
    end,
  }, function(one)
    if one then
      window.focus(pane, one)
    end
  end)
end

--- Shows the result of the evaluation as a document.
---@param pane ptx_analyzer.Pane
function M.result(pane)
  local run = pane.session.run
  local text = run and run.markdown
  if type(text) ~= 'string' then
    return M.say('there is no result yet', vim.log.levels.WARN)
  end
  commands.show('result/' .. (pane.session.entry or ''), vim.trim(text), 'markdown')
  -- The height of the grid is fixed, so a split of it would be small: enlarge it.
  vim.api.nvim_win_set_height(0, math.max(vim.api.nvim_win_get_height(0), math.floor(vim.o.lines * 0.4)))
end

--- Shows the faults of all warps as a quickfix list.
---@param pane ptx_analyzer.Pane
function M.faults(pane)
  local session = pane.session
  local words = require('ptx-analyzer.warp.lanes').words
  local items = {}
  for _, fault in ipairs(session:faults()) do
    local text = vim.api.nvim_buf_get_lines(session.bufnr, fault.line - 1, fault.line, false)[1] or ''
    items[#items + 1] = {
      bufnr = session.bufnr,
      lnum = fault.line,
      col = math.min(fault.column, #text + 1),
      end_lnum = fault.end_line,
      end_col = fault.end_column,
      type = 'E',
      text = ('%s (CTA %s, warp %d, %s)'):format(fault.message, table.concat(fault.cta, ','), fault.warp, words(fault.lanes)),
    }
  end
  if #items == 0 then
    return M.say('there are no faults')
  end
  local target = window.source_window(pane)
  if target then
    vim.fn.setloclist(target, {}, ' ', { title = 'Faults of ' .. (session.entry or ''), items = items })
    vim.api.nvim_set_current_win(target)
    vim.cmd('lopen')
  else
    vim.fn.setqflist({}, ' ', { title = 'Faults of ' .. (session.entry or ''), items = items })
    vim.cmd('botright copen')
  end
end

---@param pane ptx_analyzer.Pane
function M.launch(pane)
  require('ptx-analyzer.warp.launch').choose(pane)
end

--- Shows memory. Without a name the user chooses from the memories of the kernel.
---@param pane ptx_analyzer.Pane
---@param what string?
function M.memory(pane, what)
  require('ptx-analyzer.warp.memory').open(pane, what)
end

--- Handles the notification that the server has evaluated a document again.
---@param said table
function M.on_evaluated(said)
  local session = said and type(said.uri) == 'string' and sessions.by_uri(said.uri)
  if not session or not session.answer then
    return
  end
  local refused = sessions.present(said.refused)
  if refused then
    session:refuse(type(refused) == 'table' and refused.message or tostring(refused))
  elseif not session.hidden then
    session:refresh()
  end
end

return M
