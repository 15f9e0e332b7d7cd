-- The state of an evaluation: the kernel, launch, warp, lane and step shown for a buffer, and the server's last
-- answers. It sends requests, one at a time, and notifies its watchers; it does not draw.

local commands = require('ptx-analyzer.commands')

local M = {}

-- Number of steps per timeline request.
local TIMELINE = 20000
-- Number of steps requested in advance, and number of steps kept.
local AHEAD, KEPT = 4, 48
-- Milliseconds at one step before the values of a lane are requested for the text.
local PAUSE = 150

---@class ptx_analyzer.Session
---@field bufnr integer the PTX file
---@field entry string?
---@field launch string? a launch that the user typed, instead of one in the source
---@field number integer? index of the launch in the source
---@field cta integer[]
---@field warp integer
---@field lane integer the lane whose values are shown in the text
---@field step integer? the current step, from 1: the last executed one, whose resulting values are shown; nil until the first answer
---@field answer table? the last answer with a state
---@field refused string? why the current text is not evaluated
---@field version integer? the version of the evaluated text
---@field known table<integer, table> stored answers by step
---@field timeline table<integer, table> parts of the timeline by number
---@field readings table<string, string> the readings that the user has chosen, by the name of the register
---@field watchers fun(session: ptx_analyzer.Session)[]
local Session = {}
Session.__index = Session

---@type table<integer, ptx_analyzer.Session>
local sessions = {}

---@param bufnr integer
---@return ptx_analyzer.Session?
function M.of(bufnr)
  return sessions[bufnr]
end

--- The evaluation of a buffer; creates one if it has none.
---@param bufnr integer
---@return ptx_analyzer.Session
function M.open(bufnr)
  local session = sessions[bufnr]
  if not session then
    session = setmetatable({
      bufnr = bufnr,
      cta = { 0, 0, 0 },
      warp = 0,
      lane = 0,
      known = {},
      readings = {},
      direction = 1,
      timeline = {},
      watchers = {},
    }, Session)
    sessions[bufnr] = session
  end
  return session
end

--- The evaluation of the document with this URI, for notifications of the server.
---@param uri string
---@return ptx_analyzer.Session?
function M.by_uri(uri)
  for bufnr, session in pairs(sessions) do
    if vim.api.nvim_buf_is_valid(bufnr) and vim.uri_from_bufnr(bufnr) == uri then
      return session
    end
  end
end

--- Closes an evaluation. The server discards it too, if it is running.
function Session:close()
  if sessions[self.bufnr] ~= self then
    return
  end
  sessions[self.bufnr] = nil
  self.closed = true
  if self.pause then
    self.pause:stop()
    self.pause:close()
    self.pause = nil
  end
  if self.asked and self.asked.cancel then
    self.asked.cancel()
  end
  local client = commands.client_of(self.bufnr)
  if client then
    local argument = { uri = vim.uri_from_bufnr(self.bufnr) }
    commands.request(client, { command = 'ptx-analyzer.clearEvaluation', arguments = { argument } }, function() end)
  end
end

--- Notifies the watchers of a change.
function Session:changed()
  for _, watcher in ipairs(self.watchers) do
    watcher(self)
  end
end

--- The common arguments of all requests about this evaluation.
---@param more table
---@return table
function Session:argument(more)
  return vim.tbl_extend('force', {
    uri = vim.uri_from_bufnr(self.bufnr),
    entry = self.entry,
    launch = self.launch,
    number = self.number,
    cta = self.cta,
    warp = self.warp,
    count = 0,
  }, more)
end

--- Sends a request to the server. The answer is discarded if the evaluation is closed, or if a newer request with the
--- same slot was sent.
---@param slot string the subject: only the last request with each slot counts
---@param argument table
---@param on_answer fun(answer: table)
---@param on_problem fun(problem: table)?
function Session:ask(slot, argument, on_answer, on_problem)
  local client = commands.client_of(self.bufnr)
  if not client then
    return self:refuse('the server does not run for this buffer')
  end
  self.questions = self.questions or {}
  local question = (self.questions[slot] or 0) + 1
  self.questions[slot] = question
  local params = { command = 'ptx-analyzer.evaluateWarp', arguments = { self:argument(argument) } }
  return commands.request(client, params, function(problem, answer)
    if self.closed or self.questions[slot] ~= question or not vim.api.nvim_buf_is_valid(self.bufnr) then
      return
    end
    if problem then
      (on_problem or function(why)
        self:refuse(why.message or vim.inspect(why))
      end)(problem)
    elseif type(answer) == 'table' then
      if slot == 'run' then
        self.version = answer.version
      elseif answer.version ~= self.version then
        -- The answer is about another text than the shown one: evaluate again.
        return self:refresh()
      end
      on_answer(answer)
    end
  end)
end

---@param why string
function Session:refuse(why)
  self.refused = why
  self.asked, self.asked_ahead = nil, nil
  self:changed()
end

-- Converts JSON's null to nil.
local function present(value)
  if value == vim.NIL then
    return nil
  end
  return value
end

--- Evaluates from the beginning: with another kernel, launch or warp, or another text.
---@param options { at: (fun(session: ptx_analyzer.Session, answer: table): integer?)?, on_problem: fun(problem: table)? }?
function Session:evaluate(options)
  options = options or {}
  self.timeline = {}
  self.known, self.kept = {}, {}
  self.asked, self.asked_ahead = nil, nil
  local more = { rows = true, timeline = { from = 0, count = TIMELINE }, line = self.entry == nil and self.line or nil }
  self:ask('run', more, function(answer)
    self.entry = present(answer.entry) or self.entry
    self.steps = present(answer.steps) or 0
    self.refused = nil
    self.run = answer
    self.timeline[0] = answer.timeline and answer.timeline.steps or {}
    local step = options.at and options.at(self, answer) or self.step or self.steps
    self:go(step)
  end, options.on_problem)
end

--- Goes to another step. While an answer is pending, only the latest target is kept, so that a held key never queues
--- requests.
---@param step integer
function Session:go(step)
  local steps = self.steps or 0
  step = math.max(math.min(1, steps), math.min(step, steps))
  self.direction = step < (self.step or 0) and -1 or 1
  self.step = step
  self.wanted = true
  self:fetch()
end

--- The arguments for a step: the state after it, which is the state before the next step, and its changes.
---@param step integer
---@return table
function Session:question(step)
  local readings = next(self.readings) and self.readings or nil
  return {
    from = math.max(step - 1, 0),
    count = 1,
    state = step,
    accesses = true,
    rows = { readings = readings, steps = false },
    brief = true,
  }
end

--- Shows registers in other readings, which the server knows by their names.
---@param readings table<string, string> by the name of the register
function Session:read(readings)
  self.readings = readings
  self.known, self.kept = {}, {}
  self:go(self.step or 0)
end

--- Stores an answer, for when its step is shown again. Parts that concern the whole run are not stored with each step.
---@param known table<integer, table> where: it may be of a run that is over
---@param step integer
---@param answer table
function Session:keep(known, step, answer)
  answer.expectations = nil
  if known == self.known and not known[step] then
    table.insert(self.kept, step)
    if #self.kept > KEPT then
      known[table.remove(self.kept, 1)] = nil
    end
  end
  known[step] = answer
end

--- Shows the answer for a step.
---@param answer table
function Session:accept(answer)
  self.refused = nil
  self.answer = answer
  self.steps = answer.steps
  local state = present(answer.state)
  -- The last step of a warp leaves no state: the server answers with the state before it, which is the same.
  if state and self.step == self.steps and state.step + 1 == self.steps then
    state.step = self.steps
  end
  if state and not self.wanted then
    self.step = state.step
  end
  self:changed()
  self:show_in_text()
end

--- Shows the target step: immediately if its answer is stored, otherwise after a request, unless one is pending.
function Session:fetch()
  if self.asked or not self.wanted then
    return
  end
  self.wanted = false
  local step, known = self.step, self.known
  if known[step] then
    self:accept(known[step])
    return self:look_ahead()
  end
  local asked = { step = step }
  self.asked = asked
  asked.cancel = self:ask('step', self:question(step), function(answer)
    self.asked = nil
    self:keep(known, step, answer)
    self:accept(answer)
    self:fetch()
    self:look_ahead()
  end)
end

--- Requests the next steps in the current direction in advance, one at a time: some take the server noticeably long.
function Session:look_ahead()
  if self.asked or self.asked_ahead or self.hidden or self.closed then
    return
  end
  for distance = 1, AHEAD do
    local step = self.step + self.direction * distance
    if step < 0 or step >= (self.steps or 0) then
      return
    end
    if not self.known[step] then
      local known, token = self.known, {}
      self.asked_ahead = token
      self:ask('ahead', self:question(step), function(answer)
        self:keep(known, step, answer)
        if self.asked_ahead == token then
          self.asked_ahead = nil
          self:look_ahead()
        end
      end, function()
        self.asked_ahead = nil
      end)
      return
    end
  end
end

--- Makes Neovim request the hints again. The server notifies it of new ones. But up to version 0.12, if Neovim redraws
--- between the notification and the answer, it mistakes the old hints for the new ones and keeps them.
---@param session ptx_analyzer.Session
local function refresh_hints(session)
  local client = commands.client_of(session.bufnr)
  local handler = vim.lsp.handlers['workspace/inlayHint/refresh']
  if client and handler and vim.lsp.inlay_hint.is_enabled({ bufnr = session.bufnr }) then
    handler(nil, nil, { client_id = client.id, method = 'workspace/inlayHint/refresh' })
  end
end

--- Tells the server which lane's values to show in the text.
---@param session ptx_analyzer.Session
---@param focus table|userdata
local function ask_for_hints(session, focus)
  session:ask('focus', { focus = focus }, function()
    vim.defer_fn(function()
      if vim.api.nvim_buf_is_valid(session.bufnr) then
        refresh_hints(session)
      end
    end, PAUSE)
  end, function() end)
end

--- Shows the values of the lane as hints in the text after the steps have paused.
function Session:show_in_text()
  if self.hidden then
    return
  end
  self.pause = self.pause or assert(vim.uv.new_timer())
  self.pause:stop()
  self.pause:start(PAUSE, 0, vim.schedule_wrap(function()
    if not self.closed and not self.hidden and vim.api.nvim_buf_is_valid(self.bufnr) then
      -- Steps count from 1 here, and from 0 in the focus. Both the grid and the hints show the values after the step.
      ask_for_hints(self, self.step > 0 and { lane = self.lane, step = self.step - 1 } or vim.NIL)
    end
  end))
end

--- Shows or hides the values of the lane in the text.
---@param shown boolean
function Session:set_hints(shown)
  self.hidden = not shown
  if shown then
    self:show_in_text()
  else
    ask_for_hints(self, vim.NIL)
  end
end

---@param lane integer
function Session:set_lane(lane)
  self.lane = math.max(0, math.min(lane, 31))
  self:changed()
  self:show_in_text()
end

--- The step of the trace with this index, if the last answer contains it.
---@param step integer
---@return table?
function Session:trace(step)
  for _, one in ipairs(self.answer and present(self.answer.trace) or {}) do
    if one.step == step then
      return one
    end
  end
end

---@return table?
function Session:state()
  return self.answer and present(self.answer.state)
end

--- A part of the timeline; requests it if necessary.
---@param part integer
---@param on_part fun(steps: table)
function Session:with_timeline(part, on_part)
  if self.timeline[part] then
    return on_part(self.timeline[part])
  end
  self:ask('timeline', { timeline = { from = part * TIMELINE, count = TIMELINE } }, function(answer)
    self.timeline[part] = answer.timeline and answer.timeline.steps or {}
    on_part(self.timeline[part])
  end)
end

--- Whether a step of the timeline executes the statement of a line.
---@param entry integer[] line, active lanes, executing lanes, depth, last line
---@param line integer
---@return boolean
function M.executes(entry, line)
  return entry[1] <= line and line <= (entry[5] or entry[1])
end

--- Searches for a step in one direction.
---@param start integer the first that is looked at
---@param direction 1|-1
---@param fits fun(entry: integer[], step: integer): boolean
---@param on_found fun(step: integer?)
function Session:find(start, direction, fits, on_found)
  if start < 0 or start >= (self.steps or 0) then
    return on_found(nil)
  end
  local part = math.floor(start / TIMELINE)
  self:with_timeline(part, function(steps)
    local index = start - part * TIMELINE + 1
    while steps[index] do
      local step = part * TIMELINE + index - 1
      if fits(steps[index], step) then
        return on_found(step)
      end
      index = index + direction
    end
    local beyond = direction > 0 and (part + 1) * TIMELINE or part * TIMELINE - 1
    -- An empty part ends the search: the server has fewer steps than it reported.
    if #steps == 0 then
      return on_found(nil)
    end
    self:find(beyond, direction, fits, on_found)
  end)
end

--- The step nearest to the current one that executes the statement of a line, in the loaded part of the timeline.
---@param line integer
---@return integer? step from 1
function Session:nearest(line)
  local here = math.max((self.step or 1) - 1, 0)
  local function entry_at(step)
    local part = self.timeline[math.floor(step / TIMELINE)]
    return part and part[step % TIMELINE + 1]
  end
  for distance = 0, self.steps or 0 do
    local after, before = entry_at(here + distance), entry_at(here - distance)
    if after and M.executes(after, line) then
      return here + distance + 1
    elseif before and M.executes(before, line) then
      return here - distance + 1
    elseif not after and not before then
      return nil
    end
  end
end

--- Whether a fault belongs to the current warp.
---@param fault table
---@return boolean
function Session:is_own(fault)
  return fault.warp == self.warp and vim.deep_equal(fault.cta, self.cta)
end

--- The faults of all warps.
---@return table[]
function Session:faults()
  return self.run and present(self.run.faults) or {}
end

--- The fault that this warp causes at a step, if any. A server that does not report the step means the first execution
--- of the line.
---@param step integer
---@param line integer
---@return table? fault
function Session:fault_at(step, line)
  for _, fault in ipairs(self:faults()) do
    if self:is_own(fault) and fault.line == line and (fault.step == nil or fault.step == step) then
      return fault
    end
  end
end

--- The number of CTAs and of warps per CTA.
---@return integer[] grid, integer warps
function Session:shape()
  local grid = self.run and present(self.run.grid) or {}
  return grid.grid or { 1, 1, 1 }, grid.warps or 1
end

--- The warp at a distance in the grid, counted CTA by CTA; nil if there is none.
---@param distance integer
---@return integer[]? cta, integer? warp
function Session:neighbour(distance)
  local grid, warps = self:shape()
  local cta = self.cta[1] + grid[1] * (self.cta[2] + grid[2] * self.cta[3])
  local index = cta * warps + self.warp + distance
  if index < 0 or index >= grid[1] * grid[2] * grid[3] * warps then
    return nil
  end
  cta = math.floor(index / warps)
  return { cta % grid[1], math.floor(cta / grid[1]) % grid[2], math.floor(cta / grid[1] / grid[2]) }, index % warps
end

--- Evaluates again after the server was restarted or the text has changed, and keeps the step.
function Session:refresh()
  self:evaluate({ at = function()
    return self.step
  end })
end

M.present = present

return M
