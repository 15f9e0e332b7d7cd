-- Common functions of the tests inside Neovim: the report, waiting, positions in the initial buffer.

local env = vim.env
local buf = vim.api.nvim_get_current_buf()
local M = { buf = buf }

-- Reports go to a separate file: Neovim prints its own messages to the terminal, without line ends.
function M.tell(line)
  local file = assert(io.open(env.REPORT, 'a'))
  file:write(line, '\n')
  file:close()
end

function M.report(mark, what)
  M.tell(('%-4s neovim, %s: %s'):format(mark, env.SCENARIO, what))
end

function M.ok(what, condition, seen)
  if condition then
    return M.report('ok', what)
  end
  M.report('FAIL', what)
  if seen ~= nil then
    M.tell('  seen: ' .. (type(seen) == 'string' and seen or vim.inspect(seen)))
  end
  vim.cmd('cquit 1')
  error('unreachable') -- in some versions :cquit returns when called from here
end

--- Waits until a condition is true.
function M.becomes(what, condition, seen)
  local reached = vim.wait(15000, condition, 20)
  M.ok(what, reached, not reached and seen and seen() or nil)
end

function M.client()
  return vim.lsp.get_clients({ bufnr = buf, name = 'ptx_analyzer' })[1]
end

function M.attached()
  M.becomes('the client attaches', function()
    return M.client() ~= nil and M.client().initialized
  end)
end

--- The row and column (both from 0) of a text in the buffer.
function M.position(text)
  for row, line in ipairs(vim.api.nvim_buf_get_lines(buf, 0, -1, false)) do
    local column = line:find(text, 1, true)
    if column then
      return row - 1, column - 1
    end
  end
  error('not in the buffer: ' .. text)
end

function M.put_cursor(row, column)
  vim.api.nvim_win_set_cursor(0, { row + 1, column })
end

function M.type_keys(keys)
  vim.api.nvim_feedkeys(vim.keycode(keys), 'xt', false)
end

local expected = {
  '^".*" .*%d+L, %d+B', -- a file that was read or written
  '^%d+ .*lines?', -- lines that a command moved, changed or undid
}

--- Declares messages that a scenario causes, by a Lua pattern for their lines. Any other message fails it.
function M.expects(pattern)
  table.insert(expected, pattern)
end

--- The lines of Neovim's messages that no scenario expects.
local function unexpected()
  return vim.iter(vim.split(vim.fn.execute('messages'), '\n', { trimempty = true })):filter(function(line)
    return line:match('%S') and not vim.iter(expected):any(function(pattern)
      return line:find(pattern) ~= nil
    end)
  end):totable()
end

--- Runs a scenario and ends the editor with its result.
---@param scenarios table<string, fun()>
function M.run(scenarios)
  local function main()
    local fine, problem = xpcall(scenarios[env.SCENARIO:gsub('-', '_')], debug.traceback)
    if not fine then
      M.report('FAIL', 'the test itself: ' .. problem)
      vim.cmd('cquit 1')
    end
    local messages = unexpected()
    M.ok('no unexpected message', #messages == 0, table.concat(messages, '\n  '))
    vim.cmd('qall!')
  end
  -- Start-up ends with VimEnter: only then is the editor in the state in which a user sees it.
  vim.api.nvim_create_autocmd('VimEnter', { once = true, callback = vim.schedule_wrap(main) })
end

return M
