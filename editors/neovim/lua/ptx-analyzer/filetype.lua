-- Which of the two languages that share the extension `.ptx` a file holds.
--
-- PreTeXt documents are XML, so the first character that is not white space is `<`. No PTX module can begin with it: it
-- begins with a comment, a directive or a preprocessor line. An empty file is taken for PTX.

local M = {}

local registered = false

--- The start of the file as lines, from the buffer if there is one, else from disk.
---@param path string?
---@param bufnr integer?
---@return string[]
local function first_lines(path, bufnr)
  local enough = 64 -- blank lines before the first text: a generator may leave some, never this many
  if bufnr and bufnr >= 0 and vim.api.nvim_buf_is_loaded(bufnr) then
    return vim.api.nvim_buf_get_lines(bufnr, 0, enough, false)
  end
  if path and vim.fn.filereadable(path) == 1 then
    return vim.fn.readfile(path, '', enough)
  end
  return {}
end

--- The filetype of a `.ptx` file: `ptx`, or `xml` when it is a PreTeXt document.
---@param path string?
---@param bufnr integer? -1 when only the name is known
---@return string
function M.detect(path, bufnr)
  for _, line in ipairs(first_lines(path, bufnr)) do
    local text = line:gsub('^\239\187\191', ''):match('^%s*(%S)')
    if text then
      return text == '<' and 'xml' or 'ptx'
    end
  end
  return 'ptx'
end

--- Puts the rule in place of Neovim's own (`ptx` for every such file; 0.10 has none), once, and only if nobody else has
--- set one: whoever calls `vim.filetype.add` for this extension keeps what they chose, before this call or after it.
function M.register()
  if registered or require('ptx-analyzer.config').get().filetype == false then
    return
  end
  registered = true
  -- Asked with a name and no buffer, a rule that looks at the buffer fails, which shows as nil.
  local current = vim.filetype.match({ filename = 'probe.ptx' })
  local untouched = current == 'ptx' or (current == nil and vim.fn.has('nvim-0.11') == 0)
  if untouched then
    vim.filetype.add({ extension = { ptx = M.detect } })
  end
end

return M
