-- Detects which of the two languages with the extension `.ptx` a file contains.
--
-- PreTeXt documents are XML, so the first character that is not white space is `<`. No PTX module can begin with it: it
-- begins with a comment, a directive or a preprocessor line. An empty file counts as PTX.

local M = {}

local registered = false

--- The beginning of the file as lines, from the buffer if there is one, otherwise from disk.
---@param path string?
---@param bufnr integer?
---@return string[]
local function first_lines(path, bufnr)
  local enough = 64 -- a generator may write a few blank lines before the first text, but never this many
  if bufnr and bufnr >= 0 and vim.api.nvim_buf_is_loaded(bufnr) then
    return vim.api.nvim_buf_get_lines(bufnr, 0, enough, false)
  end
  if path and vim.fn.filereadable(path) == 1 then
    return vim.fn.readfile(path, '', enough)
  end
  return {}
end

--- The filetype of a `.ptx` file: `ptx`, or `xml` for a PreTeXt document.
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

--- Replaces Neovim's own rule (`ptx` for every such file; 0.10 has none). Does so once, and only if no other rule is
--- set: a call of `vim.filetype.add` for this extension takes precedence, whether it comes before or after this one.
function M.register()
  if registered or require('ptx-analyzer.config').get().filetype == false then
    return
  end
  registered = true
  -- For a name without a buffer, a rule that examines the buffer fails; the result is then nil.
  local current = vim.filetype.match({ filename = 'probe.ptx' })
  local untouched = current == 'ptx' or (current == nil and vim.fn.has('nvim-0.11') == 0)
  if untouched then
    vim.filetype.add({ extension = { ptx = M.detect } })
  end
end

return M
