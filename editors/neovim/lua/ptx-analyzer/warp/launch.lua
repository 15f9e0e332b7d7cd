-- The launches above a kernel: selects one, replaces it for an evaluation, or writes the guessed one into the source.

local commands = require('ptx-analyzer.commands')

local M = {}

--- Requests the launches of a kernel from the server.
---@param bufnr integer
---@param what { entry: string?, line: integer? }
---@param on_entry fun(entry: table)
function M.entry(bufnr, what, on_entry)
  local client = commands.client_here(bufnr)
  if not client then
    return
  end
  local argument = { uri = vim.uri_from_bufnr(bufnr), entry = what.entry, line = what.line }
  commands.request(client, { command = 'ptx-analyzer.launches', arguments = { argument } }, function(problem, answer)
    if problem then
      return commands.say(problem.message or vim.inspect(problem), vim.log.levels.ERROR)
    end
    local entries = type(answer) == 'table' and answer.entries or {}
    -- Without a name: the kernel around or below the line, as for an evaluation; after the last kernel, that one.
    local chosen
    for _, entry in ipairs(entries) do
      if what.entry then
        chosen = entry.name == what.entry and entry or chosen
      elseif not chosen or entry.line <= (what.line or 1) then
        chosen = entry
      end
    end
    if chosen then
      on_entry(chosen)
    else
      commands.say(what.entry and ('there is no kernel `%s`'):format(what.entry) or 'there is no kernel here', vim.log.levels.ERROR)
    end
  end)
end

--- Writes the guessed launch above a kernel, with the kernel's indentation and line ends.
---@param bufnr integer
---@param entry table
function M.write(bufnr, entry)
  local row = entry.line - 1
  local below = vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ''
  -- In a file with mixed line ends, a carriage return is part of the line.
  local indent, ending = below:match('^%s*'), below:match('\r$') or ''
  local lines = vim.tbl_map(function(line)
    return indent .. line .. ending
  end, entry.guess.lines)
  vim.api.nvim_buf_set_lines(bufnr, row, row, false, lines)
end

--- Prompts for a launch and evaluates it.
---@param pane ptx_analyzer.Pane
---@param default string
local function edit(pane, default)
  vim.ui.input({ prompt = 'Launch: ', default = default }, function(text)
    if text and vim.trim(text) ~= '' then
      local session = pane.session
      require('ptx-analyzer.warp').evaluate(session.bufnr, { entry = session.entry, launch = vim.trim(text), keep = true })
    end
  end)
end

--- Lets the user choose one of the launches above the kernel, the guess, or a new launch.
---@param pane ptx_analyzer.Pane
function M.choose(pane)
  local session = pane.session
  M.entry(session.bufnr, { entry = session.entry }, function(entry)
    local items = {}
    for index, launch in ipairs(entry.launches) do
      items[#items + 1] = {
        text = ('line %d: %s'):format(launch.line, launch.text),
        what = { number = index - 1 },
      }
    end
    local guess = type(entry.guess) == 'table' and entry.guess or nil
    if guess and #entry.launches == 0 then
      items[#items + 1] = { text = 'guessed: ' .. guess.text, what = {} }
      items[#items + 1] = { text = 'write the guessed one above the kernel', write = true }
    end
    local start = session.launch or (entry.launches[(session.number or 0) + 1] or guess or {}).text or ''
    items[#items + 1] = { text = 'another one …', edit = start }
    vim.ui.select(items, {
      prompt = 'Launch of ' .. entry.name,
      format_item = function(item)
        return item.text
      end,
    }, function(item)
      local warp = require('ptx-analyzer.warp')
      if not item then
        return
      elseif item.edit then
        edit(pane, item.edit)
      elseif item.write then
        warp.write_launch(session.bufnr, { entry = entry.name })
      else
        session.launch, session.number = nil, nil
        warp.evaluate(session.bufnr, vim.tbl_extend('force', { entry = entry.name, keep = true }, item.what))
      end
    end)
  end)
end

return M
