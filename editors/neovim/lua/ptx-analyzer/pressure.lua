-- Register pressure: shows the number of live registers as bars at the ends of the visible lines.

local M = {}

local namespace = vim.api.nvim_create_namespace('ptx-analyzer-pressure')

-- Width of a bar in cells, and its last cell in eighths.
local WIDTH = 8
local EIGHTHS = { '▏', '▎', '▍', '▌', '▋', '▊', '▉' }
-- Number of lines above and below the screen that are drawn too.
local AROUND = 100
-- Milliseconds without a change before the plugin sends a request.
local PAUSE = 150

---@class ptx_analyzer.Pressure
---@field timer uv.uv_timer_t
---@field group integer
---@field cancel fun()? takes back the question that is under way

---@type table<integer, ptx_analyzer.Pressure>
local shown = {}

--- A bar for a share of the maximum.
---@param count integer
---@param most integer
---@return string
function M.bar(count, most)
  local eighths = most > 0 and math.floor(count * WIDTH * 8 / most + 0.5) or 0
  if count > 0 then
    eighths = math.max(eighths, 1)
  end
  local full, rest = math.floor(eighths / 8), eighths % 8
  local bar = ('█'):rep(full) .. (rest > 0 and EIGHTHS[rest] or '')
  return bar .. (' '):rep(WIDTH - full - (rest > 0 and 1 or 0))
end

--- The highlight group for a share of the maximum.
---@param count integer
---@param most integer
---@return string
function M.heat(count, most)
  if count * 10 >= most * 9 then
    return 'PtxPressureHigh'
  end
  return count * 10 >= most * 6 and 'PtxPressureMedium' or 'PtxPressureLow'
end

local function define_highlights()
  local links = { High = 'DiagnosticError', Medium = 'DiagnosticWarn', Low = 'Comment' }
  for level, link in pairs(links) do
    vim.api.nvim_set_hl(0, 'PtxPressure' .. level, { default = true, link = link })
  end
end

--- The lines of a buffer that are visible in a window, with some lines around them; nil if none is visible.
---@param bufnr integer
---@return integer? first, integer? last
local function in_sight(bufnr)
  local first, last
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    local info = vim.fn.getwininfo(window)[1]
    first = math.min(first or info.topline, info.topline)
    last = math.max(last or info.botline, info.botline)
  end
  return first and math.max(first - AROUND, 1), last and last + AROUND
end

---@param bufnr integer
---@param functions table[]
local function draw(bufnr, functions)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  -- The bars form a column at the right edge, except beside lines that are too long.
  local position = vim.fn.has('nvim-0.11') == 1 and 'eol_right_align' or 'eol'
  local count = vim.api.nvim_buf_line_count(bufnr)
  for _, fn in ipairs(functions) do
    local most = fn.max_live.b32
    for _, line in ipairs(fn.lines) do
      local number, live, predicates = unpack(line)
      if number <= count then
        local group = M.heat(live, most)
        local text = ('%3d %s'):format(live, M.bar(live, most))
        local more = predicates > 0 and ('+%dp'):format(predicates) or ''
        vim.api.nvim_buf_set_extmark(bufnr, namespace, number - 1, 0, {
          virt_text = { { ('%5s '):format(more), 'PtxPressureLow' }, { text, group } },
          virt_text_pos = position,
          hl_mode = 'combine',
        })
      end
    end
  end
end

--- Sends a request and draws the answer.
---@param bufnr integer
local function update(bufnr)
  local state = shown[bufnr]
  local first, last = in_sight(bufnr)
  local client = vim.lsp.get_clients({ bufnr = bufnr, name = require('ptx-analyzer.client').name })[1]
  if not state or not first or not client then
    return
  end
  if state.cancel then
    state.cancel()
  end
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  local argument = { uri = vim.uri_from_bufnr(bufnr), first = first, last = last, wait = true }
  local params = { command = 'ptx-analyzer.registerPressure', arguments = { argument } }
  local function on_answer(problem, answer)
    state.cancel = nil
    local current = shown[bufnr] == state and vim.api.nvim_buf_is_valid(bufnr)
    -- An outdated answer is ignored: another one follows.
    if not problem and type(answer) == 'table' and current and vim.api.nvim_buf_get_changedtick(bufnr) == tick then
      draw(bufnr, answer.functions)
    end
  end
  state.cancel = require('ptx-analyzer.commands').request(client, params, on_answer)
end

---@param bufnr integer
local function later(bufnr)
  local state = shown[bufnr]
  if state then
    state.timer:stop()
    state.timer:start(PAUSE, 0, vim.schedule_wrap(function()
      if vim.api.nvim_buf_is_valid(bufnr) then
        update(bufnr)
      end
    end))
  end
end

---@param bufnr integer
function M.hide(bufnr)
  local state = shown[bufnr]
  shown[bufnr] = nil
  if state then
    state.timer:stop()
    state.timer:close()
    if state.cancel then
      state.cancel()
    end
    vim.api.nvim_del_augroup_by_id(state.group)
  end
  if vim.api.nvim_buf_is_valid(bufnr) then
    vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  end
end

---@param bufnr integer
function M.show(bufnr)
  M.hide(bufnr)
  define_highlights()
  local group = vim.api.nvim_create_augroup('ptx-analyzer-pressure-' .. bufnr, { clear = true })
  local state = { timer = assert(vim.uv.new_timer()), group = group }
  shown[bufnr] = state
  -- React to every change, including changes by plugins.
  vim.api.nvim_buf_attach(bufnr, false, {
    on_lines = function()
      if shown[bufnr] ~= state then
        return true
      end
      later(bufnr)
    end,
  })
  vim.api.nvim_create_autocmd({ 'BufWinEnter', 'LspAttach' }, {
    group = group,
    buffer = bufnr,
    callback = function()
      later(bufnr)
    end,
  })
  -- The pattern of these events is a window, not a buffer.
  vim.api.nvim_create_autocmd({ 'WinScrolled', 'WinResized' }, {
    group = group,
    callback = function()
      later(bufnr)
    end,
  })
  vim.api.nvim_create_autocmd('BufUnload', {
    group = group,
    buffer = bufnr,
    callback = function()
      M.hide(bufnr)
    end,
  })
  vim.api.nvim_create_autocmd('ColorScheme', { group = group, callback = define_highlights })
  update(bufnr)
end

--- Shows or hides the bars of a buffer.
---@param bufnr integer
function M.toggle(bufnr)
  if shown[bufnr] then
    M.hide(bufnr)
  else
    M.show(bufnr)
  end
end

return M
